/// @file
/// Lesson 1, listing "a budget of registers": the same body three times, with as many registers
/// as the compiler likes, with a bound that it can meet, and with one that it cannot. Checks
/// all three.
#include <cstdio>
#include <vector>

constexpr int kept = 64;

// [body]
/// The number of pairs among a thread's 64 values of which the later one is smaller: all 64 are
/// needed at once.
__device__ int inversions(const float* in, int threads, int thread) {
  float value[kept];
#pragma unroll
  for (int k = 0; k < kept; ++k) value[k] = in[k * threads + thread];
  int found = 0;
#pragma unroll
  for (int i = 0; i < kept; ++i)
#pragma unroll
    for (int j = i + 1; j < kept; ++j) found += value[j] < value[i];
  return found;
}
// [body]

// [bounds]
__global__ void count_freely(const float* in, int* out, int threads) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < threads) out[thread] = inversions(in, threads, thread);
}

/// Blocks of at most 256 threads, and four of them on an SM:
/// at most 65,536 / 1024 = 64 registers a thread.
__global__ void __launch_bounds__(256, 4)
    count_bounded(const float* in, int* out, int threads) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < threads) out[thread] = inversions(in, threads, thread);
}

/// Six such blocks on an SM: at most 65,536 / 1536 = 42 registers a thread,
/// in steps of 8, so 40.
__global__ void __launch_bounds__(256, 6)
    count_squeezed(const float* in, int* out, int threads) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < threads) out[thread] = inversions(in, threads, thread);
}
// [bounds]

using counter = void (*)(const float*, int*, int);

int main() {
  constexpr int threads = 300;
  std::vector<float> in(kept * threads);
  for (int k = 0; k < kept; ++k)
    for (int t = 0; t < threads; ++t)
      in[k * threads + t] = static_cast<float>((k * 37 + t * 11) % 101);
  float* device_in = nullptr;
  int* device_out = nullptr;
  bool right = cudaMalloc(&device_in, in.size() * sizeof(float)) == cudaSuccess &&
               cudaMalloc(&device_out, threads * sizeof(int)) == cudaSuccess &&
               cudaMemcpy(device_in, in.data(), in.size() * sizeof(float),
                          cudaMemcpyHostToDevice) == cudaSuccess;
  for (const counter kernel : {count_freely, count_bounded, count_squeezed}) {
    std::vector<int> out(threads, -1);
    kernel<<<(threads + 255) / 256, 256>>>(device_in, device_out, threads);
    right = right && cudaGetLastError() == cudaSuccess &&
            cudaMemcpy(out.data(), device_out, threads * sizeof(int), cudaMemcpyDeviceToHost) ==
                cudaSuccess;
    for (int t = 0; t < threads; ++t) {
      int expected = 0;
      for (int i = 0; i < kept; ++i)
        for (int j = i + 1; j < kept; ++j)
          expected += in[j * threads + t] < in[i * threads + t];
      right = right && out[t] == expected;
    }
  }
  cudaFree(device_in);
  cudaFree(device_out);
  std::printf("inversions counted three times: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
