/// @file
/// The well-known ladder of reductions: interleaved, sequential, first add during load, shuffles.
#include "buffer.cuh"
#include "timer.cuh"

constexpr int kThreads = 256;

__global__ void interleaved(const int* in, int* out) {
  extern __shared__ int data[];
  const int t = threadIdx.x;
  data[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

__global__ void sequential(const int* in, int* out) {
  extern __shared__ int data[];
  const int t = threadIdx.x;
  data[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) data[t] += data[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

template <int threads>
__global__ void unrolled(const int* in, int* out) {
  extern __shared__ int data[];
  const int t = threadIdx.x, i = blockIdx.x * threads + t;
  data[t] = in[i];
  __syncthreads();
  if (threads >= 256) {
    if (t < 128) data[t] += data[t + 128];
    __syncthreads();
  }
  if (threads >= 128) {
    if (t < 64) data[t] += data[t + 64];
    __syncthreads();
  }
  if (t < 32) {
    int value = data[t] + data[t + 32];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    if (t == 0) out[blockIdx.x] = value;
  }
}

int main() {
  const int n = 1 << 16, blocks = n / kThreads;
  std::vector<int> numbers(n);
  long long expected = 0;
  for (int i = 0; i < n; ++i) expected += numbers[i] = i % 13 - 5;
  Buffer<int> in(numbers), out(blocks);
  using Kernel = void (*)(const int*, int*);
  const Kernel kernels[] = {interleaved, sequential, unrolled<kThreads>};
  bool right = true;
  GpuTimer timer;
  for (const Kernel kernel : kernels) {
    timer.start();
    kernel<<<blocks, kThreads, kThreads * sizeof(int)>>>(in, out);
    timer.stop();
    CHECK(cudaGetLastError());
    long long sum = 0;
    for (const int partial : out.host()) sum += partial;
    std::printf("sum %lld in %.4f ms, %.2f GB/s\n", sum, timer.milliseconds(),
                n * 4e-6 / timer.milliseconds());
    right = right && sum == expected;
  }
  return verdict(right);
}
