// expect: too_slow
/// @file
/// column_sums: the sum of each column of a matrix. The one file of this exercise that is edited and handed in;
/// the contract is in column_sums.cuh, the task in README.md.
#include "column_sums.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// A thread for each element, and an atomic for each. Enough threads, side by side, and they queue for the sums.
/// Launch contract: one-dimensional grid of at least rows x cols threads; out begins as 0.
__global__ void add_elements(const float* in, float* out, std::size_t n, std::size_t cols) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[i % cols], in[i]);
}

extern "C" void column_sums_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (cols == 0) return;
  cudaMemsetAsync(out, 0, cols * sizeof(float), stream);
  if (rows == 0) return;
  const auto blocks = static_cast<unsigned int>((rows * cols + block_threads - 1) / block_threads);
  add_elements<<<blocks, block_threads, 0, stream>>>(in, out, rows * cols, cols);
}
// <<< your code
