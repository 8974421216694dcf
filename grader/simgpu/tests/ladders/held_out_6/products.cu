/// @file
/// Matrix products: as loops write them with a scale and what was there, tiles of 16 with two columns a
/// thread, tiles brought through registers while others are multiplied, small matrices a block each,
/// complex numbers. Rows of the first factor go with the SMs; the second is as large on a slice, and not
/// counted.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kDepth = 256, kWidth = 512;

__global__ void scaled_product(float alpha, const float* a, const float* b, float beta, const float* c,
                               float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = beta * c[y * kWidth + x];
  for (int k = 0; k < kDepth; ++k) sum += alpha * a[y * kDepth + k] * b[k * kWidth + x];
  out[y * kWidth + x] = sum;
}
constexpr int kTile = 16;
/// A block has 16 rows of 32 columns.
__global__ void __launch_bounds__(256) two_columns_a_thread(const float* a, const float* b, float* c) {
  __shared__ float p[kTile][kTile], q[kTile][2 * kTile];
  const int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * kTile + ty, x = blockIdx.x * 2 * kTile + tx;
  float left = 0, right = 0;
  for (int k0 = 0; k0 < kDepth; k0 += kTile) {
    p[ty][tx] = a[y * kDepth + k0 + tx];
    q[ty][tx] = b[(k0 + ty) * kWidth + x];
    q[ty][tx + kTile] = b[(k0 + ty) * kWidth + x + kTile];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      left += p[ty][k] * q[k][tx];
      right += p[ty][k] * q[k][tx + kTile];
    }
    __syncthreads();
  }
  c[y * kWidth + x] = left;
  c[y * kWidth + x + kTile] = right;
}
constexpr int kSmall = 32;
/// A block of 32 x 8 has a product of two matrices of 32 x 32.
__global__ void __launch_bounds__(256) small_products(const float* a, const float* b, float* c) {
  __shared__ float p[kSmall][kSmall + 1], q[kSmall][kSmall + 1];
  const std::size_t first = blockIdx.x * std::size_t{kSmall * kSmall};
  for (int r = threadIdx.y; r < kSmall; r += 8) {
    p[r][threadIdx.x] = a[first + r * kSmall + threadIdx.x];
    q[r][threadIdx.x] = b[first + r * kSmall + threadIdx.x];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < kSmall; r += 8) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kSmall; ++k) sum += p[r][k] * q[k][threadIdx.x];
    c[first + r * kSmall + threadIdx.x] = sum;
  }
}
/// 64 x 64 a block of 256, 4 x 4 a thread; the next tiles come into registers while these are multiplied.
__global__ void __launch_bounds__(256) tiles_through_registers(const float* a, const float* b, float* c) {
  __shared__ float p[2][8][64], q[2][8][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
  const int pr = t / 4, pc = t % 4 * 2, qr = t / 32, qc = t % 32 * 2;
  float2 next_p = *reinterpret_cast<const float2*>(&a[(y0 + pr) * kDepth + pc]),
         next_q = *reinterpret_cast<const float2*>(&b[qr * kWidth + x0 + qc]);
  float sum[4][4] = {};
  for (int k0 = 0, stage = 0; k0 < kDepth; k0 += 8, stage ^= 1) {
    p[stage][pc][pr] = next_p.x, p[stage][pc + 1][pr] = next_p.y;
    *reinterpret_cast<float2*>(&q[stage][qr][qc]) = next_q;
    __syncthreads();
    if (k0 + 8 < kDepth) {
      next_p = *reinterpret_cast<const float2*>(&a[(y0 + pr) * kDepth + k0 + 8 + pc]);
      next_q = *reinterpret_cast<const float2*>(&b[(k0 + 8 + qr) * kWidth + x0 + qc]);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float4 u = *reinterpret_cast<const float4*>(&p[stage][k][ty * 4]),
                   v = *reinterpret_cast<const float4*>(&q[stage][k][tx * 4]);
      const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int h = 0; h < 4; ++h) sum[r][h] += us[r] * vs[h];
    }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
    *reinterpret_cast<float4*>(&c[(y0 + ty * 4 + r) * kWidth + x0 + tx * 4]) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
constexpr int kComplexDepth = 128, kComplexWidth = 128;
__global__ void __launch_bounds__(256) complex_tiles(const float2* a, const float2* b, float2* c) {
  __shared__ float2 p[kTile][kTile + 1], q[kTile][kTile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * kTile + ty, x = blockIdx.x * kTile + tx;
  float2 sum = make_float2(0, 0);
  for (int k0 = 0; k0 < kComplexDepth; k0 += kTile) {
    p[ty][tx] = a[y * kComplexDepth + k0 + tx];
    q[ty][tx] = b[(k0 + ty) * kComplexWidth + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) {
      const float2 u = p[ty][k], v = q[k][tx];
      sum.x += u.x * v.x - u.y * v.y;
      sum.y += u.x * v.y + u.y * v.x;
    }
    __syncthreads();
  }
  c[y * kComplexWidth + x] = sum;
}

}  // namespace

void products(Set& s) {
  const unsigned rows = s.sms * 64;
  const std::size_t count = std::size_t{rows} * kWidth;
  const auto product = [](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < kDepth; ++k)
      sum += double{float_of(i / kWidth * kDepth + k)} * other_of(k * kWidth + i % kWidth);
    return sum;
  };
  s.run(
      "product with a scale and what was there", 4.0 * rows * (kDepth + 2 * kWidth),
      [&] {
        scaled_product<<<dim3(kWidth / 32, rows / 8), dim3(32, 8)>>>(0.5f, s.in, s.other, 2.0f, s.in, s.out);
      },
      [&] { return floats(s, count, [&](std::size_t i) { return 0.5 * product(i) + 2.0 * float_of(i); }); });
  s.run(
      "product by tiles of 16, two columns a thread", 4.0 * rows * (kDepth + kWidth),
      [&] {
        two_columns_a_thread<<<dim3(kWidth / 32, rows / kTile), dim3(kTile, kTile)>>>(s.in, s.other, s.out);
      },
      [&] { return floats(s, count, product); });
  s.run(
      "product by 64 x 64, next tiles in registers", 4.0 * rows * (kDepth + kWidth),
      [&] { tiles_through_registers<<<dim3(kWidth / 64, rows / 64), 256>>>(s.in, s.other, s.out); },
      [&] { return floats(s, count, product); });
  const unsigned many = as_number(s.n / 32 / (kSmall * kSmall));
  s.run(
      "matrices of 32 x 32 multiplied, a block each", 12.0 * kSmall * kSmall * many,
      [&] { small_products<<<many, dim3(32, 8)>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, many * std::size_t{kSmall * kSmall}, [](std::size_t i) {
          const std::size_t first = i / (kSmall * kSmall) * (kSmall * kSmall),
                            r = i % (kSmall * kSmall) / kSmall;
          double sum = 0;
          for (std::size_t k = 0; k < kSmall; ++k)
            sum += double{float_of(first + r * kSmall + k)} * other_of(first + k * kSmall + i % kSmall);
          return sum;
        });
      });
  const unsigned complex_rows = s.sms * 256;
  s.run(
      "product of complex numbers, tiles of 16", 8.0 * complex_rows * (kComplexDepth + kComplexWidth),
      [&] {
        complex_tiles<<<dim3(kComplexWidth / kTile, complex_rows / kTile), dim3(kTile, kTile)>>>(
            reinterpret_cast<float2*>(s.in), reinterpret_cast<float2*>(s.other),
            reinterpret_cast<float2*>(s.out));
      },
      [&] {
        return within(s, std::size_t{2} * complex_rows * kComplexWidth, 0.2, [](std::size_t i) {
          const std::size_t e = i / 2;
          double re = 0, im = 0;
          for (std::size_t k = 0; k < kComplexDepth; ++k) {
            const std::size_t u = 2 * (e / kComplexWidth * kComplexDepth + k),
                              v = 2 * (k * kComplexWidth + e % kComplexWidth);
            const double a = float_of(u), b = float_of(u + 1), c = other_of(v), d = other_of(v + 1);
            re += a * c - b * d, im += a * d + b * c;
          }
          return i % 2 == 0 ? re : im;
        });
      });
}

}  // namespace held_out_6
