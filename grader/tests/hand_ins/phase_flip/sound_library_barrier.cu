// expect: pass
/// @file
/// Sound in another style: the library's own barrier. Its tokens say which phase a wait means, and nobody keeps a parity.
#include <cuda/barrier>
#include <cuda/ptx>

#include "phase_flip.cuh"

constexpr std::uint32_t tile_floats = 1024;

__global__ void products(float* out, const float* in, std::size_t n, float factor) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  alignas(128) __shared__ float tile[tile_floats];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  const std::size_t whole = n / 4 * 4;
  for (std::size_t at = std::size_t{blockIdx.x} * tile_floats; at < whole;
       at += std::size_t{gridDim.x} * tile_floats) {
    const auto count = static_cast<std::uint32_t>(min(std::size_t{tile_floats}, whole - at));
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(tile, in + at, cuda::aligned_size_t<16>(count * sizeof(float)), full);
      token = cuda::device::barrier_arrive_tx(full, 1, count * sizeof(float));
    } else {
      token = full.arrive();
    }
    full.wait(std::move(token));
    for (std::uint32_t k = threadIdx.x; k < count; k += blockDim.x) out[at + k] = factor * tile[k];
    __syncthreads();
  }
  if (blockIdx.x == 0 && whole + threadIdx.x < n) out[whole + threadIdx.x] = factor * in[whole + threadIdx.x];
}

extern "C" void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                               cudaStream_t stream) {
  if (n > 0) products<<<blocks, 128, 0, stream>>>(out, in, n, factor);
}
