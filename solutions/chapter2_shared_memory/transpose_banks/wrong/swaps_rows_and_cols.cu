// expect: wrong_result|out_of_bounds
/// @file
/// transpose_banks: a matrix transpose. The one file of this exercise that is edited and handed in; the
/// contract is in transpose_banks.cuh, the task in README.md.
#include "transpose_banks.cuh"

// >>> your code
constexpr unsigned int tile_side = 32;
constexpr unsigned int block_rows = 8;  // a thread moves tile_side / block_rows = 4 elements

/// Transposes one tile of 32 x 32 a block: rows of in to rows of out, both in full warps side by side.
/// Launch contract: blocks of 32 x 8 threads, one for each tile, tile columns along x and tile rows along y.
__global__ void transpose_banks_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  // One unused column: rows are 33 words apart, so the words of a column lie in 32 banks.
  alignas(16) __shared__ float tile[tile_side][tile_side + 1];
  const std::size_t first_row = std::size_t{blockIdx.y} * tile_side;
  const std::size_t first_col = std::size_t{blockIdx.x} * tile_side;

  for (unsigned int k = threadIdx.y; k < tile_side; k += block_rows) {
    const std::size_t r = first_row + k;
    const std::size_t c = first_col + threadIdx.x;
    if (r < rows && c < cols) tile[k][threadIdx.x] = in[r * cols + c];
  }
  __syncthreads();

  // The same tile, read by columns: row c of out is column c of in.
  for (unsigned int k = threadIdx.y; k < tile_side; k += block_rows) {
    const std::size_t c = first_col + k;
    const std::size_t r = first_row + threadIdx.x;
    if (r < rows && c < cols) out[c * cols + r] = tile[threadIdx.x][k];  // wrong: a row of out is rows long
  }
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
