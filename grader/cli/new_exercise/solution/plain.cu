/// @file
/// EXERCISE_NAME: the one file of this exercise that is edited and handed in; the contract is in EXERCISE_NAME.cuh, the task
/// in README.md.
#include "EXERCISE_NAME.cuh"

// >>> your code
// TODO(author): the lesson's technique and nothing more. Until then: one element a thread.
constexpr unsigned int block_threads = 256;

/// Launch contract: one-dimensional grid of at least n threads.
__global__ void copy_kernel(float* out, const float* in, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

extern "C" void EXERCISE_NAME_run(float* out, const float* in, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned int>((n + block_threads - 1) / block_threads);
  copy_kernel<<<blocks, block_threads, 0, stream>>>(out, in, n);
}
// <<< your code
