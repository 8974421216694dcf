// expect: too_slow
/// @file
/// stencil_1d: sums of seventeen neighbours. The one file of this exercise that is edited and handed in; the
/// contract is in stencil_1d.cuh, the task in README.md.
#include "stencil_1d.cuh"

// >>> your code
constexpr int radius = 8;
constexpr unsigned int block_threads = 16;  // right, but half of each warp is empty
constexpr unsigned int outputs_a_thread = 1;
constexpr unsigned int tile_outputs = block_threads * outputs_a_thread;

/// Writes tile_outputs outputs a block, four a thread, from a tile that the block fetches once.
/// Launch contract: one-dimensional grid of at least n / tile_outputs blocks of block_threads threads.
__global__ void stencil_1d_kernel(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[tile_outputs + 2 * radius];  // tile[k] is in[first + k - radius]
  const std::size_t first = std::size_t{blockIdx.x} * tile_outputs;
  const float* from = in + first - radius;

  // Inputs up to in[n + radius - 1] are needed; in the last block, the rest of the tile stays empty.
  for (unsigned int k = threadIdx.x; k < tile_outputs + 2 * radius; k += block_threads)
    if (first + k < n + 2 * radius) tile[k] = from[k];
  __syncthreads();  // the whole tile stands before anybody reads a neighbour's value

  for (unsigned int k = threadIdx.x; k < tile_outputs; k += block_threads) {
    if (first + k < n) {
      float sum = 0.0f;
      for (int d = 0; d <= 2 * radius; ++d) sum += tile[k + d];
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
