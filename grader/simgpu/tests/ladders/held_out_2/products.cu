/// @file
/// Products of a tall matrix with a square one of 256: a thread an element, tiles of 8, 16 and 32, and 4 x 4 elements a thread.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

constexpr int kSide = 256;  ///< of the second factor

__global__ void plain(const float* a, const float* b, float* c) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const std::size_t y = blockIdx.y * std::size_t{16} + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < kSide; ++k) sum += a[y * kSide + k] * b[k * kSide + x];
  c[y * kSide + x] = sum;
}
template <int Tile>
__global__ void tiled(const float* a, const float* b, float* c) {
  __shared__ float ta[Tile][Tile], tb[Tile][Tile];
  const int x = blockIdx.x * Tile + threadIdx.x;
  const std::size_t y = blockIdx.y * std::size_t{Tile} + threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < kSide; k0 += Tile) {
    ta[threadIdx.y][threadIdx.x] = a[y * kSide + k0 + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * kSide + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  c[y * kSide + x] = sum;
}
/// 64 x 64 a block of 16 x 16 threads.
__global__ void __launch_bounds__(256) four_by_four(const float* a, const float* b, float* c) {
  __shared__ float ta[16][64 + 4], tb[16][64];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const std::size_t y0 = blockIdx.y * std::size_t{64};
  const unsigned x0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (unsigned k0 = 0; k0 < kSide; k0 += 16) {
    const float4 v = *reinterpret_cast<const float4*>(a + (y0 + t / 4) * kSide + k0 + t % 4 * 4);
    ta[t % 4 * 4][t / 4] = v.x, ta[t % 4 * 4 + 1][t / 4] = v.y;
    ta[t % 4 * 4 + 2][t / 4] = v.z, ta[t % 4 * 4 + 3][t / 4] = v.w;
    *reinterpret_cast<float4*>(&tb[ty][tx * 4]) =
        *reinterpret_cast<const float4*>(b + (k0 + ty) * kSide + x0 + tx * 4);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 p = *reinterpret_cast<const float4*>(&ta[k][ty * 4]);
      const float4 q = *reinterpret_cast<const float4*>(&tb[k][tx * 4]);
      const float u[4] = {p.x, p.y, p.z, p.w}, w[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += u[i] * w[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(c + (y0 + ty * 4 + i) * kSide + x0 + tx * 4) =
        make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

}  // namespace

void products(Set& s) {
  const std::size_t m = s.n / 64, rows = m / kSide;  // of the first factor
  const auto right = [&](std::size_t count) {
    return floats(s, count, [](std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < kSide; ++k)
        sum += double{float_of(i / kSide * kSide + k)} * other_of(k * kSide + i % kSide);
      return sum;
    });
  };
  const double moved = 8.0 * real(m);
  const auto high = static_cast<unsigned>(rows);
  s.run(
      "product, an element a thread", moved / 2,
      [&] { plain<<<dim3(kSide / 16, high / 16 / 2), dim3(16, 16)>>>(s.in, s.other, s.out); },
      [&] { return right(high / 32 * 16 * kSide); });
  s.run(
      "product, tiles of 8", moved / 2,
      [&] { tiled<8><<<dim3(kSide / 8, high / 8 / 2), dim3(8, 8)>>>(s.in, s.other, s.out); },
      [&] { return right(high / 16 * 8 * kSide); });
  s.run(
      "product, tiles of 16", moved,
      [&] { tiled<16><<<dim3(kSide / 16, high / 16), dim3(16, 16)>>>(s.in, s.other, s.out); },
      [&] { return right(high / 16 * 16 * kSide); });
  s.run(
      "product, tiles of 32", moved,
      [&] { tiled<32><<<dim3(kSide / 32, high / 32), dim3(32, 32)>>>(s.in, s.other, s.out); },
      [&] { return right(high / 32 * 32 * kSide); });
  s.run(
      "product, 4 x 4 a thread", 4 * moved,
      [&] { four_by_four<<<dim3(kSide / 64, high * 4 / 64), 256>>>(s.in, s.other, s.out); },
      [&] { return right(high * 4 / 64 * 64 * kSide); });
}

}  // namespace held_out_2
