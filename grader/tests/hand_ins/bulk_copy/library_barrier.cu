// expect: pass
/// @file
/// Sound in another style: the library's own barrier, whose tokens say which phase to wait for, and its bulk copies. All
/// threads wait.
#include <cuda/barrier>
#include <cuda/ptx>

#include "bulk_copy.cuh"

constexpr std::uint32_t tile_bytes = 4096;

__global__ void copy(float* dst, const float* src, std::size_t n) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  alignas(128) __shared__ float tile[tile_bytes / 4];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  const std::size_t whole = n / 4 * 4;  // floats that bulk copies can move
  for (std::size_t at = std::size_t{blockIdx.x} * (tile_bytes / 4); at < whole;
       at += std::size_t{gridDim.x} * (tile_bytes / 4)) {
    const auto bytes = static_cast<std::uint32_t>(min(std::size_t{tile_bytes}, (whole - at) * 4));
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(tile, src + at, cuda::aligned_size_t<16>(bytes), full);
      token = cuda::device::barrier_arrive_tx(full, 1, bytes);
    } else {
      token = full.arrive();
    }
    full.wait(std::move(token));
    if (threadIdx.x == 0) {
      cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, dst + at, tile, bytes);
      cuda::ptx::cp_async_bulk_commit_group();
      cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
    __syncthreads();
  }
  if (blockIdx.x == 0 && whole + threadIdx.x < n) dst[whole + threadIdx.x] = src[whole + threadIdx.x];
}

extern "C" void bulk_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  copy<<<static_cast<unsigned int>(16 * sms), 64, 0, stream>>>(dst, src, n);
}
