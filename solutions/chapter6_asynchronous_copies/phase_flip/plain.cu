/// @file
/// phase_flip: a walk over tiles that the copy engine brings, and one mistake. The one file of this exercise that is
/// edited and handed in; the contract is in phase_flip.cuh, the task in README.md.
#include "phase_flip.cuh"

// >>> your code
constexpr std::uint32_t tile_floats = 2048;  // 8 KB, a multiple of 16 bytes
constexpr unsigned int block_threads = 256;

/// Multiplies the tiles blockIdx.x, blockIdx.x + gridDim.x, ... and what is left at the end by hand.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void phase_flip_kernel(float* out, const float* in, std::size_t n, float factor) {
  alignas(128) __shared__ float tile[tile_floats];
  __shared__ std::uint64_t full;        // the buffer's barrier: a phase for each tile
  const std::size_t whole = n / 4 * 4;  // floats that bulk copies can bring
  if (threadIdx.x == 0) barrier_init(&full);
  __syncthreads();

  std::uint32_t phase = 0;  // every thread keeps its own
  for (std::size_t first = std::size_t{blockIdx.x} * tile_floats; first < whole;
       first += std::size_t{gridDim.x} * tile_floats) {
    const auto count = static_cast<std::uint32_t>(whole - first < tile_floats ? whole - first : tile_floats);
    if (threadIdx.x == 0) {
      expect_bytes(&full, count * sizeof(float));
      bulk_load(tile, in + first, count * sizeof(float), &full);
    }
    wait_phase(&full, phase);
    phase ^= 1;  // this one is complete: the next tile completes the next one
    for (std::uint32_t k = threadIdx.x; k < count; k += block_threads) out[first + k] = factor * tile[k];
    __syncthreads();  // all have read the tile: the next one may come
  }

  const std::size_t i = whole + threadIdx.x;
  if (blockIdx.x == 0 && i < n) out[i] = factor * in[i];
}

extern "C" void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                               cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + tile_floats - 1) / tile_floats;
  const auto grid = static_cast<unsigned int>(tiles < blocks ? tiles : blocks);
  phase_flip_kernel<<<grid, block_threads, 0, stream>>>(out, in, n, factor);
}
// <<< your code
