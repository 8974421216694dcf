/// @file
/// Products: an element a thread, batches by tiles of sixteen, eight by eight a thread, halves by tensor cores.
#include <mma.h>

#include <algorithm>

#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kPlainWide = 224, kPlainDeep = 256, kPlainX = 64, kPlainY = 4;
__global__ void product_of_224(const float* a, const float* b, float* c, unsigned high) {
  const unsigned x = blockIdx.x * kPlainX + threadIdx.x, y = blockIdx.y * kPlainY + threadIdx.y;
  if (x >= kPlainWide || y >= high) return;
  float sum = 0.0f;
  for (unsigned k = 0; k < kPlainDeep; ++k)
    sum += a[std::size_t{y} * kPlainDeep + k] * b[std::size_t{k} * kPlainWide + x];
  c[std::size_t{y} * kPlainWide + x] = sum;
}

constexpr unsigned kBatchSide = 96, kBatchTile = 16;
constexpr std::size_t kOfBatch = std::size_t{kBatchSide} * kBatchSide;
constexpr float kTakenAway = 360.0f;
/// Less what a column takes away, and not below nought.
__global__ void __launch_bounds__(kBatchTile* kBatchTile)
    products_of_batches(const float* a, const float* b, const float* away, float* c) {
  __shared__ float left[kBatchTile][kBatchTile], right[kBatchTile][kBatchTile];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * kBatchTile + tx, y = blockIdx.y * kBatchTile + ty;
  a += blockIdx.z * kOfBatch;
  b += blockIdx.z * kOfBatch;
  float sum = -kTakenAway * away[x];
  for (unsigned from = 0; from < kBatchSide; from += kBatchTile) {
    left[ty][tx] = a[y * kBatchSide + from + tx];
    right[ty][tx] = b[(from + ty) * kBatchSide + x];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kBatchTile; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  c[blockIdx.z * kOfBatch + y * kBatchSide + x] = fmaxf(sum, 0.0f);
}

constexpr unsigned kEightWide = 256, kEightDeep = 256, kEightHigh = 128, kEightTile = 64, kEightStep = 16,
                   kEightThreads = 128;
/// A thread has 8 x 8. The first factor's tile is turned on its way to shared memory.
__global__ void __launch_bounds__(kEightThreads)
    product_eight_by_eight(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
  __shared__ alignas(16) float left[kEightStep][kEightHigh + 4], right[kEightStep][kEightTile];
  const unsigned t = threadIdx.x, tx = t % 8 * 8, ty = t / 8 * 8;
  const unsigned x0 = blockIdx.x * kEightTile, y0 = blockIdx.y * kEightHigh;
  float sums[8][8] = {};
  for (unsigned from = 0; from < kEightDeep; from += kEightStep) {
#pragma unroll
    for (unsigned k = t; k < kEightHigh * kEightStep / 4; k += kEightThreads) {
      const unsigned row = k / (kEightStep / 4), column = k % (kEightStep / 4) * 4;
      const float4 v =
          *reinterpret_cast<const float4*>(a + std::size_t{y0 + row} * kEightDeep + from + column);
      left[column][row] = v.x;
      left[column + 1][row] = v.y;
      left[column + 2][row] = v.z;
      left[column + 3][row] = v.w;
    }
#pragma unroll
    for (unsigned k = t; k < kEightStep * kEightTile / 4; k += kEightThreads) {
      const unsigned row = k / (kEightTile / 4), column = k % (kEightTile / 4) * 4;
      *reinterpret_cast<float4*>(&right[row][column]) =
          *reinterpret_cast<const float4*>(b + std::size_t{from + row} * kEightWide + x0 + column);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kEightStep; ++k) {
      float u[8], v[8];
#pragma unroll
      for (unsigned i = 0; i < 8; i += 4) {
        *reinterpret_cast<float4*>(u + i) = *reinterpret_cast<const float4*>(&left[k][ty + i]);
        *reinterpret_cast<float4*>(v + i) = *reinterpret_cast<const float4*>(&right[k][tx + i]);
      }
#pragma unroll
      for (unsigned i = 0; i < 8; ++i)
#pragma unroll
        for (unsigned j = 0; j < 8; ++j) sums[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i)
#pragma unroll
    for (unsigned j = 0; j < 8; j += 4)
      *reinterpret_cast<float4*>(c + std::size_t{y0 + ty + i} * kEightWide + x0 + tx + j) =
          make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
}

constexpr unsigned kColumnsWide = 256, kColumnsDeep = 512, kColumnsTile = 64, kColumnsStep = 32,
                   kColumnsPitch = kColumnsStep + 8, kColumnsThreads = 128;
constexpr std::size_t kColumnsFirst =
    std::size_t{kColumnsWide} * kColumnsDeep;  // where the first factor begins
/// Each of four warps has 32 x 32; the second factor lies column by column.
__global__ void __launch_bounds__(kColumnsThreads)
    product_of_halves_by_columns(const __half* a, const __half* b, float* c) {
  namespace wmma = nvcuda::wmma;
  __shared__ alignas(32) __half left[kColumnsTile][kColumnsPitch], right[kColumnsTile][kColumnsPitch];
  const unsigned t = threadIdx.x, warp = t / 32, wx = warp % 2 * 32, wy = warp / 2 * 32;
  const unsigned x0 = blockIdx.x * kColumnsTile, y0 = blockIdx.y * kColumnsTile;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
  for (auto& row : sums)
    for (auto& each : row) wmma::fill_fragment(each, 0.0f);
  for (unsigned from = 0; from < kColumnsDeep; from += kColumnsStep) {
#pragma unroll
    for (unsigned k = t; k < kColumnsTile * kColumnsStep / 8; k += kColumnsThreads) {
      const unsigned row = k / (kColumnsStep / 8), column = k % (kColumnsStep / 8) * 8;
      *reinterpret_cast<uint4*>(&left[row][column]) =
          *reinterpret_cast<const uint4*>(a + std::size_t{y0 + row} * kColumnsDeep + from + column);
      *reinterpret_cast<uint4*>(&right[row][column]) =
          *reinterpret_cast<const uint4*>(b + std::size_t{x0 + row} * kColumnsDeep + from + column);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kColumnsStep; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> u[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> v[2];
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) {
        wmma::load_matrix_sync(u[i], &left[wy + 16 * i][k], kColumnsPitch);
        wmma::load_matrix_sync(v[i], &right[wx + 16 * i][k], kColumnsPitch);
      }
#pragma unroll
      for (unsigned i = 0; i < 2; ++i)
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], u[i], v[j], sums[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 2; ++i)
#pragma unroll
    for (unsigned j = 0; j < 2; ++j)
      wmma::store_matrix_sync(c + std::size_t{y0 + wy + 16 * i} * kColumnsWide + x0 + wx + 16 * j, sums[i][j],
                              kColumnsWide, wmma::mem_row_major);
}

/// A row of the one array, @p deep long, by a column of the other, @p wide of which lie side by side.
auto row_by_column(std::size_t deep, std::size_t wide) {
  return [=](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < deep; ++k)
      sum += double{float_of(i / wide * deep + k)} * other_of(k * wide + i % wide);
    return sum;
  };
}
constexpr std::size_t kLookedAt = 211;  // each such element of a product; a prime

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned plain = as_number(n / 64 / kPlainDeep);
  s.run(
      "product of 224 columns, an element a thread, blocks of 64 x 4",
      4.0 * (kPlainDeep + kPlainWide) * plain,
      [&] {
        product_of_224<<<dim3(Set::blocks(kPlainWide, kPlainX), Set::blocks(plain, kPlainY)),
                         dim3(kPlainX, kPlainY)>>>(s.in, s.other, s.out, plain);
      },
      [&] {
        return near_everywhere(s, std::size_t{kPlainWide} * plain, 1e-4,
                               row_by_column(kPlainDeep, kPlainWide), kLookedAt);
      });

  const unsigned batches = 4 * s.sms;
  s.run(
      "batches of 96 x 96 multiplied by tiles of 16, less a column's own and cut off below nought",
      12.0 * real(kOfBatch) * batches,
      [&] {
        products_of_batches<<<dim3(kBatchSide / kBatchTile, kBatchSide / kBatchTile, batches),
                              dim3(kBatchTile, kBatchTile)>>>(s.in, s.other, s.in, s.out);
      },
      [&] {
        return near_everywhere(
            s, kOfBatch * batches, 0.01,
            [](std::size_t i) {
              const std::size_t first = i / kOfBatch * kOfBatch, y = i % kOfBatch / kBatchSide,
                                x = i % kBatchSide;
              double sum = -double{kTakenAway} * float_of(x);
              for (std::size_t k = 0; k < kBatchSide; ++k)
                sum += double{float_of(first + y * kBatchSide + k)} * other_of(first + k * kBatchSide + x);
              return std::max(sum, 0.0);
            },
            kLookedAt);
      });

  const unsigned eight = kEightHigh * s.sms;
  s.run(
      "product of 256 columns, 128 x 64 a block of 128, 8 x 8 a thread, the first factor turned in shared "
      "memory",
      4.0 * (kEightDeep + kEightWide) * eight,
      [&] {
        product_eight_by_eight<<<dim3(kEightWide / kEightTile, eight / kEightHigh), kEightThreads>>>(
            s.in, s.other, s.out);
      },
      [&] {
        return near_everywhere(s, std::size_t{kEightWide} * eight, 1e-4,
                               row_by_column(kEightDeep, kEightWide), kLookedAt);
      });

  const unsigned tall = 4 * kColumnsTile * s.sms;
  s.run(
      "halves by wmma, 64 x 64 a block of four warps, the second factor column by column",
      (2.0 * kColumnsDeep + 4.0 * kColumnsWide) * tall,
      [&] {
        product_of_halves_by_columns<<<dim3(kColumnsWide / kColumnsTile, tall / kColumnsTile),
                                       kColumnsThreads>>>(s.halves + kColumnsFirst, s.halves, s.out);
      },
      [&] {
        return near_everywhere(
            s, std::size_t{kColumnsWide} * tall, 1e-4,
            [](std::size_t i) {
              double sum = 0;
              for (std::size_t k = 0; k < kColumnsDeep; ++k)
                sum += double{half_of(kColumnsFirst + i / kColumnsWide * kColumnsDeep + k)} *
                       half_of(i % kColumnsWide * kColumnsDeep + k);
              return sum;
            },
            kLookedAt);
      });
}

}  // namespace held_out_18
