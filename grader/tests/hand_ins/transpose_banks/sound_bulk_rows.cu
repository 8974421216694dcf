// expect: pass
// on gpu: too_slow
/// @file
/// The copy engine brings the rows of a tile (compute capability 9.0). They lie 36 words apart, since its addresses are multiples of 16
/// bytes: lanes in 8 rows and 4 columns then meet in 32 banks, and fill whole sectors of out.
#include "transpose_banks.cuh"

#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda/std/utility>

namespace ptx = cuda::ptx;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr unsigned int side = 32, pitch = 36, threads = 256;

__global__ void turn(const float* in, float* out, std::size_t rows, std::size_t cols) {
  alignas(128) __shared__ float tile[side][pitch];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier arrived;
  const unsigned int t = threadIdx.x;
  const std::size_t first_row = std::size_t{blockIdx.y} * side, first_col = std::size_t{blockIdx.x} * side;
  const std::size_t height = rows - first_row < side ? rows - first_row : side;
  const std::size_t width = cols - first_col < side ? cols - first_col : side;
  if (cols % 4 == 0) {
    if (t == 0) {
      init(&arrived, threads);
      ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    block_barrier::arrival_token token;
    const auto bytes = static_cast<unsigned int>(width * sizeof(float));
    if (t < height) {
      cuda::device::memcpy_async_tx(tile[t], in + (first_row + t) * cols + first_col,
                                    cuda::aligned_size_t<16>(bytes), arrived);
      token = cuda::device::barrier_arrive_tx(arrived, 1, bytes);
    } else {
      token = arrived.arrive();
    }
    arrived.wait(cuda::std::move(token));
  } else {
    for (unsigned int k = t / side; k < height; k += threads / side)
      if (t % side < width) tile[k][t % side] = in[(first_row + k) * cols + first_col + t % side];
    __syncthreads();
  }
  const unsigned int lane = t % 32, warp = t / 32;  // warp w takes four columns
  const unsigned int c = 4 * warp + lane / 8;
  for (unsigned int r = lane % 8; r < side; r += 8)
    if (r < height && c < width) out[(first_col + c) * rows + first_row + r] = tile[r][c];
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 blocks(static_cast<unsigned int>((cols + side - 1) / side),
                    static_cast<unsigned int>((rows + side - 1) / side));
  turn<<<blocks, threads, 0, stream>>>(in, out, rows, cols);
}
