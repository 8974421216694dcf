// expect: wrong_result
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
  alignas(16) __shared__ float tile[tile_outputs + 2 * radius];  // tile[k] is in[first + k - radius]
  bool is_first = true;
  for (std::size_t first = std::size_t{blockIdx.x} * tile_outputs; first < n;
       first += std::size_t{gridDim.x} * tile_outputs) {
    const float* from = in + first - radius;
    for (unsigned int k = threadIdx.x; k < tile_outputs + 2 * radius; k += block_threads)
      // wrong: the later tiles keep the halos of the first
      if (first + k < n + 2 * radius && (is_first || (k >= radius && k < tile_outputs + radius)))
        tile[k] = from[k];
    __syncthreads();  // the whole tile stands before anybody reads a neighbour's value
    for (unsigned int k = threadIdx.x; k < tile_outputs; k += block_threads) {
      if (first + k < n) {
        float sum = 0.0f;
        for (int d = 0; d <= 2 * radius; ++d) sum += tile[k + d];
        out[first + k] = sum;
      }
    }
    __syncthreads();  // everybody has read before the next turn overwrites the tile
    is_first = false;
  }
}

extern "C" void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t wanted = (n + tile_outputs - 1) / tile_outputs;
  const std::size_t blocks = wanted < 64 ? wanted : 64;  // each block takes one tile after the other
  stencil_1d_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code
