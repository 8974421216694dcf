// expect: pass
/// @file
/// Sound in another style: the library's copies over a barrier for each buffer. On a card of compute capability 9.0 they may go
/// by the copy engine.
#include <cooperative_groups.h>

#include <cuda/barrier>

#include "async_tile.cuh"

constexpr unsigned int tile = async_tile_floats;

__global__ void turn(float* out, const float* in, std::size_t n) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  alignas(128) __shared__ float buffers[2][tile];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier ready[2];
  const auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0)
    for (auto& each : ready) init(&each, block.size());
  block.sync();
  const std::size_t stride = std::size_t{gridDim.x} * tile;
  const auto ask = [&](int into, std::size_t first) {
    if (first >= n) return;
    if (n - first >= tile)
      cuda::memcpy_async(block, buffers[into], in + first, cuda::aligned_size_t<16>(tile * sizeof(float)),
                         ready[into]);
    else
      cuda::memcpy_async(block, buffers[into], in + first,
                         cuda::aligned_size_t<4>((n - first) * sizeof(float)), ready[into]);
  };
  std::size_t first = std::size_t{blockIdx.x} * tile;
  ask(0, first);
  for (int now = 0; first < n; first += stride, now ^= 1) {
    ask(now ^ 1, first + stride);
    ready[now].arrive_and_wait();
    const unsigned int count = static_cast<unsigned int>(n - first < tile ? n - first : tile);
    for (unsigned int k = threadIdx.x; k < count; k += blockDim.x)
      out[first + k] = buffers[now][count - 1 - k];
    block.sync();
  }
}

extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n > 0) turn<<<blocks, 256, 0, stream>>>(out, in, n);
}
