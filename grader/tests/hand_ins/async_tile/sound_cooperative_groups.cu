// expect: pass
/// @file
/// Sound in another style: the copies of cooperative groups, and their wait, which is a barrier as well.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/barrier>

#include "async_tile.cuh"

namespace cg = cooperative_groups;
constexpr unsigned int tile = async_tile_floats;

__global__ void turn(float* out, const float* in, std::size_t n) {
  alignas(16) __shared__ float buffers[2][tile];
  const auto block = cg::this_thread_block();
  const std::size_t stride = std::size_t{gridDim.x} * tile;
  const auto floats_at = [n](std::size_t first) {
    return first < n ? static_cast<unsigned int>(n - first < tile ? n - first : tile) : 0u;
  };
  const auto ask = [&](float* to, std::size_t first) {
    const unsigned int count = floats_at(first), whole = count / 4 * 4;
    if (whole == tile)
      cg::memcpy_async(block, to, in + first, cuda::aligned_size_t<16>(tile * sizeof(float)));
    else if (count > 0)
      cg::memcpy_async(block, to, in + first, cuda::aligned_size_t<4>(count * sizeof(float)));
  };
  std::size_t first = std::size_t{blockIdx.x} * tile;
  ask(buffers[0], first);
  for (int now = 0; first < n; first += stride, now ^= 1) {
    if (first + stride < n) {
      ask(buffers[now ^ 1], first + stride);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    const unsigned int count = floats_at(first);
    for (unsigned int k = threadIdx.x; k < count; k += blockDim.x)
      out[first + k] = buffers[now][count - 1 - k];
    block.sync();
  }
}

extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n > 0) turn<<<blocks, 256, 0, stream>>>(out, in, n);
}
