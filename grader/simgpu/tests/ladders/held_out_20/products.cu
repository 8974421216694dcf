/// @file
/// Products: all entries of small matrices by each other, strips of halves turned by themselves by tensor
/// cores, doubles four by two a thread, batches of 40 x 40.
#include <mma.h>

#include <algorithm>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kFactorSide = 12, kOfFactor = kFactorSide * kFactorSide,
                   kCrossSide = kFactorSide * kFactorSide, kCrossRows = 2;
constexpr std::size_t kOfCross = std::size_t{kCrossSide} * kCrossSide;
/// A block has the product of two matrices, a thread a column of every other row.
__global__ void __launch_bounds__(kCrossSide* kCrossRows)
    cross_products(const float* a, const float* b, float* out) {
  __shared__ float left[kOfFactor], right[kOfFactor];
  const unsigned x = threadIdx.x;
  if (threadIdx.y == 0)
    left[x] = a[std::size_t{blockIdx.x} * kOfFactor + x];
  else
    right[x] = b[std::size_t{blockIdx.x} * kOfFactor + x];
  __syncthreads();
  const unsigned outer_x = x / kFactorSide, inner_x = x % kFactorSide;
#pragma unroll 4
  for (unsigned y = threadIdx.y; y < kCrossSide; y += kCrossRows)
    out[blockIdx.x * kOfCross + y * kCrossSide + x] =
        left[y / kFactorSide * kFactorSide + outer_x] * right[y % kFactorSide * kFactorSide + inner_x];
}

constexpr unsigned kStripWide = 32, kStripHigh = 128, kStripWarps = 4;
constexpr std::size_t kOfStrip = std::size_t{kStripWide} * kStripHigh,
                      kOfStripProduct = std::size_t{kStripWide} * kStripWide;
/// A warp has a strip; the same memory is read as columns and as rows.
__global__ void __launch_bounds__(32 * kStripWarps)
    turned_by_itself(const __half* in, float* out, unsigned m) {
  namespace wmma = nvcuda::wmma;
  const unsigned strip = blockIdx.x * kStripWarps + threadIdx.x / 32;
  if (strip >= m) return;
  in += strip * kOfStrip;
  out += strip * kOfStripProduct;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) wmma::fill_fragment(sums[k / 2][k % 2], 0.0f);
  for (unsigned y = 0; y < kStripHigh; y += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> u[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> v[2];
#pragma unroll
    for (unsigned k = 0; k < 2; ++k) {
      wmma::load_matrix_sync(u[k], in + y * kStripWide + 16 * k, kStripWide);
      wmma::load_matrix_sync(v[k], in + y * kStripWide + 16 * k, kStripWide);
    }
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      wmma::mma_sync(sums[k / 2][k % 2], u[k / 2], v[k % 2], sums[k / 2][k % 2]);
  }
#pragma unroll
  for (unsigned k = 0; k < 4; ++k)
    wmma::store_matrix_sync(out + k / 2 * 16 * kStripWide + k % 2 * 16, sums[k / 2][k % 2], kStripWide,
                            wmma::mem_row_major);
}

constexpr unsigned kTwiceWide = 128, kTwiceDeep = 96, kTwiceHigh = 64, kTwiceTile = 32, kTwiceStep = 16,
                   kTwiceThreads = 256;
/// A block has 64 x 32 of the product, a thread 4 x 2.
__global__ void __launch_bounds__(kTwiceThreads)
    product_of_doubles(const double* a, const double* b, double* c) {
  __shared__ double left[kTwiceHigh][kTwiceStep + 1], right[kTwiceStep][kTwiceTile];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const unsigned x0 = blockIdx.x * kTwiceTile, y0 = blockIdx.y * kTwiceHigh;
  double sums[4][2] = {};
  for (unsigned from = 0; from < kTwiceDeep; from += kTwiceStep) {
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      left[ty + 16 * k][tx] = a[std::size_t{y0 + ty + 16 * k} * kTwiceDeep + from + tx];
#pragma unroll
    for (unsigned k = 0; k < 2; ++k)
      right[ty][tx + 16 * k] = b[std::size_t{from + ty} * kTwiceWide + x0 + tx + 16 * k];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kTwiceStep; ++k) {
      const double v[2] = {right[k][tx], right[k][tx + 16]};
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        const double u = left[ty + 16 * i][k];
        sums[i][0] += u * v[0];
        sums[i][1] += u * v[1];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 2; ++j)
      c[std::size_t{y0 + ty + 16 * i} * kTwiceWide + x0 + tx + 16 * j] = sums[i][j];
}

