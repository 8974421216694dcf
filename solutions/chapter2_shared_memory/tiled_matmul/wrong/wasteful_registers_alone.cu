// expect: wasteful off_the_idea
// says: goes through shared memory
/// @file
/// tiled_matmul: a matrix product. The one file of this exercise that is edited and handed in; the contract is in
/// tiled_matmul.cuh, the task in README.md.
#include "tiled_matmul.cuh"

// >>> your code
constexpr int own = 4;  // elements of C a thread makes in each direction
constexpr int threads_x = 16, threads_y = 16;

/// Four floats of a row, zeros outside.
__device__ float4 four_of(const float* from, std::size_t row, std::size_t col, std::size_t rows,
                          std::size_t cols) {
  float four[4] = {};
  if (row < rows && cols % 4 == 0 && col + 4 <= cols)
    return *reinterpret_cast<const float4*>(from + row * cols + col);
  for (int j = 0; j < 4; ++j)
    if (row < rows && col + j < cols) four[j] = from[row * cols + col + j];
  return make_float4(four[0], four[1], four[2], four[3]);
}

/// Writes 4 x 4 elements of C a thread, from registers that it fills straight from global memory: right, and faster
/// than a plain tile, since each float it has serves four times. But nobody meets anybody.
/// Launch contract: grid of at least n / 64 by m / 64 blocks of 16 x 16 threads.
__global__ void tiled_matmul_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, std::size_t m, std::size_t n, std::size_t k) {
  const std::size_t row = (std::size_t{blockIdx.y} * threads_y + threadIdx.y) * own;
  const std::size_t col = (std::size_t{blockIdx.x} * threads_x + threadIdx.x) * own;
  float sum[own][own] = {};
  for (std::size_t first = 0; first < k; first += 4) {
    float left[own][4], right[4][own];
#pragma unroll
    for (int i = 0; i < own; ++i) *reinterpret_cast<float4*>(left[i]) = four_of(a, row + i, first, m, k);
#pragma unroll
    for (int l = 0; l < 4; ++l) *reinterpret_cast<float4*>(right[l]) = four_of(b, first + l, col, k, n);
#pragma unroll
    for (int l = 0; l < 4; ++l)
#pragma unroll
      for (int i = 0; i < own; ++i)
#pragma unroll
        for (int j = 0; j < own; ++j) sum[i][j] += left[i][l] * right[l][j];
  }
#pragma unroll
  for (int i = 0; i < own; ++i)
#pragma unroll
    for (int j = 0; j < own; ++j)
      if (row + i < m && col + j < n) c[(row + i) * n + col + j] = sum[i][j];
}

extern "C" void tiled_matmul_run(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                                 std::size_t k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks(static_cast<unsigned int>((n + 63) / 64), static_cast<unsigned int>((m + 63) / 64));
  tiled_matmul_kernel<<<blocks, dim3(threads_x, threads_y), 0, stream>>>(a, b, c, m, n, k);
}
// <<< your code
