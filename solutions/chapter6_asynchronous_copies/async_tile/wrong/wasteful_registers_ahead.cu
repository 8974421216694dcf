// expect: wasteful
/// @file
/// async_tile: tiles that are turned round, while the next ones are on their way. The one file of this exercise that is
/// edited and handed in; the contract is in async_tile.cuh, the task in README.md.
#include "async_tile.cuh"

// >>> your code
constexpr unsigned int block_threads = 512;
constexpr unsigned int vectors_a_thread = async_tile_floats / 4 / block_threads;

/// Turns float4 by float4 in registers, with the next tile's loads begun before this tile's stores: right, but no tile is
/// in shared memory, and nothing comes past the registers.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void async_tile_kernel(float* out, const float* in, std::size_t n) {
  const std::size_t whole = n / async_tile_floats * async_tile_floats;
  const std::size_t stride = std::size_t{gridDim.x} * async_tile_floats;
  float4 now[vectors_a_thread], next[vectors_a_thread];
  const auto load = [=](float4(&to)[vectors_a_thread], std::size_t first) {
    for (unsigned int j = 0; j < vectors_a_thread; ++j)
      to[j] = reinterpret_cast<const float4*>(in + first)[threadIdx.x + j * block_threads];
  };

  std::size_t first = std::size_t{blockIdx.x} * async_tile_floats;
  if (first < whole) load(now, first);
  for (; first < whole; first += stride) {
    if (first + stride < whole) load(next, first + stride);
    for (unsigned int j = 0; j < vectors_a_thread; ++j) {
      const unsigned int v = async_tile_floats / 4 - 1 - (threadIdx.x + j * block_threads);
      reinterpret_cast<float4*>(out + first)[v] = make_float4(now[j].w, now[j].z, now[j].y, now[j].x);
      now[j] = next[j];
    }
  }
  if (blockIdx.x == 0)  // the last tile of all
    for (std::size_t k = threadIdx.x; k < n - whole; k += block_threads) out[whole + k] = in[n - 1 - k];
}

extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + async_tile_floats - 1) / async_tile_floats;
  const auto grid = static_cast<unsigned int>(tiles < blocks ? tiles : blocks);
  async_tile_kernel<<<grid, block_threads, 0, stream>>>(out, in, n);
}
// <<< your code
