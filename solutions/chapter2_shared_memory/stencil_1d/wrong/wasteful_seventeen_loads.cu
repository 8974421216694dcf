// expect: wasteful|too_slow
/// @file
/// stencil_1d: sums of seventeen neighbours. The one file of this exercise that is edited and handed in; the
/// contract is in stencil_1d.cuh, the task in README.md.
#include "stencil_1d.cuh"

// >>> your code
constexpr int radius = 8;
constexpr unsigned int block_threads = 256;
constexpr unsigned int outputs_a_thread = 4;
constexpr unsigned int tile_outputs = block_threads * outputs_a_thread;

/// Writes tile_outputs outputs a block, four a thread, from a tile that the block fetches once.
/// Launch contract: one-dimensional grid of at least n / tile_outputs blocks of block_threads threads.
__global__ void stencil_1d_kernel(const float* in, float* out, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * tile_outputs;
  for (unsigned int k = threadIdx.x; k < tile_outputs; k += block_threads) {
    if (first + k < n) {
      const float* from = in + first + k - radius;  // right, but every input is fetched seventeen times
      float sum = 0.0f;
      for (int d = 0; d <= 2 * radius; ++d) sum += from[d];
      out[first + k] = sum;
    }
  }
}

extern "C" void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t blocks = (n + tile_outputs - 1) / tile_outputs;
  stencil_1d_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code
