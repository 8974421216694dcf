/// @file
/// C = 2 A B + C of halves on tensor cores: each warp has a block of 32 x 32, tiles come through shared memory.
#include <cuda_fp16.h>
#include <mma.h>

#include "buffer.cuh"

using namespace nvcuda;

constexpr int kTile = 64, kDepth = 32, kPad = 8;

__global__ void gemm(const __half* a, const __half* b, float* c, int m, int n, int k, float alpha) {
  __shared__ __align__(32) __half a_tile[kTile][kDepth + kPad];
  __shared__ __align__(32) __half b_tile[kDepth][kTile + kPad];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int warp = threadIdx.x / 32, own_row = warp / 2 * 32, own_column = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
  for (auto& line : sums)
    for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  for (int first = 0; first < k; first += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += blockDim.x) {
      a_tile[i / kDepth][i % kDepth] = a[(row + i / kDepth) * k + first + i % kDepth];
      b_tile[i / kTile][i % kTile] = b[(first + i / kTile) * n + column + i % kTile];
    }
    __syncthreads();
    for (int step = 0; step < kDepth; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(fa[i], &a_tile[own_row + 16 * i][step], kDepth + kPad);
        wmma::load_matrix_sync(fb[i], &b_tile[step][own_column + 16 * i], kTile + kPad);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], fa[i], fb[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      float* to = c + (row + own_row + 16 * i) * n + column + own_column + 16 * j;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> old;
      wmma::load_matrix_sync(old, to, n, wmma::mem_row_major);
      for (int e = 0; e < old.num_elements; ++e) old.x[e] += alpha * sums[i][j].x[e];
      wmma::store_matrix_sync(to, old, n, wmma::mem_row_major);
    }
}

int main() {
  const int m = 128, n = 192, k = 96;
  std::vector<__half> a(m * k), b(k * n);
  std::vector<float> c(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = __float2half(static_cast<float>(i * 7 % 17 - 8));
  for (int i = 0; i < k * n; ++i) b[i] = __float2half(static_cast<float>(i * 5 % 13 - 6));
  for (int i = 0; i < m * n; ++i) c[i] = static_cast<float>(i % 10);
  Buffer<__half> d_a(a), d_b(b);
  Buffer<float> d_c(c);
  gemm<<<dim3(n / kTile, m / kTile), 128>>>(d_a, d_b, d_c, m, n, k, 2.0f);
  CHECK_LAUNCH();
  const auto result = d_c.host();
  bool right = true;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += __half2float(a[i * k + l]) * __half2float(b[l * n + j]);
      right = right && result[i * n + j] == 2 * sum + c[i * n + j];
    }
  return verdict(right);
}
