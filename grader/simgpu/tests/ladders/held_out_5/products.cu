/// @file
/// Matrix products as lessons climb them: an element a thread, tiles of 16, tiles of 32 with four rows a
/// thread, doubles by 2 x 2, integers. Rows of the first factor go with the SMs; the second is as large on a
/// slice, and not counted.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr int kDepth = 256, kProductsWidth = 256;

__global__ void product_plain(const float* a, const float* b, float* c) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < kDepth; ++k) sum += a[y * kDepth + k] * b[k * kProductsWidth + x];
  c[y * kProductsWidth + x] = sum;
}
/// c = a a' of rows kept together: each block of 128 rows with itself.
__global__ void gram(const float* a, float* c) {
  __shared__ float p[16][17], q[16][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const float* rows = a + blockIdx.z * std::size_t{128 * kDepth};
  float sum = 0;
  for (int k0 = 0; k0 < kDepth; k0 += 16) {
    p[ty][tx] = rows[(blockIdx.y * 16 + ty) * kDepth + k0 + tx];
    q[ty][tx] = rows[(blockIdx.x * 16 + ty) * kDepth + k0 + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += p[ty][k] * q[tx][k];
    __syncthreads();
  }
  c[(blockIdx.z * std::size_t{128} + blockIdx.y * 16 + ty) * 128 + blockIdx.x * 16 + tx] = sum;
}
__global__ void __launch_bounds__(256) product_tile_32(const float* a, const float* b, float* c) {
  __shared__ float p[32][32], q[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y0 = blockIdx.y * 32;
  float sum[4] = {};
  for (int k0 = 0; k0 < kDepth; k0 += 32) {
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      p[ty + 8 * r][tx] = a[(y0 + ty + 8 * r) * kDepth + k0 + tx];
      q[ty + 8 * r][tx] = b[(k0 + ty + 8 * r) * kProductsWidth + x];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const float v = q[k][tx];
#pragma unroll
      for (int r = 0; r < 4; ++r) sum[r] += p[ty + 8 * r][k] * v;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) c[(y0 + ty + 8 * r) * kProductsWidth + x] = sum[r];
}
__global__ void __launch_bounds__(256) product_of_doubles(const double* a, const double* b, double* c) {
  __shared__ double p[32][17], q[16][32];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
  double sum[2][2] = {};
  for (int k0 = 0; k0 < kDepth; k0 += 16) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      p[ty + 16 * h][tx] = a[(y0 + ty + 16 * h) * kDepth + k0 + tx];
      q[t / 32 + 8 * h][t % 32] = b[(k0 + t / 32 + 8 * h) * kProductsWidth + x0 + t % 32];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int h = 0; h < 2; ++h) sum[r][h] += p[ty + 16 * r][k] * q[k][tx + 16 * h];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int h = 0; h < 2; ++h) c[(y0 + ty + 16 * r) * kProductsWidth + x0 + tx + 16 * h] = sum[r][h];
}
__global__ void product_of_integers(const unsigned* a, const unsigned* b, unsigned* c) {
  __shared__ unsigned p[16][16], q[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  unsigned sum = 0;
  for (int k0 = 0; k0 < kDepth; k0 += 16) {
    p[ty][tx] = a[y * kDepth + k0 + tx];
    q[ty][tx] = b[(k0 + ty) * kProductsWidth + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += p[ty][k] * q[k][tx];
    __syncthreads();
  }
  c[y * kProductsWidth + x] = sum;
}

}  // namespace

void products(Set& s) {
  const unsigned rows = s.sms * 64, tall = 2 * rows;
  const std::size_t count = std::size_t{rows} * kProductsWidth;
  const double moved = 4.0 * rows * (kDepth + kProductsWidth);
  const auto right = [&] {
    return floats(s, count, [](std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < kDepth; ++k)
        sum += double{float_of(i / kProductsWidth * kDepth + k)} *
               other_of(k * kProductsWidth + i % kProductsWidth);
      return sum;
    });
  };
  s.run(
      "product of 256 columns, blocks of 32 x 8", moved,
      [&] { product_plain<<<dim3(kProductsWidth / 32, rows / 8), dim3(32, 8)>>>(s.in, s.other, s.out); },
      right);
  s.run(
      "128 rows, each by each, tiles of 16", tall * (4.0 * kDepth + 4.0 * 128),
      [&] { gram<<<dim3(8, 8, tall / 128), dim3(16, 16)>>>(s.in, s.out); },
      [&] {
        return floats(s, tall * std::size_t{128}, [](std::size_t i) {
          const std::size_t row = i / 128, column = row / 128 * 128 + i % 128;
          double sum = 0;
          for (std::size_t k = 0; k < kDepth; ++k)
            sum += double{float_of(row * kDepth + k)} * float_of(column * kDepth + k);
          return sum;
        });
      });
  s.run(
      "product by tiles of 32, four rows a thread", moved,
      [&] { product_tile_32<<<dim3(kProductsWidth / 32, rows / 32), dim3(32, 8)>>>(s.in, s.other, s.out); },
      right);
  std::vector<double> first(count), second(kDepth * kProductsWidth);
  for (std::size_t i = 0; i < count; ++i) first[i] = float_of(i);
  for (std::size_t i = 0; i < second.size(); ++i) second[i] = other_of(i);
  double *first_there = kept(first), *second_there = kept(second);
  s.run(
      "product of doubles, 2 x 2 a thread", 2 * moved,
      [&] {
        product_of_doubles<<<dim3(kProductsWidth / 32, rows / 32), dim3(16, 16)>>>(
            first_there, second_there, reinterpret_cast<double*>(s.out));
      },
      [&] {
        return Set::each(count, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kDepth; ++k)
            sum += first[i / kProductsWidth * kDepth + k] * second[k * kProductsWidth + i % kProductsWidth];
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i), sum, 1e-10);
        });
      });
  cudaFree(first_there), cudaFree(second_there);
  s.run(
      "product of integers, tiles of 16", moved,
      [&] {
        product_of_integers<<<dim3(kProductsWidth / 16, rows / 16), dim3(16, 16)>>>(s.words, s.words + 4096,
                                                                                    s.numbers());
      },
      [&] {
        return numbers(s, count, [](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = 0; k < kDepth; ++k)
            sum += word_of(i / kProductsWidth * kDepth + k) *
                   word_of(4096 + k * kProductsWidth + i % kProductsWidth);
          return sum;
        });
      });
}

}  // namespace held_out_5
