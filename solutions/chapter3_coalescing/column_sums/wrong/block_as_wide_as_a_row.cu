// expect: wrong_result
/// @file
/// column_sums: the sum of each column of a matrix. The one file of this exercise that is edited and handed in;
/// the contract is in column_sums.cuh, the task in README.md.
#include "column_sums.cuh"

// >>> your code
constexpr std::size_t part_rows = 256;

/// A block for each part, and a thread of it for each column. Right up to 1024 columns.
/// Launch contract: one-dimensional grid with a block for each part; blocks of cols threads; out begins as 0.
__global__ void add_parts(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const std::size_t first = blockIdx.x * part_rows;
  float sum = 0.0f;
  for (std::size_t row = first; row < first + part_rows && row < rows; ++row)
    sum += in[row * cols + threadIdx.x];
  atomicAdd(&out[threadIdx.x], sum);
}

extern "C" void column_sums_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (cols == 0) return;
  cudaMemsetAsync(out, 0, cols * sizeof(float), stream);
  if (rows == 0) return;
  const auto parts = static_cast<unsigned int>((rows + part_rows - 1) / part_rows);
  // wrong: no block has more than 1024 threads
  add_parts<<<parts, static_cast<unsigned int>(cols), 0, stream>>>(in, out, rows, cols);
}
// <<< your code
