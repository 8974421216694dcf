// expect: wasteful
// says: 0 % of the bytes come by tensor copies
/// @file
/// swizzled_transpose: a matrix transpose whose tiles the copy engine brings. The one file of this exercise that is
/// edited and handed in; the contract is in swizzled_transpose.cuh, the task in README.md.
#include <cuda.h>  // CUtensorMap and its enumerations; nothing links to libcuda

#include "swizzled_transpose.cuh"

// >>> your code
constexpr unsigned int tile_side = 32;
constexpr unsigned int block_rows = 8;

struct swizzled_transpose_state {
  const float* in;
};

/// Chapter 2's tile: filled by threads, padded by a column. Right, and free of conflicts, and nothing comes by the copy engine.
/// Launch contract: blocks of 32 x 8 threads, one for each tile, tile columns along x and tile rows along y.
__global__ void swizzled_transpose_kernel(float* out, const float* in, std::size_t rows, std::size_t cols) {
  __shared__ float tile[tile_side][tile_side + 1];
  const std::size_t first_row = std::size_t{blockIdx.y} * tile_side;
  const std::size_t first_col = std::size_t{blockIdx.x} * tile_side;
  for (unsigned int k = threadIdx.y; k < tile_side; k += block_rows)
    if (first_row + k < rows && first_col + threadIdx.x < cols)
      tile[k][threadIdx.x] = in[(first_row + k) * cols + first_col + threadIdx.x];
  __syncthreads();
  for (unsigned int k = threadIdx.y; k < tile_side; k += block_rows)
    if (first_row + threadIdx.x < rows && first_col + k < cols)
      out[(first_col + k) * rows + first_row + threadIdx.x] = tile[threadIdx.x][k];
}

extern "C" swizzled_transpose_state* swizzled_transpose_setup(const float* in, std::size_t, std::size_t) {
  return new swizzled_transpose_state{in};
}

extern "C" void swizzled_transpose_run(swizzled_transpose_state* state, float* out, std::size_t rows,
                                       std::size_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 threads(tile_side, block_rows);
  const dim3 blocks(static_cast<unsigned int>((cols + tile_side - 1) / tile_side),
                    static_cast<unsigned int>((rows + tile_side - 1) / tile_side));
  swizzled_transpose_kernel<<<blocks, threads, 0, stream>>>(out, state->in, rows, cols);
}

extern "C" void swizzled_transpose_teardown(swizzled_transpose_state* state) {
  delete state;
}
// <<< your code