constexpr unsigned kFortySide = 40, kOfForty = kFortySide * kFortySide, kFortyThreads = 100;
/// A thread has 4 x 4 of a product.
__global__ void __launch_bounds__(kFortyThreads)
    batches_of_forty(const float4* a, const float4* b, float4* c) {
  __shared__ alignas(16) float left[kFortySide][kFortySide], right[kFortySide][kFortySide];
  const unsigned t = threadIdx.x, tx = t % 10 * 4, ty = t / 10 * 4;
  const std::size_t first = std::size_t{blockIdx.x} * (kOfForty / 4);
#pragma unroll
  for (unsigned k = t; k < kOfForty / 4; k += kFortyThreads) {
    reinterpret_cast<float4*>(&left[0][0])[k] = a[first + k];
    reinterpret_cast<float4*>(&right[0][0])[k] = b[first + k];
  }
  __syncthreads();
  float sums[4][4] = {};
#pragma unroll 8
  for (unsigned k = 0; k < kFortySide; ++k) {
    float v[4];
    *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(&right[k][tx]);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      const float u = left[ty + i][k];
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) sums[i][j] += u * v[j];
    }
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
    c[first + (ty + i) * (kFortySide / 4) + tx / 4] =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned crossed = as_number(n / 4 / kOfCross);
  s.run(
      "Kronecker's products of matrices of 12 x 12, a block of 288 each",
      (4.0 * real(kOfCross) + 8.0 * kOfFactor) * crossed,
      [&] { cross_products<<<crossed, dim3(kCrossSide, kCrossRows)>>>(s.in, s.other, s.out); },
      [&] {
        return near_everywhere(s, kOfCross * crossed, 1e-6, [](std::size_t i) {
          const std::size_t first = i / kOfCross * kOfFactor, y = i % kOfCross / kCrossSide,
                            x = i % kCrossSide;
          return double{float_of(first + y / kFactorSide * kFactorSide + x / kFactorSide)} *
                 other_of(first + y % kFactorSide * kFactorSide + x % kFactorSide);
        });
      });

  const unsigned strips = as_number(n / 4 / kOfStrip);
  s.run(
      "strips of 128 x 32 halves turned by themselves by wmma, a warp each",
      (2.0 * real(kOfStrip) + 4.0 * real(kOfStripProduct)) * strips,
      [&] {
        turned_by_itself<<<Set::blocks(strips, kStripWarps), 32 * kStripWarps>>>(s.halves, s.out, strips);
      },
      [&] {
        return near_everywhere(
            s, kOfStripProduct * strips, 1e-4,
            [](std::size_t i) {
              const std::size_t first = i / kOfStripProduct * kOfStrip;
              double sum = 0;
              for (std::size_t y = 0; y < kStripHigh; ++y)
                sum += double{half_of(first + y * kStripWide + i % kOfStripProduct / kStripWide)} *
                       half_of(first + y * kStripWide + i % kStripWide);
              return sum;
            },
            7);
      });

  const unsigned twice_high = 4 * kTwiceHigh * s.sms;
  s.run(
      "product of doubles of 128 columns, 64 x 32 a block, 4 x 2 a thread",
      8.0 * (kTwiceDeep + kTwiceWide) * twice_high,
      [&] {
        product_of_doubles<<<dim3(kTwiceWide / kTwiceTile, twice_high / kTwiceHigh), kTwiceThreads>>>(
            reinterpret_cast<const double*>(s.in), reinterpret_cast<const double*>(s.other),
            reinterpret_cast<double*>(s.out));
      },
      [&] {
        return near_everywhere<double>(
            s, std::size_t{kTwiceWide} * twice_high, 1e-11,
            [](std::size_t i) {
              double sum = 0;
              for (std::size_t k = 0; k < kTwiceDeep; ++k)
                sum += double_of(i / kTwiceWide * kTwiceDeep + k) *
                       double_of(k * kTwiceWide + i % kTwiceWide, 33331);
              return sum;
            },
            101);
      });

  const unsigned forties = as_number(n / 12 / kOfForty);
  s.run(
      "batches of 40 x 40 multiplied in shared memory, 4 x 4 a thread", 12.0 * kOfForty * forties,
      [&] {
        batches_of_forty<<<forties, kFortyThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                     reinterpret_cast<const float4*>(s.other), s.vectors());
      },
      [&] {
        return near_everywhere(
            s, std::size_t{kOfForty} * forties, 1e-5,
            [](std::size_t i) {
              const std::size_t first = i / kOfForty * kOfForty, y = i % kOfForty / kFortySide;
              double sum = 0;
              for (std::size_t k = 0; k < kFortySide; ++k)
                sum += double{float_of(first + y * kFortySide + k)} *
                       other_of(first + k * kFortySide + i % kFortySide);
              return sum;
            },
            7);
      });
}

}  // namespace held_out_20
