// expect: too_slow|wasteful
/// @file
/// async_tile: tiles that are turned round, while the next ones are on their way. The one file of this exercise that is
/// edited and handed in; the contract is in async_tile.cuh, the task in README.md.
#include "async_tile.cuh"

// >>> your code
#include <cuda_pipeline.h>

constexpr unsigned int block_threads = 256;
constexpr unsigned int piece = 4 * block_threads;  // floats: 4 KB, a quarter of a tile

/// Turns whole tiles by quarters, with the next quarter on its way: right, but 4 KB an SM are far too few.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void async_tile_kernel(float* out, const float* in, std::size_t n) {
  alignas(16) __shared__ float4 buffer[2][block_threads];
  constexpr unsigned int pieces = async_tile_floats / piece;
  const std::size_t tiles = n / async_tile_floats;
  const std::size_t mine = tiles > blockIdx.x ? (tiles - 1 - blockIdx.x) / gridDim.x + 1 : 0;
  const auto start_of = [](std::size_t k) {
    return (blockIdx.x + k / pieces * gridDim.x) * async_tile_floats + k % pieces * piece;
  };
  const auto ask_for = [&](std::size_t k) {
    if (k < mine * pieces)
      __pipeline_memcpy_async(&buffer[k % 2][threadIdx.x], in + start_of(k) + 4 * threadIdx.x, 16);
    __pipeline_commit();
  };

  ask_for(0);
  for (std::size_t k = 0; k < mine * pieces; ++k) {
    ask_for(k + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    const float4 x = buffer[k % 2][block_threads - 1 - threadIdx.x];
    const std::size_t first = start_of(k) - k % pieces * piece + (pieces - 1 - k % pieces) * piece;
    reinterpret_cast<float4*>(out + first)[threadIdx.x] = make_float4(x.w, x.z, x.y, x.x);
    __syncthreads();
  }

  const std::size_t whole = tiles * async_tile_floats;
  if (blockIdx.x == 0)  // the last tile of all
    for (std::size_t k = threadIdx.x; k < n - whole; k += block_threads) out[whole + k] = in[n - 1 - k];
}

extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n > 0) async_tile_kernel<<<blocks, block_threads, 0, stream>>>(out, in, n);
}
// <<< your code
