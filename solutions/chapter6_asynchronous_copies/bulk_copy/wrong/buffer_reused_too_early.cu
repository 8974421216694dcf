// expect: race
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

  std::uint32_t phase = 0;
  for (std::size_t at = std::size_t{blockIdx.x} * tile_bytes; at < bulk_bytes;
       at += std::size_t{gridDim.x} * tile_bytes) {
    const auto bytes =
        static_cast<std::uint32_t>(bulk_bytes - at < tile_bytes ? bulk_bytes - at : tile_bytes);
    if (threadIdx.x == 0) {
      expect_bytes(&barrier, bytes);
      bulk_load(tile, reinterpret_cast<const char*>(src) + at, bytes, &barrier);
      wait_phase(&barrier, phase);
      bulk_store(reinterpret_cast<char*>(dst) + at, tile, bytes);
      // wrong: the next tile comes into bytes that are still being sent
      phase ^= 1;  // and completes the barrier's next phase
    }
  }

  if (threadIdx.x == 0) bulk_store_wait_read<0>();
  const std::size_t done = bulk_bytes / sizeof(float);
  if (blockIdx.x == 0 && done + threadIdx.x < n) dst[done + threadIdx.x] = src[done + threadIdx.x];
}

extern "C" void bulk_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  int device = 0;
  int sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  const std::size_t tiles = (n * sizeof(float) + tile_bytes - 1) / tile_bytes;
  const std::size_t resident = std::size_t(sm_count) * blocks_a_sm;
  const std::size_t blocks = tiles < resident ? tiles : resident;
  bulk_copy_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(dst, src, n);
}
// <<< your code
