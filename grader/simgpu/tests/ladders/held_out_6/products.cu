/// @file
/// Matrix products: as loops write them with a scale and what was there, tiles of 16 with two columns a
/// thread, tiles brought through registers while others are multiplied, small matrices a block each,
/// complex numbers. Rows of the first factor go with the SMs; the second is as large on a slice, and not
/// counted.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kProductsDepth = 256, kProductsWidth = 512;

__global__ void scaled_product(float alpha, const float* a, const float* b, float beta, const float* c,
                               float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = beta * c[y * kProductsWidth + x];
  for (int k = 0; k < kProductsDepth; ++k)
    sum += alpha * a[y * kProductsDepth + k] * b[k * kProductsWidth + x];
  out[y * kProductsWidth + x] = sum;
}
constexpr int kProductsTile = 16;
/// A block has 16 rows of 32 columns.
__global__ void __launch_bounds__(256) two_columns_a_thread(const float* a, const float* b, float* c) {
  __shared__ float p[kProductsTile][kProductsTile], q[kProductsTile][2 * kProductsTile];
  const int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * kProductsTile + ty,
            x = blockIdx.x * 2 * kProductsTile + tx;
  float left = 0, right = 0;
  for (int k0 = 0; k0 < kProductsDepth; k0 += kProductsTile) {
    p[ty][tx] = a[y * kProductsDepth + k0 + tx];
    q[ty][tx] = b[(k0 + ty) * kProductsWidth + x];
    q[ty][tx + kProductsTile] = b[(k0 + ty) * kProductsWidth + x + kProductsTile];
    __syncthreads();
    for (int k = 0; k < kProductsTile; ++k) {
      left += p[ty][k] * q[k][tx];
      right += p[ty][k] * q[k][tx + kProductsTile];
    }
    __syncthreads();
  }
  c[y * kProductsWidth + x] = left;
  c[y * kProductsWidth + x + kProductsTile] = right;
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
  float2 next_p = *reinterpret_cast<const float2*>(&a[(y0 + pr) * kProductsDepth + pc]),
         next_q = *reinterpret_cast<const float2*>(&b[qr * kProductsWidth + x0 + qc]);
  float sum[4][4] = {};
  for (int k0 = 0, stage = 0; k0 < kProductsDepth; k0 += 8, stage ^= 1) {
    p[stage][pc][pr] = next_p.x, p[stage][pc + 1][pr] = next_p.y;
    *reinterpret_cast<float2*>(&q[stage][qr][qc]) = next_q;
    __syncthreads();
    if (k0 + 8 < kProductsDepth) {
      next_p = *reinterpret_cast<const float2*>(&a[(y0 + pr) * kProductsDepth + k0 + 8 + pc]);
      next_q = *reinterpret_cast<const float2*>(&b[(k0 + 8 + qr) * kProductsWidth + x0 + qc]);
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
    *reinterpret_cast<float4*>(&c[(y0 + ty * 4 + r) * kProductsWidth + x0 + tx * 4]) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
constexpr int kComplexDepth = 128, kComplexWidth = 128;
__global__ void __launch_bounds__(256) complex_tiles(const float2* a, const float2* b, float2* c) {
  __shared__ float2 p[kProductsTile][kProductsTile + 1], q[kProductsTile][kProductsTile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, y = blockIdx.y * kProductsTile + ty,
            x = blockIdx.x * kProductsTile + tx;
  float2 sum = make_float2(0, 0);
  for (int k0 = 0; k0 < kComplexDepth; k0 += kProductsTile) {
    p[ty][tx] = a[y * kComplexDepth + k0 + tx];
    q[ty][tx] = b[(k0 + ty) * kComplexWidth + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kProductsTile; ++k) {
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
  const std::size_t count = std::size_t{rows} * kProductsWidth;
  const auto product = [](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < kProductsDepth; ++k)
      sum += double{float_of(i / kProductsWidth * kProductsDepth + k)} *
             other_of(k * kProductsWidth + i % kProductsWidth);
    return sum;
  };
  s.run(
      "product with a scale and what was there", 4.0 * rows * (kProductsDepth + 2 * kProductsWidth),
      [&] {
        scaled_product<<<dim3(kProductsWidth / 32, rows / 8), dim3(32, 8)>>>(0.5f, s.in, s.other, 2.0f, s.in,
                                                                             s.out);
      },
      [&] { return floats(s, count, [&](std::size_t i) { return 0.5 * product(i) + 2.0 * float_of(i); }); });
  s.run(
      "product by tiles of 16, two columns a thread", 4.0 * rows * (kProductsDepth + kProductsWidth),
      [&] {
        two_columns_a_thread<<<dim3(kProductsWidth / 32, rows / kProductsTile),
                               dim3(kProductsTile, kProductsTile)>>>(s.in, s.other, s.out);
      },
      [&] { return floats(s, count, product); });
  s.run(
      "product by 64 x 64, next tiles in registers", 4.0 * rows * (kProductsDepth + kProductsWidth),
      [&] { tiles_through_registers<<<dim3(kProductsWidth / 64, rows / 64), 256>>>(s.in, s.other, s.out); },
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
        complex_tiles<<<dim3(kComplexWidth / kProductsTile, complex_rows / kProductsTile),
                        dim3(kProductsTile, kProductsTile)>>>(reinterpret_cast<float2*>(s.in),
                                                              reinterpret_cast<float2*>(s.other),
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
