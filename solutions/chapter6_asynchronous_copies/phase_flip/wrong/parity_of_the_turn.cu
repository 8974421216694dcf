// expect: race
/// @file
/// phase_flip: a walk over tiles that the copy engine brings, and one mistake. The one file of this exercise that is
/// edited and handed in; the contract is in phase_flip.cuh, the task in README.md.
#include "phase_flip.cuh"

// >>> your code
constexpr std::uint32_t tile_floats = 2048;  // 8 KB, a multiple of 16 bytes
constexpr unsigned int stages = 2;
constexpr unsigned int block_threads = 256;

/// Multiplies the tiles of a block through two buffers.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void phase_flip_kernel(float* out, const float* in, std::size_t n, float factor) {
  alignas(128) __shared__ float tile[stages][tile_floats];
  __shared__ std::uint64_t full[stages];
  const std::size_t whole = n / 4 * 4;
  if (threadIdx.x == 0)
    for (auto& barrier : full) barrier_init(&barrier);
  __syncthreads();

  for (unsigned int k = 0;; ++k) {
    const std::size_t first = (blockIdx.x + std::size_t{k} * gridDim.x) * tile_floats;
    if (first >= whole) break;
    const unsigned int stage = k % stages;
    const auto count = static_cast<std::uint32_t>(whole - first < tile_floats ? whole - first : tile_floats);
    if (threadIdx.x == 0) {
      expect_bytes(&full[stage], count * sizeof(float));
      bulk_load(tile[stage], in + first, count * sizeof(float), &full[stage]);
    }
    // wrong: right at the first tile. At the second it is met by a phase that never was, since each barrier has
    // a phase in every second turn only
    wait_phase(&full[stage], k & 1);
    for (std::uint32_t i = threadIdx.x; i < count; i += block_threads)
      out[first + i] = factor * tile[stage][i];
    __syncthreads();
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
