/// @file
/// Which warp a scheduler goes on with, and what that leaves of a load's latency: turns of a load from the L2 and arithmetic that needs it, by how
/// much arithmetic that is and by how many warps share a scheduler; and products held in registers. [cycles of the SM a turn]
#pragma once

#include <string>

#include "ladder.hpp"

namespace warps {

/// @param in values, @p wrap of them, that the L2 holds; each turn reads others. @param ahead threads of the grid.
template <int body>
__global__ void load_and_multiply(const float* in, float* out, unsigned wrap, unsigned ahead, int turns,
                                  float by) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[8] = {};
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
    const float x = __ldcg(in + at);
    at += ahead;
    if (at >= wrap) at -= wrap;
#pragma unroll
    for (int k = 0; k < body; ++k) sum[k % 8] = fmaf(sum[k % 8], x, by);
  }
  float all = 0;
#pragma unroll
  for (const float s : sum) all += s;
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

/// Sums of Legendre's polynomials: each of two operations needs the one before.
__global__ void add_polynomials(const float* in, float* out, unsigned wrap, unsigned ahead, int turns) {
  constexpr int kDegrees = 40;
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[kDegrees] = {};
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
    const float x = __ldcg(in + at) * 0.29f - 1.1f;
    at += ahead;
    if (at >= wrap) at -= wrap;
    float before = 1.0f, now = x;
#pragma unroll
    for (int k = 1; k < kDegrees; ++k) {
      const float next = ((2.0f * k + 1.0f) / (k + 1.0f)) * x * now - (k / (k + 1.0f)) * before;
      sum[k] += next;
      before = now, now = next;
    }
  }
  float all = 0;
#pragma unroll
  for (const float s : sum) all += s;
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

/// A thread adds up M x N products of what lies in shared memory, 16 steps between two barriers.
template <int M, int N>
__global__ void __launch_bounds__(256) multiply_in_registers(const float* in, float* out, int tiles) {
  constexpr int kSteps = 16, kRow = 132;
  __shared__ __align__(16) float a[kSteps][kRow], b[kSteps][kRow];
  for (unsigned k = threadIdx.x; k < kSteps * kRow; k += blockDim.x) {
    a[k / kRow][k % kRow] = in[k];
    b[k / kRow][k % kRow] = in[k + 8];
  }
  __syncthreads();
  const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16 % 16;
  float sum[M][N] = {};
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
#pragma unroll
    for (int k = 0; k < kSteps; ++k) {
      float left[M], right[N];
#pragma unroll
      for (unsigned m = 0; m < M; ++m) left[m] = a[k][y * M % 128 + m];
#pragma unroll
      for (unsigned n = 0; n < N; ++n) right[n] = b[k][x * N + n];
#pragma unroll
      for (int m = 0; m < M; ++m)
#pragma unroll
        for (int n = 0; n < N; ++n) sum[m][n] = fmaf(left[m], right[n], sum[m][n]);
    }
    __syncthreads();
  }
  float all = 0;
#pragma unroll
  for (int m = 0; m < M; ++m)
#pragma unroll
    for (int n = 0; n < N; ++n) all += sum[m][n] * static_cast<float>(m + 2 * n + 1);
  out[blockIdx.x * blockDim.x + threadIdx.x] = all;
}

/// Calls time(name, turns, launch) for each row.
template <typename Rows>
class WarpRows {
 public:
  explicit WarpRows(Rows& rows) : rows_(rows) {}

  void all() {
    for (const Grid grid : {Grid{128, 1}, {128, 2}, {256, 1}, {128, 4}, {256, 4}}) {
      loads<16>(grid);
      loads<64>(grid);
      loads<160>(grid);
      one("40 polynomials a load", grid, kTurns, [this, grid] {
        add_polynomials<<<blocks(grid), grid.threads>>>(in(), out(), wrap(), blocks(grid) * grid.threads,
                                                        kTurns);
      });
    }
    for (const Grid grid : {Grid{128, 1}, {128, 2}, {256, 1}, {256, 2}}) {
      products<4, 4>(grid);
      products<8, 4>(grid);
      products<8, 8>(grid);
    }
  }

 private:
  struct Grid {
    unsigned threads, an_sm;
  };
  static constexpr int kTurns = 200, kTiles = 24;

  unsigned blocks(Grid grid) const { return rows_.blocks(grid.an_sm); }
  const float* in() const { return reinterpret_cast<const float*>(rows_.in()); }
  float* out() const { return reinterpret_cast<float*>(rows_.out()); }
  unsigned wrap() const { return rows_.blocks(1) * 40960; }  // 22 MB of an H100

  template <int body>
  void loads(Grid grid) {
    one(std::to_string(body) + " multiply-adds a load", grid, kTurns, [this, grid] {
      load_and_multiply<body>
          <<<blocks(grid), grid.threads>>>(in(), out(), wrap(), blocks(grid) * grid.threads, kTurns, 0.5f);
    });
  }
  template <int M, int N>
  void products(Grid grid) {
    one("products, " + std::to_string(M) + " x " + std::to_string(N) + " a thread", grid, 16 * kTiles,
        [this, grid] { multiply_in_registers<M, N><<<blocks(grid), grid.threads>>>(in(), out(), kTiles); });
  }
  template <typename Launch>
  void one(const std::string& what, Grid grid, int turns, Launch launch) {
    rows_.time("warps: " + what + ", " + std::to_string(grid.an_sm) + " x " + std::to_string(grid.threads),
               turns, launch);
  }
  Rows& rows_;
};

}  // namespace warps
