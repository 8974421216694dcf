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

constexpr int radius = 3;
constexpr int margin = 4;  // of the tile on both sides: a bulk copy's addresses are multiples of 16 bytes
constexpr unsigned int block_threads = 256;
constexpr unsigned int tile_floats = block_threads + 2 * margin;

__global__ void seven(const float* in, float* out, std::size_t n) {
  alignas(128) __shared__ float tile[tile_floats];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier arrived;
  if (threadIdx.x == 0) {
    init(&arrived, block_threads);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();

  const std::size_t first = std::size_t{blockIdx.x} * block_threads;
  block_barrier::arrival_token token;
  if (threadIdx.x == 0) {
    // The last block's tile may end among the ghosts, of which there are 32.
    const std::size_t left = n - first + 2 * margin;
    const std::size_t wanted = left < tile_floats ? left : tile_floats;
    const unsigned int bytes = static_cast<unsigned int>((wanted + 3) / 4 * 16);
    cuda::device::memcpy_async_tx(tile, in + first - margin, cuda::aligned_size_t<16>(bytes), arrived);
    token = cuda::device::barrier_arrive_tx(arrived, 1, bytes);
  } else {
    token = arrived.arrive();
  }
  arrived.wait(cuda::std::move(token));

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
