// expect: pass
/// @file
/// One thread asks for a block's whole tile with a bulk copy (compute capability 9.0); an mbarrier tells when
/// the bytes have arrived.
#include "stencil_1d.cuh"

#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/utility>

namespace ptx = cuda::ptx;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int radius = 8;  // as many floats before a tile are two times sixteen bytes
constexpr unsigned int block_threads = 256;
constexpr unsigned int tile_outputs = 4 * block_threads;
constexpr unsigned int tile_floats = tile_outputs + 2 * radius;

__global__ void window_sums(const float* in, float* out, std::size_t n) {
  alignas(128) __shared__ float tile[tile_floats];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier arrived;
  if (threadIdx.x == 0) {
    init(&arrived, block_threads);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();

  const std::size_t first = std::size_t{blockIdx.x} * tile_outputs;
  block_barrier::arrival_token token;
  if (threadIdx.x == 0) {
    // The last block's tile may end among the ghosts, of which there are 32.
    const std::size_t left = n - first + 2 * radius;
    const std::size_t wanted = left < tile_floats ? left : tile_floats;
    const unsigned int bytes = static_cast<unsigned int>((wanted + 3) / 4 * 16);
    cuda::device::memcpy_async_tx(tile, in + first - radius, cuda::aligned_size_t<16>(bytes), arrived);
    token = cuda::device::barrier_arrive_tx(arrived, 1, bytes);
  } else {
    token = arrived.arrive();
  }
  arrived.wait(cuda::std::move(token));

  for (unsigned int k = threadIdx.x; k < tile_outputs && first + k < n; k += block_threads) {
    float sum = 0.0f;
    for (int d = 0; d <= 2 * radius; ++d) sum += tile[k + d];
    out[first + k] = sum;
  }
}

extern "C" void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  const std::size_t blocks = (n + tile_outputs - 1) / tile_outputs;
  if (blocks > 0) window_sums<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
