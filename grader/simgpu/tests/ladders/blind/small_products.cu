/// @file
/// Products whose factors are small or thin: many little matrices, a matrix by a vector, features by weights.
#include "blind.hpp"

namespace blind {
namespace {

/// Matrices of 8 x 8, two a block of 128 threads.
__global__ void products_of_8(const float* a, const float* b, float* c) {
  __shared__ float as[2][8][8], bs[2][8][9];
  const unsigned which = threadIdx.x / 64, row = threadIdx.x / 8 % 8, column = threadIdx.x % 8;
  const std::size_t i = global_index();
  as[which][row][column] = a[i];
  bs[which][row][column] = b[i];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += as[which][row][k] * bs[which][k][column];
  c[i] = sum;
}
/// A transposed matrix by a vector: a block adds up a part of 256 columns.
__global__ void columns_by_vector(const float* a, const float* x, float* y, int width, int rows_each) {
  __shared__ float part[64];
  const int column = blockIdx.x * 256 + threadIdx.x;
  const std::size_t y0 = std::size_t{blockIdx.y} * rows_each;
  if (threadIdx.x < static_cast<unsigned>(rows_each)) part[threadIdx.x] = x[y0 + threadIdx.x];
  __syncthreads();
  float sum = 0;
#pragma unroll 8
  for (int r = 0; r < rows_each; ++r) sum += a[(y0 + r) * width + column] * part[r];
  atomicAdd(&y[column], sum);
}
/// What the 16 columns of a thin matrix have in common, each with each.
__global__ void __launch_bounds__(256) gram_of_16(const float4* in, float* out, std::size_t rows) {
  __shared__ alignas(16) float tile[64][16];
  const unsigned i = threadIdx.x / 16, j = threadIdx.x % 16;
  float sum = 0;
  for (std::size_t row = blockIdx.x * std::size_t{64}; row < rows; row += gridDim.x * std::size_t{64}) {
    reinterpret_cast<float4*>(tile)[threadIdx.x] = in[row * 4 + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < 64; ++k) sum += tile[k][i] * tile[k][j];
    __syncthreads();
  }
  atomicAdd(&out[threadIdx.x], sum);
}
/// Sixteen features of each row become sixteen others.
__global__ void __launch_bounds__(128)
    layer_of_16(const float4* in, const float* weights, float4* out, std::size_t rows) {
  __shared__ alignas(16) float w[16][16];
  w[threadIdx.x / 16][threadIdx.x % 16] = weights[threadIdx.x];
  w[threadIdx.x / 16 + 8][threadIdx.x % 16] = weights[threadIdx.x + 128];
  __syncthreads();
  const std::size_t row = global_index();
  if (row >= rows) return;
  float sum[16] = {};
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const float4 v = in[row * 4 + part];
    const float f[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int o = 0; o < 16; ++o) sum[o] += f[k] * w[part * 4 + k][o];
  }
#pragma unroll
  for (int part = 0; part < 4; ++part)
    out[row * 4 + part] = make_float4(fmaxf(sum[part * 4], 0), fmaxf(sum[part * 4 + 1], 0),
                                      fmaxf(sum[part * 4 + 2], 0), fmaxf(sum[part * 4 + 3], 0));
}

}  // namespace

void small_products(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "products of 8 x 8", 1.5 * s.one,
      [&] { products_of_8<<<static_cast<unsigned>(n / 256), 128>>>(s.in, s.other, s.out); },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 8; ++k)
            sum += double{float_of(i / 8 * 8 + k)} * other_of(i / 64 * 64 + k * 8 + i % 8);
          return Set::near(s.value(i), sum);
        });
      });
  s.run(
      "columns by a vector", s.one,
      [&] {
        columns_by_vector<<<dim3(8, static_cast<unsigned>(n / 2048 / 56)), 256>>>(s.in, s.other, s.out, 2048,
                                                                                  56);
      },
      [&] {
        return Set::each(2048, [&](std::size_t x) {
          double sum = 0;
          for (std::size_t y = 0; y < n / 2048 / 56 * 56; ++y)
            sum += double{float_of(y * 2048 + x)} * other_of(y);
          return Set::near(s.value(x), sum);
        });
      });
  s.run(
      "sixteen columns, each by each", s.one,
      [&] { gram_of_16<<<s.sms * 8, 256>>>(reinterpret_cast<float4*>(s.in), s.out, n / 16); },
      [&] {
        return Set::each(256, [&](std::size_t at) {
          double sum = 0;
          for (std::size_t row = 0; row < n / 16; ++row)
            sum += double{float_of(row * 16 + at / 16)} * float_of(row * 16 + at % 16);
          return Set::near(s.value(at), sum);
        });
      });
  s.run(
      "layer of sixteen", 2 * s.one,
      [&] {
        layer_of_16<<<Set::blocks(n / 16, 128), 128>>>(reinterpret_cast<float4*>(s.in), s.other, s.vectors(),
                                                       n / 16);
      },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 16; ++k)
            sum += double{float_of(i / 16 * 16 + k)} * other_of(k * 16 + i % 16);
          return Set::near(s.value(i), sum);
        });
      });
}

}  // namespace blind
