// expect: too_slow
/// @file
/// column_sums: the sum of each column of a matrix. The one file of this exercise that is edited and handed in;
/// the contract is in column_sums.cuh, the task in README.md.
#include "column_sums.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// The lanes of a warp stand below each other and walk along 128 columns, whose sums they bring together by
/// shuffles. Plenty of threads, and 32 sectors a request.
/// Launch contract: grid (rows / block_threads, columns / 128, both rounded up); out begins as 0.
__global__ void add_down(const float* in, float* out, std::size_t rows, std::size_t cols) {
  constexpr std::size_t walk = 128;
  const std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t first = blockIdx.y * walk;
  for (std::size_t column = first; column < first + walk && column < cols; ++column) {
    float sum = row < rows ? in[row * cols + column] : 0.0f;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[column], sum);
  }
}

extern "C" void column_sums_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (cols == 0) return;
  cudaMemsetAsync(out, 0, cols * sizeof(float), stream);
  if (rows == 0) return;
  const dim3 grid(static_cast<unsigned int>((rows + block_threads - 1) / block_threads),
                  static_cast<unsigned int>((cols + 127) / 128));
  add_down<<<grid, block_threads, 0, stream>>>(in, out, rows, cols);
}
// <<< your code
