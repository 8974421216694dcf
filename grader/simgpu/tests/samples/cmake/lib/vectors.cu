/// @file
/// Kernels of the library.
#include "vectors.h"

#include <cmath>

#include "buffer.cuh"

namespace {

template <int threads>
__global__ void squares(const float* x, int n, float* partial) {
  __shared__ float sums[threads / 32];
  float sum = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) sum += x[i] * x[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (const float s : sums) total += s;
  partial[blockIdx.x] = total;
}

__global__ void multiply(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

}  // namespace

float vectors::norm(const float* x, int n) {
  constexpr int kBlocks = 8, kThreads = 128;
  Buffer<float> partial(kBlocks);
  squares<kThreads><<<kBlocks, kThreads>>>(x, n, partial);
  CHECK(cudaGetLastError());
  float sum = 0;
  for (const float p : partial.host()) sum += p;
  return std::sqrt(sum);
}

void vectors::scale(float* x, float factor, int n) {
  multiply<<<divide_up(n, 256), 256>>>(x, factor, n);
  CHECK(cudaGetLastError());
}
