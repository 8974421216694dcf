/// @file
/// EXERCISE_NAME: the one file of this exercise that is edited and handed in; the contract is in EXERCISE_NAME.cuh, the task
/// in README.md.
#include "EXERCISE_NAME.cuh"

// >>> your code
// TODO(author): the hardware's limit. Until then: four loads before the first store.
constexpr unsigned int block_threads = 256, each = 4;

/// Launch contract: one-dimensional grid with a block for each 1024 elements; blocks of 256 threads.
__global__ void copy_kernel(float* out, const float* __restrict__ in, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * block_threads * each + threadIdx.x;
  float mine[each];
#pragma unroll
  for (unsigned int k = 0; k < each; ++k) {
    const std::size_t i = first + k * block_threads;
    mine[k] = i < n ? in[i] : 0;
  }
#pragma unroll
  for (unsigned int k = 0; k < each; ++k) {
    const std::size_t i = first + k * block_threads;
    if (i < n) out[i] = mine[k];
  }
}

extern "C" void EXERCISE_NAME_run(float* out, const float* in, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t per_block = block_threads * each;
  const auto blocks = static_cast<unsigned int>((n + per_block - 1) / per_block);
  copy_kernel<<<blocks, block_threads, 0, stream>>>(out, in, n);
}
// <<< your code
