/// @file
/// bulk_copy: a copy whose bytes no thread touches. The one file of this exercise that is edited and handed in;
/// the contract is in bulk_copy.cuh, the task in README.md.
#include "bulk_copy.cuh"

// >>> your code
constexpr std::uint32_t tile_bytes = 8192;  // a multiple of 16
constexpr unsigned int block_threads = 32;  // one of them drives the copies
constexpr unsigned int blocks_a_sm = 16;    // their tiles are in flight together

/// Copies the tiles blockIdx.x, blockIdx.x + gridDim.x, ... through one buffer, and what is left at the end by hand.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void bulk_copy_kernel(float* dst, const float* src, std::size_t n) {
  alignas(128) __shared__ char tile[tile_bytes];
  __shared__ std::uint64_t barrier;
  const std::size_t bulk_bytes = n * sizeof(float) / 16 * 16;
  if (threadIdx.x == 0) barrier_init(&barrier);
  __syncthreads();

  // Given: where this block's tiles begin, and how long each of them is; the last one of all may be shorter.
  for (std::size_t at = std::size_t{blockIdx.x} * tile_bytes; at < bulk_bytes;
       at += std::size_t{gridDim.x} * tile_bytes) {
    const auto bytes =
        static_cast<std::uint32_t>(bulk_bytes - at < tile_bytes ? bulk_bytes - at : tile_bytes);
    // TODO 1: bring these bytes into the tile, wait until they are there, send them on, and do not come back for the
    // next tile too early. The functions are in copy_engine.cuh; one thread calls them. The same barrier serves
    // all tiles of this block: which of its phases does each of them wait for?
  }

  // TODO 2: up to three floats are left that no bulk copy can move.
}

extern "C" void bulk_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  // TODO 3: launch it. Enough blocks to fill the GPU, blocks_a_sm on each SM, and few enough that each has several
  // tiles to copy.
}
// <<< your code
