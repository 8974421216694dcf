// expect: too_slow
/// @file
/// column_sums: the sum of each column of a matrix. The one file of this exercise that is edited and handed in;
/// the contract is in column_sums.cuh, the task in README.md.
#include "column_sums.cuh"

// >>> your code
constexpr unsigned int block_threads = 64;
constexpr std::size_t parts_at_most = 16;

/// Four columns a thread, 16 bytes a load, and the rows in at most 16 parts: nearly enough for a wide matrix, and
/// a few warps for a narrow one. Where cols is no multiple of 4, one column a thread.
/// Launch contract: grid (columns / (block_threads x N), parts); out begins as 0.
template <unsigned int N>
__global__ void add_parts(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const std::size_t column = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * N;
  if (column >= cols) return;
  float sum[N] = {};
  const std::size_t rows_a_part = (rows + gridDim.y - 1) / gridDim.y, first = blockIdx.y * rows_a_part;
  for (std::size_t row = first; row < first + rows_a_part && row < rows; ++row) {
    if constexpr (N == 4) {
      const float4 v = *reinterpret_cast<const float4*>(in + row * cols + column);
      sum[0] += v.x, sum[1] += v.y, sum[2] += v.z, sum[3] += v.w;
    } else {
      sum[0] += in[row * cols + column];
    }
  }
  for (unsigned int j = 0; j < N; ++j) atomicAdd(&out[column + j], sum[j]);
}

extern "C" void column_sums_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (cols == 0) return;
  cudaMemsetAsync(out, 0, cols * sizeof(float), stream);
  if (rows == 0) return;
  const std::size_t across = block_threads * (cols % 4 == 0 ? 4 : 1);
  const dim3 grid(static_cast<unsigned int>((cols + across - 1) / across),
                  static_cast<unsigned int>(rows < parts_at_most ? rows : parts_at_most));
  if (cols % 4 == 0) {
    add_parts<4><<<grid, block_threads, 0, stream>>>(in, out, rows, cols);
  } else {
    add_parts<1><<<grid, block_threads, 0, stream>>>(in, out, rows, cols);
  }
}
// <<< your code
