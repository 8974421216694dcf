// expect: too_slow|wasteful
/// @file
/// transpose_banks: a matrix transpose. The one file of this exercise that is edited and handed in; the
/// contract is in transpose_banks.cuh, the task in README.md.
#include "transpose_banks.cuh"

// >>> your code
constexpr unsigned int tile_side = 32;
constexpr unsigned int block_rows = 8;  // a thread moves tile_side / block_rows = 4 elements

/// Moves four neighbours of a row a thread, without a tile. Right, and all stores are rows; but the lanes of each load lie a row of in apart.
__global__ void transpose_banks_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const std::size_t r = std::size_t{blockIdx.y} * tile_side + threadIdx.x;
  const std::size_t first_col = std::size_t{blockIdx.x} * tile_side + tile_side / block_rows * threadIdx.y;
  for (std::size_t c = first_col; c < first_col + tile_side / block_rows; ++c)
    if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 threads(tile_side, block_rows);
  const dim3 blocks(static_cast<unsigned int>((cols + tile_side - 1) / tile_side),
                    static_cast<unsigned int>((rows + tile_side - 1) / tile_side));
  transpose_banks_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, cols);
}
// <<< your code
