// expect: pass
/// @file
/// The tile is filled by asynchronous copies, four bytes each, and no register sees the way in.
#include "transpose_banks.cuh"

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

constexpr unsigned int side = 32, block_rows = 8;

__global__ void turn(const float* in, float* out, std::size_t rows, std::size_t cols) {
  __shared__ float tile[side][side + 1];
  const std::size_t first_row = std::size_t{blockIdx.y} * side, first_col = std::size_t{blockIdx.x} * side;
  const unsigned int x = threadIdx.x;
  for (unsigned int k = threadIdx.y; k < side; k += block_rows)
    if (first_row + k < rows && first_col + x < cols)
      __pipeline_memcpy_async(&tile[k][x], in + (first_row + k) * cols + first_col + x, sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  cooperative_groups::this_thread_block().sync();
  for (unsigned int k = threadIdx.y; k < side; k += block_rows)
    if (first_row + x < rows && first_col + k < cols)
      out[(first_col + k) * rows + first_row + x] = tile[x][k];
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned int>((cols + side - 1) / side),
                    static_cast<unsigned int>((rows + side - 1) / side));
  if (rows > 0 && cols > 0) turn<<<blocks, dim3(side, block_rows), 0, stream>>>(in, out, rows, cols);
}
