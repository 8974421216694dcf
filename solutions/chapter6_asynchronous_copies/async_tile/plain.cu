/// @file
/// async_tile: tiles that are turned round, while the next ones are on their way. The one file of this exercise that is
/// edited and handed in; the contract is in async_tile.cuh, the task in README.md.
#include "async_tile.cuh"

// >>> your code
#include <cuda_pipeline.h>

constexpr unsigned int block_threads = 512;

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

/// Turns the tiles blockIdx.x, blockIdx.x + gridDim.x, ...: one of them is used while the next one comes.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void async_tile_kernel(float* out, const float* in, std::size_t n) {
  alignas(16) __shared__ float tile[2][async_tile_floats];
  const std::size_t stride = std::size_t{gridDim.x} * async_tile_floats;
  const auto floats_at = [n](std::size_t first) {
    const std::size_t left = first < n ? n - first : 0;
    return static_cast<unsigned int>(left < async_tile_floats ? left : async_tile_floats);
  };

  std::size_t first = std::size_t{blockIdx.x} * async_tile_floats;
  ask_for(tile[0], in + first, floats_at(first));
  __pipeline_commit();
  for (unsigned int buffer = 0; first < n; first += stride, buffer ^= 1) {
    if (first + stride < n) ask_for(tile[buffer ^ 1], in + first + stride, floats_at(first + stride));
    __pipeline_commit();       // at the end an empty group, so that the count below stays right
    __pipeline_wait_prior(1);  // all but the latest group: my part of this tile is here
    __syncthreads();           // and everybody else's
    put_turned(out + first, tile[buffer], floats_at(first));
    __syncthreads();  // all have used it: its buffer may be filled again
  }
}

extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + async_tile_floats - 1) / async_tile_floats;
  const auto grid = static_cast<unsigned int>(tiles < blocks ? tiles : blocks);
  async_tile_kernel<<<grid, block_threads, 0, stream>>>(out, in, n);
}
// <<< your code
