/// @file
/// Systems of equations, many small ones: triangular by warps, three diagonals by threads, roots of matrices by half a warp.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

/// L[i][k] of a system that stays tame.
template <typename Value>
__host__ __device__ __forceinline__ Value entry(Value v, unsigned i, unsigned k) {
  return i == k ? v + 1 : v * Value(0.02);
}
__global__ void triangular(const float* lower, const float* right, float* out, std::size_t systems) {
  const std::size_t at = global_index() / 32;
  if (at >= systems) return;
  const unsigned lane = threadIdx.x % 32;
  const float* row = lower + at * 1024 + lane * 32;
  float b = right[at * 32 + lane];
  for (unsigned k = 0; k < 32; ++k) {
    const float l = entry(row[k], lane, k);
    const float x = __shfl_sync(~0u, lane == k ? b / l : 0.0f, k);
    if (lane == k) b = x;
    if (lane > k) b -= l * x;
  }
  out[at * 32 + lane] = b;
}
constexpr unsigned kUnknowns = 32;
/// Element k of system t lies at k * systems + t; @p upper is room for what the way up needs.
__global__ void three_diagonals(const float* below, const float* above, float* upper, float* out,
                                std::size_t systems) {
  const std::size_t t = global_index();
  if (t >= systems) return;
  float c = 0, d = 0;
  for (unsigned k = 0; k < kUnknowns; ++k) {
    const std::size_t i = k * systems + t;
    const float a = 0.1f * below[i], scale = 1.0f / (8.0f - a * c);
    d = (below[i] - a * d) * scale;
    c = 0.1f * above[i] * scale;
    upper[i] = c, out[i] = d;
  }
  float x = 0;
  for (int k = kUnknowns - 1; k >= 0; --k) {
    const std::size_t i = static_cast<std::size_t>(k) * systems + t;
    x = out[i] - upper[i] * x;
    out[i] = x;
  }
}
/// Eight matrices a block; a lane has a row.
__global__ void __launch_bounds__(128) matrix_roots(const float* in, float* out) {
  __shared__ float all[8][16][17];
  float(*a)[17] = all[threadIdx.x / 16];
  const unsigned i = threadIdx.x % 16;
  const std::size_t base = (blockIdx.x * std::size_t{8} + threadIdx.x / 16) * 256;
  for (unsigned j = 0; j < 16; ++j)
    a[i][j] = in[base + min(i, j) * 16 + max(i, j)] + (i == j ? 100.0f : 0.0f);
  __syncwarp();
  for (unsigned k = 0; k < 16; ++k) {
    const float root = sqrtf(a[k][k]);
    __syncwarp();
    if (i == k) a[k][k] = root;
    if (i > k) a[i][k] /= root;
    __syncwarp();
    for (unsigned j = k + 1; j <= i; ++j) a[i][j] -= a[i][k] * a[j][k];
    __syncwarp();
  }
  for (unsigned j = 0; j < 16; ++j) out[base + i * 16 + j] = j <= i ? a[i][j] : 0.0f;
}

}  // namespace

void systems(Set& s) {
  const std::size_t n = s.n, triangles = n / 8 / 1024;
  s.run(
      "triangular systems of 32, a warp each", 0.5 * real(n),
      [&] { triangular<<<Set::blocks(triangles, 8), 256>>>(s.in, s.other, s.out, triangles); },
      [&] {
        return floats(s, triangles * 32, [](std::size_t at) {
          double x[32];
          for (unsigned i = 0; i < 32; ++i) {
            x[i] = other_of(at / 32 * 32 + i);
            for (unsigned k = 0; k <= i; ++k) {
              const double l = entry(double{float_of(at / 32 * 1024 + i * 32 + k)}, i, k);
              x[i] = k == i ? x[i] / l : x[i] - l * x[k];
            }
          }
          return x[at % 32];
        });
      });
  const std::size_t count = n / 512;
  s.run(
      "three diagonals of 32, a thread each", 12.0 * real(n / 16),
      [&] { three_diagonals<<<Set::blocks(count, 64), 64>>>(s.in, s.other, s.out + n / 2, s.out, count); },
      [&] {
        return floats(s, count * kUnknowns, [&](std::size_t at) {
          double c[kUnknowns], d[kUnknowns], x = 0;
          for (unsigned k = 0; k < kUnknowns; ++k) {
            const std::size_t i = k * count + at % count;
            const double a = 0.1 * float_of(i), before = k > 0 ? c[k - 1] : 0;
            c[k] = 0.1 * other_of(i) / (8 - a * before);
            d[k] = (float_of(i) - a * (k > 0 ? d[k - 1] : 0)) / (8 - a * before);
          }
          for (std::size_t k = kUnknowns; k-- > at / count;) x = d[k] - c[k] * x;
          return x;
        });
      });
  s.run(
      "roots of matrices of 16 x 16, half a warp each", 8.0 * real(n / 64),
      [&] { matrix_roots<<<as_number(n / 64 / 2048), 128>>>(s.in, s.out); },
      [&] {
        // Some lie above the diagonal: moved below.
        return Set::each(n / 64, [&](std::size_t at) {
          const std::size_t base = at / 256 * 256;
          std::size_t i = at % 256 / 16, j = at % 16;
          if (j > i) std::swap(i, j);
          double a[16][16];
          for (unsigned r = 0; r < 16; ++r)
            for (unsigned c = 0; c < 16; ++c)
              a[r][c] = float_of(base + std::min(r, c) * 16 + std::max(r, c)) + (r == c ? 100.0 : 0.0);
          for (unsigned k = 0; k < 16; ++k) {
            a[k][k] = std::sqrt(a[k][k]);
            for (unsigned r = k + 1; r < 16; ++r) a[r][k] /= a[k][k];
            for (unsigned r = k + 1; r < 16; ++r)
              for (unsigned c = k + 1; c <= r; ++c) a[r][c] -= a[r][k] * a[c][k];
          }
          return std::abs(s.value(base + i * 16 + j) - a[i][j]) < 1e-3 && a[i][j] != 0;
        });
      });
}

}  // namespace held_out_3
