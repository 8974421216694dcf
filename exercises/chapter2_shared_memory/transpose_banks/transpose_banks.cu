/// @file
/// transpose_banks: a matrix transpose. The one file of this exercise that is edited and handed in; the
/// contract is in transpose_banks.cuh, the task in README.md.
#include "transpose_banks.cuh"

// >>> your code
constexpr unsigned int block_cols = 32;
constexpr unsigned int block_rows = 8;

/// Moves one element a thread.
/// Launch contract: blocks of 32 x 8 threads that cover the matrix, its columns along x and its rows along y.
// TODO: right, and slow. The lanes of a warp read 32 neighbours, and write 32 floats that lie a row of out apart:
// count the sectors of each request. Let the block turn a square of the matrix in shared memory, so that warps
// read rows and write rows. Then ask the banks whether they like the way you read your square.
__global__ void transpose_banks_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const std::size_t c = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t r = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 threads(block_cols, block_rows);
  const dim3 blocks(static_cast<unsigned int>((cols + threads.x - 1) / threads.x),
                    static_cast<unsigned int>((rows + threads.y - 1) / threads.y));
  transpose_banks_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, cols);
}
// <<< your code
