// expect: pass
/// @file
/// Sound in another style: bulk copies, two buffers, a barrier each. It asks for the next tile after the wait for this one, and before
/// it uses it.
#include <cuda/ptx>

#include "async_tile.cuh"

namespace ptx = cuda::ptx;
constexpr unsigned int tile = async_tile_floats;
__global__ void turn(float* out, const float* in, std::size_t n) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  alignas(128) __shared__ float buffers[2][tile];
  __shared__ std::uint64_t full[2];
  if (threadIdx.x == 0) {
    for (auto& b : full) ptx::mbarrier_init(&b, 1);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  const std::size_t stride = std::size_t{gridDim.x} * tile, whole = n / tile * tile;
  const auto ask = [&](unsigned int into, std::size_t first) {
    if (threadIdx.x != 0 || first >= whole) return;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[into],
                                   tile * 4);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffers[into], in + first, tile * 4,
                       &full[into]);
  };
  std::size_t first = std::size_t{blockIdx.x} * tile;
  ask(0, first);
  for (unsigned int k = 0; first < whole; first += stride, ++k) {
    while (!ptx::mbarrier_try_wait_parity(&full[k % 2], k / 2 % 2)) {
    }
    __syncthreads();
    ask((k + 1) % 2, first + stride);
    for (unsigned int j = threadIdx.x; j < tile; j += blockDim.x)
      out[first + j] = buffers[k % 2][tile - 1 - j];
  }
  if (blockIdx.x == 0)
    for (std::size_t j = threadIdx.x; j < n - whole; j += blockDim.x) out[whole + j] = in[n - 1 - j];
#endif
}
extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n > 0) turn<<<blocks, 512, 0, stream>>>(out, in, n);
}
