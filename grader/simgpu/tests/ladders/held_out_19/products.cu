/// @file
/// Products: eight by four a thread out of shared memory, words modulo a prime, least sums instead of
/// products, batches of halves by tensor cores.
#include <mma.h>

#include <algorithm>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kWideColumns = 480, kWideDeep = 256, kWideHigh = 64, kWideTile = 96, kWideStep = 16,
                   kWideThreads = 192;
/// A thread has 8 x 4. The first factor's tile is turned on its way to shared memory.
__global__ void __launch_bounds__(kWideThreads)
    product_eight_by_four(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
  __shared__ alignas(16) float left[kWideStep][kWideHigh + 4], right[kWideStep][kWideTile];
  const unsigned t = threadIdx.x, tx = t % (kWideTile / 4) * 4, ty = t / (kWideTile / 4) * 8;
  const unsigned x0 = blockIdx.x * kWideTile, y0 = blockIdx.y * kWideHigh;
  float sums[8][4] = {};
  for (unsigned from = 0; from < kWideDeep; from += kWideStep) {
    for (unsigned k = t; k < kWideHigh * kWideStep / 4; k += kWideThreads) {
      const unsigned row = k / (kWideStep / 4), column = k % (kWideStep / 4) * 4;
      const float4 v =
          *reinterpret_cast<const float4*>(a + std::size_t{y0 + row} * kWideDeep + from + column);
      left[column][row] = v.x;
      left[column + 1][row] = v.y;
      left[column + 2][row] = v.z;
      left[column + 3][row] = v.w;
    }
#pragma unroll
    for (unsigned k = t; k < kWideStep * kWideTile / 4; k += kWideThreads) {
      const unsigned row = k / (kWideTile / 4), column = k % (kWideTile / 4) * 4;
      *reinterpret_cast<float4*>(&right[row][column]) =
          *reinterpret_cast<const float4*>(b + std::size_t{from + row} * kWideColumns + x0 + column);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kWideStep; ++k) {
      float u[8], v[4];
      *reinterpret_cast<float4*>(u) = *reinterpret_cast<const float4*>(&left[k][ty]);
      *reinterpret_cast<float4*>(u + 4) = *reinterpret_cast<const float4*>(&left[k][ty + 4]);
      *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(&right[k][tx]);
#pragma unroll
      for (unsigned i = 0; i < 8; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) sums[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i)
    *reinterpret_cast<float4*>(c + std::size_t{y0 + ty + i} * kWideColumns + x0 + tx) =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

constexpr unsigned kModulus = 65521, kModuloWide = 128, kModuloDeep = 128, kModuloTile = 32, kModuloRows = 8,
                   kModuloEach = kModuloTile / kModuloRows;
/// Sums are taken modulo the prime at the end: they do not overflow.
__global__ void __launch_bounds__(kModuloTile* kModuloRows)
    product_modulo_prime(const unsigned* a, const unsigned* b, unsigned* c) {
  __shared__ unsigned left[kModuloTile][kModuloTile], right[kModuloTile][kModuloTile];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * kModuloTile + tx, y0 = blockIdx.y * kModuloTile;
  unsigned long long sums[kModuloEach] = {};
  for (unsigned from = 0; from < kModuloDeep; from += kModuloTile) {
#pragma unroll
    for (unsigned k = ty; k < kModuloTile; k += kModuloRows) {
      left[k][tx] = a[std::size_t{y0 + k} * kModuloDeep + from + tx] % kModulus;
      right[k][tx] = b[std::size_t{from + k} * kModuloWide + x] % kModulus;
    }
    __syncthreads();
#pragma unroll 8
    for (unsigned k = 0; k < kModuloTile; ++k) {
      const unsigned v = right[k][tx];
#pragma unroll
      for (unsigned i = 0; i < kModuloEach; ++i)
        sums[i] += static_cast<unsigned long long>(left[ty + i * kModuloRows][k]) * v;
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < kModuloEach; ++i)
    c[std::size_t{y0 + ty + i * kModuloRows} * kModuloWide + x] = static_cast<unsigned>(sums[i] % kModulus);
}

constexpr unsigned kWaysWide = 256, kWaysDeep = 192, kWaysTile = 32, kWaysSide = 16, kWaysStep = 16;
/// The least way over a node in between; a thread has 2 x 2.
__global__ void __launch_bounds__(kWaysSide* kWaysSide) least_sums(const float* a, const float* b, float* c) {
  __shared__ float left[kWaysTile][kWaysStep + 1], right[kWaysStep][kWaysTile];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * kWaysTile, y0 = blockIdx.y * kWaysTile;
  float least[2][2] = {{1e30f, 1e30f}, {1e30f, 1e30f}};
  for (unsigned from = 0; from < kWaysDeep; from += kWaysStep) {
    left[ty][tx] = a[std::size_t{y0 + ty} * kWaysDeep + from + tx];
    left[ty + kWaysSide][tx] = a[std::size_t{y0 + ty + kWaysSide} * kWaysDeep + from + tx];
    right[ty][tx] = b[std::size_t{from + ty} * kWaysWide + x0 + tx];
    right[ty][tx + kWaysSide] = b[std::size_t{from + ty} * kWaysWide + x0 + tx + kWaysSide];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kWaysStep; ++k) {
      const float u[2] = {left[ty][k], left[ty + kWaysSide][k]},
                  v[2] = {right[k][tx], right[k][tx + kWaysSide]};
#pragma unroll
      for (unsigned i = 0; i < 2; ++i)
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) least[i][j] = fminf(least[i][j], u[i] + v[j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 2; ++i)
#pragma unroll
    for (unsigned j = 0; j < 2; ++j)
      c[std::size_t{y0 + ty + i * kWaysSide} * kWaysWide + x0 + tx + j * kWaysSide] = least[i][j];
}

constexpr unsigned kLittleSide = 48, kLittleDeep = 64, kLittleWarps = kLittleSide / 16;
constexpr std::size_t kOfLittle = std::size_t{kLittleSide} * kLittleDeep,
                      kOfLittleProduct = std::size_t{kLittleSide} * kLittleSide;
/// A warp has sixteen rows of a product.
__global__ void __launch_bounds__(32 * kLittleWarps)
    little_products(const __half* a, const __half* b, float* c) {
  namespace wmma = nvcuda::wmma;
  const unsigned y0 = threadIdx.x / 32 * 16;
  a += blockIdx.x * kOfLittle + y0 * kLittleDeep;
  b += blockIdx.x * kOfLittle;
  c += blockIdx.x * kOfLittleProduct + y0 * kLittleSide;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[kLittleWarps];
  for (auto& each : sums) wmma::fill_fragment(each, 0.0f);
#pragma unroll
  for (unsigned k = 0; k < kLittleDeep; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> u;
    wmma::load_matrix_sync(u, a + k, kLittleDeep);
#pragma unroll
    for (unsigned j = 0; j < kLittleWarps; ++j) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> v;
      wmma::load_matrix_sync(v, b + k * kLittleSide + 16 * j, kLittleSide);
      wmma::mma_sync(sums[j], u, v, sums[j]);
    }
  }
#pragma unroll
  for (unsigned j = 0; j < kLittleWarps; ++j)
    wmma::store_matrix_sync(c + 16 * j, sums[j], kLittleSide, wmma::mem_row_major);
}

constexpr std::size_t kEveryOfProduct = 199;  // each such element is looked at; a prime

}  // namespace

void products(Set& s) {
  const unsigned wide_high = kWideHigh * s.sms;
  s.run(
      "product of 480 columns, 64 x 96 a block of 192, 8 x 4 a thread",
      4.0 * (kWideDeep + kWideColumns) * wide_high,
      [&] {
        product_eight_by_four<<<dim3(kWideColumns / kWideTile, wide_high / kWideHigh), kWideThreads>>>(
            s.in, s.other, s.out);
      },
      [&] {
        return near_everywhere(
            s, std::size_t{kWideColumns} * wide_high, 1e-4,
            [](std::size_t i) {
              double sum = 0;
              for (std::size_t k = 0; k < kWideDeep; ++k)
                sum += double{float_of(i / kWideColumns * kWideDeep + k)} *
                       other_of(k * kWideColumns + i % kWideColumns);
              return sum;
            },
            kEveryOfProduct);
      });

  const unsigned modulo_high = 8 * kModuloTile * s.sms;
  const std::size_t second = std::size_t{modulo_high} * kModuloDeep;
  s.run(
      "product of words modulo a prime of 16 bits, tiles of 32, four rows a thread",
      4.0 * (kModuloDeep + kModuloWide) * modulo_high,
      [&] {
        product_modulo_prime<<<dim3(kModuloWide / kModuloTile, modulo_high / kModuloTile),
                               dim3(kModuloTile, kModuloRows)>>>(s.words, s.words + second, s.numbers());
      },
      [&] {
        return same_everywhere(
            s, std::size_t{kModuloWide} * modulo_high,
            [&](std::size_t i) {
              unsigned long long sum = 0;
              for (std::size_t k = 0; k < kModuloDeep; ++k) {
                const unsigned long long u = word_of(i / kModuloWide * kModuloDeep + k),
                                         v = word_of(second + k * kModuloWide + i % kModuloWide);
                sum = (sum + u % kModulus * (v % kModulus)) % kModulus;
              }
              return static_cast<unsigned>(sum);
            },
            kEveryOfProduct);
      });

  const unsigned ways_high = 4 * kWaysTile * s.sms;
  s.run(
      "least sums of rows and columns instead of products, tiles of 32 x 32, 2 x 2 a thread",
      4.0 * (kWaysDeep + kWaysWide) * ways_high,
      [&] {
        least_sums<<<dim3(kWaysWide / kWaysTile, ways_high / kWaysTile), dim3(kWaysSide, kWaysSide)>>>(
            s.in, s.other, s.out);
      },
      [&] {
        return same_everywhere<float>(
            s, std::size_t{kWaysWide} * ways_high,
            [](std::size_t i) {
              float least = 1e30f;
              for (std::size_t k = 0; k < kWaysDeep; ++k)
                least = std::min(
                    least, float_of(i / kWaysWide * kWaysDeep + k) + other_of(k * kWaysWide + i % kWaysWide));
              return least;
            },
            kEveryOfProduct);
      });

  const unsigned little =
      std::min(48 * s.sms, as_number(s.n / kOfLittle));  // both factors lie in Set::halves
  s.run(
      "batches of 48 x 64 by 64 x 48 halves by wmma, three warps each, out of global memory",
      (4.0 * real(kOfLittle) + 4.0 * real(kOfLittleProduct)) * little,
      [&] { little_products<<<little, 32 * kLittleWarps>>>(s.halves, s.halves + little * kOfLittle, s.out); },
      [&] {
        return near_everywhere(
            s, kOfLittleProduct * little, 1e-4,
            [&](std::size_t i) {
              const std::size_t batch = i / kOfLittleProduct * kOfLittle,
                                y = i % kOfLittleProduct / kLittleSide, x = i % kLittleSide;
              double sum = 0;
              for (std::size_t k = 0; k < kLittleDeep; ++k)
                sum += double{half_of(batch + y * kLittleDeep + k)} *
                       half_of(little * kOfLittle + batch + k * kLittleSide + x);
              return sum;
            },
            23);
      });
}

}  // namespace held_out_19
