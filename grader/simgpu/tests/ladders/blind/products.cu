/// @file
/// Matrix products by blocks. The first factor and the product have rows for each SM; the second factor is as large on a slice as on a card, and
/// not counted.
#include <cuda_pipeline.h>

#include "blind.hpp"

namespace blind {
namespace {

constexpr int kDepth = 512, kWidth = 512;

/// 64 x 32 of the product by 256 threads, 4 x 2 each.
__global__ void __launch_bounds__(256) product_of_strips(const float* a, const float* b, float* c) {
  __shared__ float as[16][65], bs[16][32];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const std::size_t x0 = blockIdx.x * 32, y0 = blockIdx.y * 64;
  float sum[4][2] = {};
  for (int k0 = 0; k0 < kDepth; k0 += 16) {
#pragma unroll
    for (int r = 0; r < 4; ++r) as[tx][ty + 16 * r] = a[(y0 + ty + 16 * r) * kDepth + k0 + tx];
#pragma unroll
    for (int h = 0; h < 2; ++h) bs[ty][tx + 16 * h] = b[std::size_t(k0 + ty) * kWidth + x0 + tx + 16 * h];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float q0 = bs[k][tx], q1 = bs[k][tx + 16];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float p = as[k][ty * 4 + r];
        sum[r][0] += p * q0, sum[r][1] += p * q1;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int h = 0; h < 2; ++h) c[(y0 + ty * 4 + r) * kWidth + x0 + tx + 16 * h] = sum[r][h];
}
/// The first factor lies transposed: kDepth rows of @p height.
__global__ void product_of_transposed(const float* a, const float* b, float* c, int height) {
  __shared__ float2 as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const std::size_t x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (int k0 = 0; k0 < kDepth; k0 += 16) {
    as[ty][tx] = *reinterpret_cast<const float2*>(&a[std::size_t(k0 + ty) * height + y0 + 2 * tx]);
    bs[ty][tx] = *reinterpret_cast<const float2*>(&b[std::size_t(k0 + ty) * kWidth + x0 + 2 * tx]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float2 p = as[k][ty], q = bs[k][tx];
      s00 += p.x * q.x, s01 += p.x * q.y, s10 += p.y * q.x, s11 += p.y * q.y;
    }
    __syncthreads();
  }
  float* at = c + (y0 + 2 * ty) * kWidth + x0 + 2 * tx;
  *reinterpret_cast<float2*>(at) = make_float2(s00, s01);
  *reinterpret_cast<float2*>(at + kWidth) = make_float2(s10, s11);
}
/// 64 x 64 by 256 threads, 4 x 4 each; the next tiles are copied while these are used.
__global__ void __launch_bounds__(256) product_copied_ahead(const float* a, const float* b, float* c) {
  __shared__ alignas(16) float as[2][64][20], bs[2][16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const std::size_t x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
  const auto fetch = [&](int stage, int k0) {
    __pipeline_memcpy_async(&as[stage][t / 4][t % 4 * 4], &a[(y0 + t / 4) * kDepth + k0 + t % 4 * 4], 16);
    __pipeline_memcpy_async(&bs[stage][ty][tx * 4], &b[std::size_t(k0 + ty) * kWidth + x0 + tx * 4], 16);
    __pipeline_commit();
  };
  float sum[4][4] = {};
  fetch(0, 0);
  for (int k0 = 0, stage = 0; k0 < kDepth; k0 += 16, stage ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k0 + 16 < kDepth) fetch(stage ^ 1, k0 + 16);
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 q = *reinterpret_cast<const float4*>(&bs[stage][k][tx * 4]);
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const float p = as[stage][ty * 4 + r][k];
        sum[r][0] += p * q.x, sum[r][1] += p * q.y, sum[r][2] += p * q.z, sum[r][3] += p * q.w;
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r)
    *reinterpret_cast<float4*>(&c[(y0 + ty * 4 + r) * kWidth + x0 + tx * 4]) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
/// Halves, two columns a thread, four rows; 32 x 64 a block.
__global__ void __launch_bounds__(256) product_of_halves(const __half* a, const __half2* b, __half2* c) {
  __shared__ __half2 as[32][33], bs[32][32];
  const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
  const std::size_t x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
  __half2 sum[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) sum[r] = __float2half2_rn(0);
  for (int k0 = 0; k0 < 256; k0 += 32) {
#pragma unroll
    for (int r = 0; r < 32; r += 8) {
      as[ty + r][tx] = __half2half2(a[(y0 + ty + r) * 256 + k0 + tx]);
      bs[ty + r][tx] = b[std::size_t(k0 + ty + r) * (kWidth / 2) + x0 + tx];
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; ++k)
#pragma unroll
      for (int r = 0; r < 4; ++r) sum[r] = __hfma2(as[ty + 8 * r][k], bs[k][tx], sum[r]);
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) c[(y0 + ty + 8 * r) * (kWidth / 2) + x0 + tx] = sum[r];
}
/// Bytes, four at a time along the depth of 512; the second factor lies transposed. 32 x 32 a block, 2 x 2 a thread.
__global__ void product_of_bytes(const int* a, const int* b, int* c) {
  __shared__ int as[32][17], bs[32][17];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const std::size_t x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
  int sum[2][2] = {};
  for (int k0 = 0; k0 < 128; k0 += 16) {
    as[ty][tx] = a[(y0 + ty) * 128 + k0 + tx], as[ty + 16][tx] = a[(y0 + ty + 16) * 128 + k0 + tx];
    bs[ty][tx] = b[(x0 + ty) * 128 + k0 + tx], bs[ty + 16][tx] = b[(x0 + ty + 16) * 128 + k0 + tx];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int r = 0; r < 2; ++r)
#pragma unroll
        for (int h = 0; h < 2; ++h) sum[r][h] = __dp4a(as[ty + 16 * r][k], bs[tx + 16 * h][k], sum[r][h]);
    __syncthreads();
  }
  for (int r = 0; r < 2; ++r)
    for (int h = 0; h < 2; ++h) c[(y0 + ty + 16 * r) * kWidth + x0 + tx + 16 * h] = sum[r][h];
}

}  // namespace

void products(Set& s) {
  const unsigned rows = s.sms * 128;
  const double moved = 4.0 * rows * (kDepth + kWidth);
  const auto right = [&](bool transposed) {
    return [&s, rows, transposed] {
      return Set::each(std::size_t{rows} * kWidth, [&](std::size_t i) {
        double sum = 0;
        for (std::size_t k = 0; k < kDepth; ++k)
          sum += double{float_of(transposed ? k * rows + i / kWidth : i / kWidth * kDepth + k)} *
                 other_of(k * kWidth + i % kWidth);
        return Set::near(s.value(i), sum);
      });
    };
  };
  s.run(
      "product, 64 x 32 a block", moved,
      [&] { product_of_strips<<<dim3(kWidth / 32, rows / 64), 256>>>(s.in, s.other, s.out); }, right(false));
  s.run(
      "product of a transposed matrix", moved,
      [&] {
        product_of_transposed<<<dim3(kWidth / 32, rows / 32), dim3(16, 16)>>>(s.in, s.other, s.out,
                                                                              static_cast<int>(rows));
      },
      right(true));
  s.run(
      "product, tiles copied ahead", moved,
      [&] { product_copied_ahead<<<dim3(kWidth / 64, rows / 64), 256>>>(s.in, s.other, s.out); },
      right(false));
  s.run(
      "product of halves", 2.0 * rows * (256 + kWidth),
      [&] {
        product_of_halves<<<dim3(kWidth / 64, rows / 32), 256>>>(
            s.halves, reinterpret_cast<__half2*>(s.halves + 1024), reinterpret_cast<__half2*>(s.out));
      },
      [&] {
        return Set::each(std::size_t{rows} * kWidth, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 256; ++k)
            sum += double{half_of(i / kWidth * 256 + k)} * half_of(1024 + k * kWidth + i % kWidth);
          return Set::near(__half2float(Checked::at(reinterpret_cast<const __half*>(s.out), i)), sum, 0.03);
        });
      });
  s.run(
      "product of bytes", rows * (512.0 + 4.0 * kWidth),
      [&] {
        product_of_bytes<<<dim3(kWidth / 32, rows / 32), dim3(16, 16)>>>(
            reinterpret_cast<int*>(s.words), reinterpret_cast<int*>(s.words + 4096),
            reinterpret_cast<int*>(s.out));
      },
      [&] {
        return Set::each(std::size_t{rows} * kWidth, [&](std::size_t i) {
          int sum = 0;
          for (std::size_t k = 0; k < 512; ++k)
            sum += static_cast<signed char>(byte_of(i / kWidth * 512 + k)) *
                   static_cast<signed char>(byte_of(16384 + i % kWidth * 512 + k));
          return static_cast<int>(s.number(i)) == sum;
        });
      });
}

}  // namespace blind
