/// @file
/// A dot product: partial sums in shared memory, the blocks' sums by an atomic.
#include "buffer.cuh"

constexpr int kThreads = 128;

__global__ void dot(const float* a, const float* b, float* sum, int n) {
  __shared__ float cache[kThreads];
  float mine = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) mine += a[i] * b[i];
  cache[threadIdx.x] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) cache[threadIdx.x] += cache[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, cache[0]);
}

int main() {
  const int n = 33 * 1024;
  std::vector<float> a(n), b(n);
  double expected = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 7);
    b[i] = static_cast<float>(i % 5);
    expected += a[i] * b[i];
  }
  Buffer<float> d_a(a), d_b(b), sum(1);
  sum.clear();
  dot<<<32, kThreads>>>(d_a, d_b, sum, n);
  CHECK_LAUNCH();
  std::printf("dot = %.0f, expected %.0f\n", sum.host()[0], expected);
  return verdict(sum.host()[0] == static_cast<float>(expected));
}
