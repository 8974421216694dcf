/// @file
/// Products, transposes, sparse rows. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

/// 128 x 128 of the product a block, 8 x 8 a thread.
__global__ void __launch_bounds__(256)
    product_128(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ alignas(16) float as[8][128], bs[8][128];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, x0 = blockIdx.x * 128, y0 = blockIdx.y * 128;
  float sum[8][8] = {};
  for (int k0 = 0; k0 < depth; k0 += 8) {
    const float4 u = *reinterpret_cast<const float4*>(&a[std::size_t(y0 + t / 2) * depth + k0 + t % 2 * 4]);
    const float4 v = *reinterpret_cast<const float4*>(&b[std::size_t(k0 + t / 32) * n + x0 + t % 32 * 4]);
    __syncthreads();
    as[t % 2 * 4][t / 2] = u.x, as[t % 2 * 4 + 1][t / 2] = u.y;
    as[t % 2 * 4 + 2][t / 2] = u.z, as[t % 2 * 4 + 3][t / 2] = u.w;
    *reinterpret_cast<float4*>(&bs[t / 32][t % 32 * 4]) = v;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float p[8], q[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(&p[4 * h]) = *reinterpret_cast<const float4*>(&as[k][ty * 4 + 64 * h]);
        *reinterpret_cast<float4*>(&q[4 * h]) = *reinterpret_cast<const float4*>(&bs[k][tx * 4 + 64 * h]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += p[i] * q[j];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float4*>(
          &c[std::size_t(y0 + ty * 4 + i % 4 + i / 4 * 64) * n + x0 + tx * 4 + 64 * h]) =
          make_float4(sum[i][4 * h], sum[i][4 * h + 1], sum[i][4 * h + 2], sum[i][4 * h + 3]);
}
__global__ void product_of_doubles(const double* a, const double* b, double* c, int n, int depth) {
  __shared__ double as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  double sum = 0;
  for (int k0 = 0; k0 < depth; k0 += 16) {
    as[ty][tx] = a[std::size_t(y) * depth + k0 + tx];
    bs[ty][tx] = b[std::size_t(k0 + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[std::size_t(y) * n + x] = sum;
}
__global__ void small_products(const float4* a, const float4* b, float4* c, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float4 right[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) right[r] = b[4 * i + r];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const float4 u = a[4 * i + r];
    c[4 * i + r] = make_float4(u.x * right[0].x + u.y * right[1].x + u.z * right[2].x + u.w * right[3].x,
                               u.x * right[0].y + u.y * right[1].y + u.z * right[2].y + u.w * right[3].y,
                               u.x * right[0].z + u.y * right[1].z + u.z * right[2].z + u.w * right[3].z,
                               u.x * right[0].w + u.y * right[1].w + u.z * right[2].w + u.w * right[3].w);
  }
}
__global__ void transpose_doubles(const double* in, double* out, int width, int height) {
  __shared__ double tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[std::size_t(y + r) * width + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) out[std::size_t(ty + r) * height + tx] = tile[threadIdx.x][threadIdx.y + r];
}
__global__ void banded_rows(const unsigned* column, const float* value, const float* x, float* y,
                            std::size_t m) {
  const std::size_t row = global_index();
  if (row >= m) return;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    const std::size_t at = row + k * m, c = row + (column[at] & 255);
    sum += value[at] * x[c < m ? c : m - 1];
  }
  y[row] = sum;
}
__global__ void ragged_rows(const unsigned* column, const float* value, const float* x, float* y,
                            std::size_t rows, unsigned table) {
  const std::size_t row = global_index();
  if (row >= rows) return;
  const int length = 1 + (column[row * 32] & 31);
  float sum = 0;
  for (int k = 0; k < length; ++k) sum += value[row * 32 + k] * x[place_of(column[row * 32 + k], table)];
  y[row] = sum;
}

void Fresh::matrices() {
  // The second factor does not shrink, and is in no figure.
  {
    const int size = 256, depth = 512;
    const auto rows = sms * 128;
    const double work = 2.0 * rows * size * depth;
    const auto product_at = [&](std::size_t y, std::size_t x) {
      double sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += double{float_of(y * depth + k)} * other_of(std::size_t(k) * size + x);
      return sum;
    };
    const bool fits = std::size_t{rows} * depth <= n;
    run(
        "product 128 x 128", work,
        [&] {
          if (fits) product_128<<<dim3(size / 128, rows / 128), 256>>>(in, other, out, size, depth);
        },
        [&] {
          return !fits || each(std::size_t{rows} * size,
                               [&](std::size_t i) { return near(value(i), product_at(i / size, i % size)); });
        });
    auto* a = reinterpret_cast<double*>(in);
    const bool all = std::size_t{rows} * depth <= n / 2;
    run(
        "product of doubles, tiles of 16", work,
        [&] {
          if (all)
            product_of_doubles<<<dim3(size / 16, rows / 16), dim3(16, 16)>>>(
                a, doubles, reinterpret_cast<double*>(out), size, depth);
        },
        [&] {
          return !all || each(std::size_t{rows} * size, [&](std::size_t i) {
            double sum = 0;
            const std::size_t y = i / size, x = i % size;
            for (int k = 0; k < depth; ++k)
              sum += Checked::at(a, y * depth + k) * Checked::at(doubles, std::size_t(k) * size + x);
            return near(Checked::at(reinterpret_cast<const double*>(out), i), sum, 1e-9);
          });
        });
  }
  run(
      "products of 4 x 4", 3 * one,
      [&] {
        small_products<<<blocks(n / 16), 256>>>(reinterpret_cast<float4*>(in),
                                                reinterpret_cast<float4*>(other), vectors, n / 16);
      },
      [&] {
        return each(n, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 4; ++k)
            sum += double{float_of(i / 4 * 4 + k)} * other_of(i / 16 * 16 + k * 4 + i % 4);
          return near(value(i), sum);
        });
      });
  {
    const int wide = 2048, high = height / 32 * 32;
    run(
        "transpose of doubles", 16.0 * wide * high,
        [&] {
          transpose_doubles<<<dim3(wide / 32, high / 32), dim3(32, 8)>>>(
              doubles, reinterpret_cast<double*>(out), wide, high);
        },
        [&] {
          return each(std::size_t(wide) * high, [&](std::size_t i) {
            return Checked::at(reinterpret_cast<const double*>(out), i) ==
                   Checked::at(doubles, i % high * wide + i / high);
          });
        });
  }
  run(
      "banded rows", two, [&] { banded_rows<<<blocks(n / 16), 256>>>(words, in, other, out, n / 16); },
      [&] {
        const std::size_t m = n / 16;
        return each(m, [&](std::size_t row) {
          double sum = 0;
          for (int k = 0; k < 16; ++k)
            sum +=
                double{float_of(row + k * m)} * other_of(std::min(row + (word_of(row + k * m) & 255), m - 1));
          return near(value(row), sum);
        });
      });
  run(
      "ragged rows", one,
      [&] { ragged_rows<<<blocks(n / 32, 128), 128>>>(words, in, other, out, n / 32, table); },
      [&] {
        return each(n / 32, [&](std::size_t row) {
          double sum = 0;
          for (unsigned k = 0; k < 1 + (word_of(row * 32) & 31); ++k)
            sum += double{float_of(row * 32 + k)} * other_of(place_of(word_of(row * 32 + k), table));
          return near(value(row), sum);
        });
      });
}

}  // namespace
