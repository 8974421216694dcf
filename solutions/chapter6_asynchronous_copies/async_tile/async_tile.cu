/// @file
/// async_tile: tiles that are turned round, while the next ones are on their way. The one file of this exercise that is
/// edited and handed in; the contract is in async_tile.cuh, the task in README.md.
#include "async_tile.cuh"

// >>> your code
#include <cuda_pipeline.h>

constexpr unsigned int block_threads = 512;
constexpr unsigned int stages = 4;  // buffers in the ring: up to three tiles come while one is used
constexpr unsigned int ring_bytes = stages * async_tile_floats * sizeof(float);  // 64 KB

/// Writes the @p count floats of a tile to @p out, the last one first. Called by all threads of the block.
__device__ void put_turned(float* out, const float* tile, unsigned int count) {
  if (count == async_tile_floats) {
    const auto* const from = reinterpret_cast<const float4*>(tile);
    for (unsigned int v = threadIdx.x; v < async_tile_floats / 4; v += block_threads) {
      const float4 x = from[async_tile_floats / 4 - 1 - v];
      reinterpret_cast<float4*>(out)[v] = make_float4(x.w, x.z, x.y, x.x);
    }
  } else {  // the last tile of all
    for (unsigned int k = threadIdx.x; k < count; k += block_threads) out[k] = tile[count - 1 - k];
  }
}

/// Asks for a tile: @p count floats, each thread for its part. Nobody waits.
__device__ void ask_for(float* tile, const float* in, unsigned int count) {
  for (unsigned int k = 4 * threadIdx.x; k + 4 <= count; k += 4 * block_threads)
    __pipeline_memcpy_async(tile + k, in + k, 16);
  const unsigned int rest = count / 4 * 4 + threadIdx.x;  // up to three floats are no float4
  if (rest < count) __pipeline_memcpy_async(tile + rest, in + rest, 4);
}

/// Turns the tiles blockIdx.x, blockIdx.x + gridDim.x, ...: one of them is used while the next ones come.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks; ring_bytes of
/// dynamic shared memory.
__global__ void __launch_bounds__(block_threads)
    async_tile_kernel(float* __restrict__ out, const float* __restrict__ in, std::size_t n) {
  extern __shared__ float4 ring[];
  const auto buffer_of = [](unsigned int k) {
    return reinterpret_cast<float*>(ring) + k % stages * async_tile_floats;
  };
  const std::size_t stride = std::size_t{gridDim.x} * async_tile_floats;
  const auto floats_at = [n](std::size_t first) {
    const std::size_t left = first < n ? n - first : 0;
    return static_cast<unsigned int>(left < async_tile_floats ? left : async_tile_floats);
  };
  std::size_t next = std::size_t{blockIdx.x} * async_tile_floats;  // the tile to ask for
  const auto ask_for_next = [&](unsigned int k) {
    if (next < n) ask_for(buffer_of(k), in + next, floats_at(next));
    __pipeline_commit();  // at the end an empty group, so that the wait's count stays right
    next += stride;
  };

  for (unsigned int k = 0; k < stages - 1; ++k) ask_for_next(k);
  std::size_t first = std::size_t{blockIdx.x} * async_tile_floats;
  for (unsigned int k = 0; first < n; ++k, first += stride) {
    __pipeline_wait_prior(stages - 2);  // my part of tile k is here
    __syncthreads();                    // everybody's is, and all have used tile k - 1
    ask_for_next(k + stages - 1);       // which lay in the buffer that is filled now
    put_turned(out + first, buffer_of(k), floats_at(first));
  }
}

extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n == 0) return;
  // More than 48 KB must be asked for.
  cudaFuncSetAttribute(async_tile_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ring_bytes);
  const std::size_t tiles = (n + async_tile_floats - 1) / async_tile_floats;
  const auto grid = static_cast<unsigned int>(tiles < blocks ? tiles : blocks);
  async_tile_kernel<<<grid, block_threads, ring_bytes, stream>>>(out, in, n);
}
// <<< your code
