// expect: pass
/// @file
/// Sound in another style: the products stay in the tile, and a bulk store sends them. So the threads' writes need a fence
/// before the engine reads them, and the buffer is free only when the store has read it.
#include <cuda/ptx>

#include "phase_flip.cuh"

namespace ptx = cuda::ptx;
constexpr std::uint32_t tile_floats = 4096;

__global__ void products(float* out, const float* in, std::size_t n, float factor) {
  alignas(128) __shared__ float tile[tile_floats];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) barrier_init(&full);
  __syncthreads();
  const std::size_t whole = n & ~std::size_t{3};
  bool odd = false;
  for (std::size_t at = std::size_t{blockIdx.x} * tile_floats; at < whole;
       at += std::size_t{gridDim.x} * tile_floats, odd = !odd) {
    const auto count = static_cast<std::uint32_t>(whole - at < tile_floats ? whole - at : tile_floats);
    if (threadIdx.x == 0) {
      expect_bytes(&full, count * 4);
      bulk_load(tile, in + at, count * 4, &full);
    }
    wait_phase(&full, odd ? 1 : 0);
    for (std::uint32_t k = threadIdx.x; k < count; k += blockDim.x) tile[k] *= factor;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + at, tile, count * 4);
      ptx::cp_async_bulk_commit_group();
      ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    __syncthreads();
  }
  if (blockIdx.x == 0 && threadIdx.x < n - whole) out[whole + threadIdx.x] = factor * in[whole + threadIdx.x];
}

extern "C" void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                               cudaStream_t stream) {
  if (n > 0) products<<<blocks, 256, 0, stream>>>(out, in, n, factor);
}
