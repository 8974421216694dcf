// expect: wasteful|too_slow off_the_idea
/// @file
/// block_reduction: the sum of many floats. The one file of this exercise that is edited and handed in; the
/// contract is in block_reduction.cuh, the task in README.md.
#include "block_reduction.cuh"

// >>> your code
constexpr unsigned int block_threads = 64;  // right, and only two atomics a block: but nothing is shared

/// Adds the block's share of the input to *out.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void block_reduction_kernel(const float* in, float* out, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) sum += in[i];

  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);

  int device = 0;
  int sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  const std::size_t resident = std::size_t(sm_count) * (2048 / block_threads);
  const std::size_t wanted = (n + block_threads - 1) / block_threads;
  const std::size_t blocks = wanted == 0 ? 1 : wanted < resident ? wanted : resident;
  block_reduction_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code
