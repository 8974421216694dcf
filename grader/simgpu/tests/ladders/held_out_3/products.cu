/// @file
/// Products: doubles in tiles, 8 x 8 elements a thread, long rows by a vector.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kInner = 64;  ///< the second factor is kInner x kInner

__global__ void __launch_bounds__(256) doubles_in_tiles(const float* a, const float* b, double* c) {
  __shared__ double ta[16][16], tb[16][16];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx;
  const std::size_t y = blockIdx.y * std::size_t{16} + ty;
  double sum = 0;
  for (unsigned k0 = 0; k0 < kInner; k0 += 16) {
    ta[ty][tx] = a[y * kInner + k0 + tx];
    tb[ty][tx] = b[(k0 + ty) * kInner + x];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[y * kInner + x] = sum;
}
/// 128 x 128 a block; the second factor is 128 x 128.
__global__ void __launch_bounds__(256) eight_by_eight(const float* a, const float* b, float* c) {
  __shared__ float ta[8][132], tb[8][128];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const std::size_t y0 = blockIdx.x * std::size_t{128};
  float sum[8][8] = {};
  for (unsigned k0 = 0; k0 < 128; k0 += 8) {
    const float4 v = *reinterpret_cast<const float4*>(a + (y0 + t / 2) * 128 + k0 + t % 2 * 4);
    ta[t % 2 * 4][t / 2] = v.x, ta[t % 2 * 4 + 1][t / 2] = v.y;
    ta[t % 2 * 4 + 2][t / 2] = v.z, ta[t % 2 * 4 + 3][t / 2] = v.w;
    *reinterpret_cast<float4*>(&tb[t / 32][t % 32 * 4]) =
        *reinterpret_cast<const float4*>(b + (k0 + t / 32) * 128 + t % 32 * 4);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
      float u[8], w[8];
#pragma unroll
      for (unsigned h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(u + 4 * h) = *reinterpret_cast<const float4*>(&ta[k][h * 64 + ty * 4]);
        *reinterpret_cast<float4*>(w + 4 * h) = *reinterpret_cast<const float4*>(&tb[k][h * 64 + tx * 4]);
      }
#pragma unroll
      for (unsigned i = 0; i < 8; ++i)
#pragma unroll
        for (unsigned j = 0; j < 8; ++j) sum[i][j] += u[i] * w[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i)
#pragma unroll
    for (unsigned h = 0; h < 2; ++h)
      *reinterpret_cast<float4*>(c + (y0 + i / 4 * 64 + ty * 4 + i % 4) * 128 + h * 64 + tx * 4) =
          make_float4(sum[i][4 * h], sum[i][4 * h + 1], sum[i][4 * h + 2], sum[i][4 * h + 3]);
}
/// A block a row of 4096.
__global__ void __launch_bounds__(128) rows_by_vector(const float4* a, const float4* x, float* y) {
  __shared__ float part[4];
  float sum = 0;
#pragma unroll
  for (unsigned k = threadIdx.x; k < 1024; k += 128) {
    const float4 p = a[blockIdx.x * std::size_t{1024} + k], q = x[k];
    sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n, tall = n / 64 / kInner;
  s.run(
      "product of doubles, tiles of 16", 12.0 * real(n / 64),
      [&] {
        doubles_in_tiles<<<dim3(kInner / 16, as_number(tall / 16)), dim3(16, 16)>>>(
            s.in, s.other, reinterpret_cast<double*>(s.out));
      },
      [&] {
        return Set::each(tall * kInner, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kInner; ++k)
            sum += double{float_of(i / kInner * kInner + k)} * other_of(k * kInner + i % kInner);
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i), sum, 1e-9);
        });
      });
  const std::size_t high = n / 32 / 128 / 128;
  s.run(
      "product, 8 x 8 a thread", 8.0 * 128 * 128 * real(high),
      [&] { eight_by_eight<<<as_number(high), 256>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, high * 128 * 128, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 128; ++k)
            sum += double{float_of(i / 128 * 128 + k)} * other_of(k * 128 + i % 128);
          return sum;
        });
      });
  const std::size_t rows = n / 2 / 4096;
  s.run(
      "rows of 4096 by a vector, a block each", 2.0 * real(n),
      [&] {
        rows_by_vector<<<as_number(rows), 128>>>(reinterpret_cast<float4*>(s.in),
                                                 reinterpret_cast<float4*>(s.other), s.out);
      },
      [&] {
        return floats(s, rows, [](std::size_t r) {
          double sum = 0;
          for (std::size_t k = 0; k < 4096; ++k) sum += double{float_of(r * 4096 + k)} * other_of(k);
          return sum;
        });
      });
}

}  // namespace held_out_3
