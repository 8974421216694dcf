// expect: pass
/// @file
/// The block fetches its tile together with cuda::memcpy_async; a barrier tells when it has arrived.
#include "stencil_1d.cuh"

#include <cooperative_groups.h>
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int radius = 3;
constexpr int margin = 4;  // of the tile on both sides, so that sixteen bytes at a time may be copied
constexpr unsigned int block_threads = 256;
constexpr unsigned int tile_floats = block_threads + 2 * margin;

__global__ void seven(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[tile_floats];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier arrived;
  const auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&arrived, block.size());
  block.sync();

  const std::size_t first = std::size_t{blockIdx.x} * block_threads;
  const std::size_t left =
      n - first + 2 * margin;  // the last tile may end among the ghosts, of which there are 32
  const std::size_t floats = (left < tile_floats ? left + 3 : tile_floats) / 4 * 4;
  cuda::memcpy_async(block, tile, in + first - margin, cuda::aligned_size_t<16>(floats * sizeof(float)),
                     arrived);
  arrived.arrive_and_wait();

  const std::size_t i = first + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = -radius; d <= radius; ++d) sum += tile[static_cast<int>(threadIdx.x) + margin + d];
  out[i] = sum;
}

extern "C" void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  const std::size_t blocks = (n + block_threads - 1) / block_threads;
  if (blocks > 0) seven<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
