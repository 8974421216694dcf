/// @file
/// tiled_matmul: a matrix product. The one file of this exercise that is edited and handed in; the contract is in
/// tiled_matmul.cuh, the task in README.md.
#include "tiled_matmul.cuh"

// >>> your code
constexpr int block_rows = 128, block_cols = 128;  // of C, a block
constexpr int depth = 8;                           // of a slice
constexpr int block_threads = 256;                 // eight warps, 2 x 4: a warp makes 64 x 32 elements
constexpr int a_stride = block_rows + 4;  // so that the two halves of a row of A are stored to other banks

/// One slice of both factors, A turned: a thread's rows of one column are neighbours, 16 bytes a load.
struct slice_tiles {
  alignas(16) float a[depth][a_stride];
  alignas(16) float b[depth][block_cols];
};

/// Four floats of a row of `from`, with zeros outside of rows x cols.
/// @tparam aligned cols is a multiple of 4: then either all four lie inside or none, and their address is a
///                 multiple of 16.
template <bool aligned>
__device__ float4 four_of(const float* from, std::size_t row, std::size_t col, std::size_t rows,
                          std::size_t cols) {
  float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (row >= rows || col >= cols) return four;
  const float* const at = from + row * cols + col;
  if (aligned) return *reinterpret_cast<const float4*>(at);
  four.x = at[0];
  if (col + 1 < cols) four.y = at[1];
  if (col + 2 < cols) four.z = at[2];
  if (col + 3 < cols) four.w = at[3];
  return four;
}

/// Writes 8 x 8 elements of C a thread: four blocks of 4 x 4, since the lanes of a warp then read neighbouring 16
/// bytes of a tile. While a slice is multiplied the next one is on its way in registers, and is stored to the other
/// pair of tiles: one barrier a slice.
/// Launch contract: grid of at least n / block_cols by m / block_rows blocks of block_threads threads.
template <bool aligned>
__global__ void __launch_bounds__(block_threads, 2)
    tiled_matmul_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                        std::size_t m, std::size_t n, std::size_t k) {
  __shared__ slice_tiles tiles[2];
  const int t = static_cast<int>(threadIdx.x);
  const int warp = t / 32, lane = t % 32;
  const std::size_t first_row = std::size_t{blockIdx.y} * block_rows;
  const std::size_t first_col = std::size_t{blockIdx.x} * block_cols;

  // What a thread brings: four floats of A (two threads a row), four of B (32 threads a row).
  const int a_row = t / 2, a_col = t % 2 * 4;
  const int b_row = t / 32, b_col = t % 32 * 4;
  // What it makes: rows own_row and own_row + 32, columns own_col and own_col + 16, and three more of each.
  const int own_row = warp / 4 * 64 + lane / 4 * 4;
  const int own_col = warp % 4 * 32 + lane % 4 * 4;

  float sum[8][8] = {};
  float4 from_a = four_of<aligned>(a, first_row + a_row, a_col, m, k);
  float4 from_b = four_of<aligned>(b, b_row, first_col + b_col, k, n);
  int now = 0;
  for (std::size_t slice = 0; slice < k; slice += depth) {
    slice_tiles& own = tiles[now];
    own.a[a_col][a_row] = from_a.x;
    own.a[a_col + 1][a_row] = from_a.y;
    own.a[a_col + 2][a_row] = from_a.z;
    own.a[a_col + 3][a_row] = from_a.w;
    *reinterpret_cast<float4*>(&own.b[b_row][b_col]) = from_b;
    // The tiles are full. And nobody reads the other pair any more, so the next turn may overwrite it.
    __syncthreads();
    from_a = four_of<aligned>(a, first_row + a_row, slice + depth + a_col, m, k);
    from_b = four_of<aligned>(b, slice + depth + b_row, first_col + b_col, k, n);
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float left[8], right[8];
      *reinterpret_cast<float4*>(&left[0]) = *reinterpret_cast<const float4*>(&own.a[l][own_row]);
      *reinterpret_cast<float4*>(&left[4]) = *reinterpret_cast<const float4*>(&own.a[l][own_row + 32]);
      *reinterpret_cast<float4*>(&right[0]) = *reinterpret_cast<const float4*>(&own.b[l][own_col]);
      *reinterpret_cast<float4*>(&right[4]) = *reinterpret_cast<const float4*>(&own.b[l][own_col + 16]);
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += left[i] * right[j];
      }
    }
    now ^= 1;
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::size_t row = first_row + own_row + i % 4 + i / 4 * 32;
    if (row >= m) continue;
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const std::size_t col = first_col + own_col + part * 16;
      const float* const four = &sum[i][4 * part];
      float* const to = c + row * n + col;
      if (aligned) {
        if (col < n) *reinterpret_cast<float4*>(to) = make_float4(four[0], four[1], four[2], four[3]);
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (col + j < n) to[j] = four[j];
      }
    }
  }
}

extern "C" void tiled_matmul_run(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                                 std::size_t k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks(static_cast<unsigned int>((n + block_cols - 1) / block_cols),
                    static_cast<unsigned int>((m + block_rows - 1) / block_rows));
  if (k % 4 == 0 && n % 4 == 0) {
    tiled_matmul_kernel<true><<<blocks, block_threads, 0, stream>>>(a, b, c, m, n, k);
  } else {
    tiled_matmul_kernel<false><<<blocks, block_threads, 0, stream>>>(a, b, c, m, n, k);
  }
}
// <<< your code
