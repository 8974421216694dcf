// expect: wasteful
/// @file
/// phase_flip: a walk over tiles that the copy engine brings, and one mistake. The one file of this exercise that is
/// edited and handed in; the contract is in phase_flip.cuh, the task in README.md.
#include "phase_flip.cuh"

// >>> your code
constexpr std::uint32_t tile_floats = 2048;  // 8 KB, a multiple of 16 bytes
constexpr unsigned int block_threads = 256;
constexpr unsigned int most_tiles = 64;  // of a block in one launch, with a barrier each

/// Multiplies up to most_tiles tiles a block, through one buffer: right, but who has a barrier for each tile need not
/// know what a phase is.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; at most most_tiles tiles a block.
__global__ void phase_flip_kernel(float* out, const float* in, std::size_t n, float factor) {
  alignas(128) __shared__ float tile[tile_floats];
  __shared__ std::uint64_t full[most_tiles];
  const std::size_t whole = n / 4 * 4;
  if (threadIdx.x == 0)
    for (auto& barrier : full) barrier_init(&barrier);
  __syncthreads();

  for (unsigned int k = 0; k < most_tiles; ++k) {
    const std::size_t first = (blockIdx.x + std::size_t{k} * gridDim.x) * tile_floats;
    if (first >= whole) break;
    const auto count = static_cast<std::uint32_t>(whole - first < tile_floats ? whole - first : tile_floats);
    if (threadIdx.x == 0) {
      expect_bytes(&full[k], count * sizeof(float));
      bulk_load(tile, in + first, count * sizeof(float), &full[k]);
    }
    wait_phase(&full[k], 0);
    for (std::uint32_t i = threadIdx.x; i < count; i += block_threads) out[first + i] = factor * tile[i];
    __syncthreads();
  }

  const std::size_t i = whole + threadIdx.x;
  if (blockIdx.x == 0 && i < n) out[i] = factor * in[i];
}

extern "C" void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                               cudaStream_t stream) {
  const std::size_t floats_a_launch = std::size_t{blocks} * most_tiles * tile_floats;
  for (std::size_t at = 0; at < n; at += floats_a_launch) {
    const std::size_t count = n - at < floats_a_launch ? n - at : floats_a_launch;
    phase_flip_kernel<<<blocks, block_threads, 0, stream>>>(out + at, in + at, count, factor);
  }
}
// <<< your code
