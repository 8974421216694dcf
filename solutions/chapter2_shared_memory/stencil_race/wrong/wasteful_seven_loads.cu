// expect: wasteful
/// @file
/// stencil_race: sums of seven neighbours from a tile, and one mistake. The one file of this exercise that is
/// edited and handed in; the contract is in stencil_race.cuh, the task in README.md.
#include "stencil_race.cuh"

// >>> your code
constexpr int radius = 3;
constexpr unsigned int block_threads = 256;

/// Writes out[i] for one i a thread. No race, since nothing is shared: all seven values come from global memory.
/// Launch contract: one-dimensional grid of at least n threads, blocks of block_threads threads.
__global__ void stencil_race_kernel(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float* center = in + i;
  if (i < n) {
    float sum = 0.0f;
    for (int d = -radius; d <= radius; ++d) sum += center[d];
    out[i] = sum;
  }
}

extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t blocks = (n + block_threads - 1) / block_threads;
  stencil_race_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code
