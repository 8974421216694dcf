// expect: wasteful
/// @file
/// bulk_copy: a copy whose bytes no thread touches. The one file of this exercise that is edited and handed in;
/// the contract is in bulk_copy.cuh, the task in README.md.
#include "bulk_copy.cuh"

// >>> your code
constexpr std::uint32_t tile_bytes = 4096;  // a multiple of 16
constexpr unsigned int tiles_a_block = 8;
constexpr unsigned int block_threads = 32;  // one of them drives the copies
constexpr std::size_t block_bytes = std::size_t{tiles_a_block} * tile_bytes;

/// Copies eight neighbouring tiles a block, each with a buffer and a barrier of its own: right, but who has a barrier
/// for each tile need not know what a phase is.
/// Launch contract: one-dimensional grid, one block for each block_bytes begun, blocks of block_threads threads.
__global__ void bulk_copy_kernel(float* dst, const float* src, std::size_t n) {
  alignas(128) __shared__ char tile[tiles_a_block][tile_bytes];
  __shared__ std::uint64_t barrier[tiles_a_block];
  const std::size_t bulk_bytes = n * sizeof(float) / 16 * 16;
  const std::size_t first = std::size_t{blockIdx.x} * block_bytes;
  if (threadIdx.x == 0) {
    const auto bytes_of = [=](unsigned int k) {
      const std::size_t at = first + std::size_t{k} * tile_bytes;
      const std::size_t left = at < bulk_bytes ? bulk_bytes - at : 0;
      return static_cast<std::uint32_t>(left < tile_bytes ? left : tile_bytes);
    };
    for (unsigned int k = 0; k < tiles_a_block; ++k) barrier_init(&barrier[k]);
    for (unsigned int k = 0; k < tiles_a_block && bytes_of(k) > 0; ++k) {
      expect_bytes(&barrier[k], bytes_of(k));
      bulk_load(tile[k], reinterpret_cast<const char*>(src) + first + k * tile_bytes, bytes_of(k),
                &barrier[k]);
    }
    for (unsigned int k = 0; k < tiles_a_block && bytes_of(k) > 0; ++k) {
      wait_phase(&barrier[k], 0);
      bulk_store(reinterpret_cast<char*>(dst) + first + k * tile_bytes, tile[k], bytes_of(k));
    }
    bulk_store_wait_read<0>();
  }
  const std::size_t done = bulk_bytes / sizeof(float);
  if (blockIdx.x == 0 && done + threadIdx.x < n) dst[done + threadIdx.x] = src[done + threadIdx.x];
}

extern "C" void bulk_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t blocks = (n * sizeof(float) + block_bytes - 1) / block_bytes;
  bulk_copy_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(dst, src, n);
}
// <<< your code
