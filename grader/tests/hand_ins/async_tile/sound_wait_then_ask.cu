// expect: pass
/// @file
/// Sound in another style: two buffers and one barrier a turn. It waits for all that is on its way, and asks for the next tile
/// after the barrier, before it uses this one.
#include <cuda_pipeline.h>

#include "async_tile.cuh"

constexpr unsigned int tile = async_tile_floats;

__device__ void ask(float* to, const float* in, std::size_t n, std::size_t first) {
  if (first < n) {
    const std::size_t left = n - first;
    for (unsigned int k = 4 * threadIdx.x; k < tile && k < left; k += 4 * blockDim.x) {
      if (k + 4 <= left)
        __pipeline_memcpy_async(to + k, in + first + k, 16);
      else
        for (unsigned int j = k; j < left; ++j) __pipeline_memcpy_async(to + j, in + first + j, 4);
    }
  }
  __pipeline_commit();
}

__global__ void turn(float* out, const float* in, std::size_t n) {
  alignas(16) __shared__ float buffers[2][tile];
  const std::size_t stride = std::size_t{gridDim.x} * tile;
  std::size_t first = std::size_t{blockIdx.x} * tile;
  ask(buffers[0], in, n, first);
  for (int now = 0; first < n; first += stride, now = 1 - now) {
    __pipeline_wait_prior(0);
    __syncthreads();
    ask(buffers[1 - now], in, n, first + stride);
    const unsigned int count = static_cast<unsigned int>(n - first < tile ? n - first : tile);
    for (unsigned int k = threadIdx.x; k < count; k += blockDim.x)
      out[first + k] = buffers[now][count - 1 - k];
  }
}

extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n > 0) turn<<<blocks, 1024, 0, stream>>>(out, in, n);
}
