// expect: pass
/// @file
/// A tile of 64 x 64, 4 x 4 elements a thread; both slices come by asynchronous copies, the next one while this one is multiplied.
#include "tiled_matmul.cuh"

#include <cuda_pipeline.h>

namespace {

constexpr int side = 64, depth = 32, threads = 256;

struct slice {
  float a[side][depth + 1];  // rows of 33: what a warp stores or loads at a time lies in different banks
  alignas(16) float b[depth][side];
};

__device__ void bring(slice& into, const float* a, const float* b, std::size_t first, std::size_t row,
                      std::size_t col, std::size_t m, std::size_t n, std::size_t k) {
  for (int at = threadIdx.x; at < side * depth; at += threads) {
    const int i = at / depth, l = at % depth;
    const bool is_a = row + i < m && first + l < k;
    __pipeline_memcpy_async(&into.a[i][l], is_a ? a + (row + i) * k + first + l : a, 4, is_a ? 0 : 4);
    const int below = at / side, j = at % side;
    const bool is_b = first + below < k && col + j < n;
    __pipeline_memcpy_async(&into.b[below][j], is_b ? b + (first + below) * n + col + j : b, 4, is_b ? 0 : 4);
  }
  __pipeline_commit();
}

__global__ void multiply(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                         std::size_t k) {
  __shared__ slice slices[2];
  const std::size_t row = std::size_t{blockIdx.y} * side, col = std::size_t{blockIdx.x} * side;
  const int y = threadIdx.x / 16, x = threadIdx.x % 16;
  float sum[4][4] = {};
  bring(slices[0], a, b, 0, row, col, m, n, k);
  int now = 0;
  for (std::size_t first = 0; first < k; first += depth, now ^= 1) {
    bring(slices[now ^ 1], a, b, first + depth, row, col, m, n, k);
    __pipeline_wait_prior(1);
    __syncthreads();
    const slice& own = slices[now];
    for (int l = 0; l < depth; ++l) {
      const float4 right = *reinterpret_cast<const float4*>(&own.b[l][4 * x]);
      for (int i = 0; i < 4; ++i) {
        const float left = own.a[4 * y + i][l];
        sum[i][0] += left * right.x;
        sum[i][1] += left * right.y;
        sum[i][2] += left * right.z;
        sum[i][3] += left * right.w;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (row + 4 * y + i < m && col + 4 * x + j < n) c[(row + 4 * y + i) * n + col + 4 * x + j] = sum[i][j];
}

}  // namespace

extern "C" void tiled_matmul_run(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                                 std::size_t k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    cudaMemsetAsync(c, 0, m * n * sizeof(float), stream);
    return;
  }
  const dim3 blocks(static_cast<unsigned int>((n + side - 1) / side),
                    static_cast<unsigned int>((m + side - 1) / side));
  multiply<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k);
}
