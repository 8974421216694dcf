/// @file
/// Products: 8 x 8 elements a thread with the next tile kept in registers, tiles of 20, doubles by tensor
/// cores.
#include <mma.h>

#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

namespace tensor = nvcuda::wmma;

constexpr unsigned kEightsWide = 256, kEightsDeep = 256, kEightsTile = 128, kEightsStep = 8;
/// A thread's columns are two fours, half a tile apart.
__global__ void __launch_bounds__(256) product_by_eights(const float4* a, const float4* b, float4* c) {
  __shared__ alignas(16) float left[2][kEightsStep][kEightsTile + 4], right[2][kEightsStep][kEightsTile];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const unsigned x0 = blockIdx.x * kEightsTile, y0 = blockIdx.y * kEightsTile;
  const float4* from_a = a + std::size_t{y0 + t / 2} * (kEightsDeep / 4) + t % 2;
  const float4* from_b = b + t / 32 * (kEightsWide / 4) + x0 / 4 + t % 32;
  float4 next_a = *from_a, next_b = *from_b;
  const auto keep = [&](unsigned to) {
    const unsigned k = t % 2 * 4;
    left[to][k][t / 2] = next_a.x;
    left[to][k + 1][t / 2] = next_a.y;
    left[to][k + 2][t / 2] = next_a.z;
    left[to][k + 3][t / 2] = next_a.w;
    *reinterpret_cast<float4*>(&right[to][t / 32][t % 32 * 4]) = next_b;
  };
  float sums[8][8] = {};
  keep(0);
  __syncthreads();
  for (unsigned from = 0; from < kEightsDeep; from += kEightsStep) {
    const bool more = from + kEightsStep < kEightsDeep;
    const unsigned now = from / kEightsStep % 2;
    if (more) {
      from_a += kEightsStep / 4;
      from_b += kEightsStep * (kEightsWide / 4);
      next_a = *from_a;
      next_b = *from_b;
    }
#pragma unroll
    for (unsigned k = 0; k < kEightsStep; ++k) {
      float u[8], v[8];
      *reinterpret_cast<float4*>(u) = *reinterpret_cast<const float4*>(&left[now][k][8 * ty]);
      *reinterpret_cast<float4*>(u + 4) = *reinterpret_cast<const float4*>(&left[now][k][8 * ty + 4]);
      *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(&right[now][k][4 * tx]);
      *reinterpret_cast<float4*>(v + 4) =
          *reinterpret_cast<const float4*>(&right[now][k][kEightsTile / 2 + 4 * tx]);
#pragma unroll
      for (unsigned i = 0; i < 8; ++i)
#pragma unroll
        for (unsigned j = 0; j < 8; ++j) sums[i][j] += u[i] * v[j];
    }
    if (more) keep(1 - now);
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    float4* row = c + (std::size_t{y0 + 8 * ty + i} * kEightsWide + x0) / 4 + tx;
    row[0] = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    row[kEightsTile / 8] = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
  }
}

constexpr unsigned kTwentiesWide = 400, kTwenty = 20;
__global__ void __launch_bounds__(kTwenty* kTwenty)
    product_by_twenties(const float* a, const float* b, float* c) {
  __shared__ float left[kTwenty][kTwenty], right[kTwenty][kTwenty];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * kTwenty + tx, y = blockIdx.y * kTwenty + ty;
  float sum = 0.0f;
  for (unsigned from = 0; from < kTwentiesWide; from += kTwenty) {
    left[ty][tx] = a[y * kTwentiesWide + from + tx];
    right[ty][tx] = b[(from + ty) * kTwentiesWide + x];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kTwenty; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  c[y * kTwentiesWide + x] = sum;
}

constexpr unsigned kDoublesDeep = 256, kDoublesWide = 128, kDoublesTile = 32;
/// A warp has 16 x 16 in four fragments; rows of both factors lie along the depth.
__global__ void __launch_bounds__(128) product_of_doubles(const double* a, const double* b, double* c) {
  const unsigned warp = threadIdx.x / 32, x0 = blockIdx.x * kDoublesTile + warp % 2 * 16,
                 y0 = blockIdx.y * kDoublesTile + warp / 2 * 16;
  tensor::fragment<tensor::accumulator, 8, 8, 4, double> sums[2][2];
  for (auto& row : sums)
    for (auto& each : row) tensor::fill_fragment(each, 0.0);
#pragma unroll 4
  for (unsigned k = 0; k < kDoublesDeep; k += 4) {
    tensor::fragment<tensor::matrix_a, 8, 8, 4, double, tensor::row_major> left[2];
    tensor::fragment<tensor::matrix_b, 8, 8, 4, double, tensor::col_major> right[2];
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      tensor::load_matrix_sync(left[h], a + std::size_t{y0 + 8 * h} * kDoublesDeep + k, kDoublesDeep);
      tensor::load_matrix_sync(right[h], b + (x0 + 8 * h) * kDoublesDeep + k, kDoublesDeep);
    }
#pragma unroll
    for (unsigned i = 0; i < 2; ++i)
#pragma unroll
      for (unsigned j = 0; j < 2; ++j) tensor::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
  }
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned j = 0; j < 2; ++j)
      tensor::store_matrix_sync(c + std::size_t{y0 + 8 * i} * kDoublesWide + x0 + 8 * j, sums[i][j],
                                kDoublesWide, tensor::mem_row_major);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned eights = as_number(n / 16 / kEightsDeep / kEightsTile * kEightsTile);
  s.run(
      "product of 256 columns, 128 x 128 a block, 8 x 8 a thread, the next tile in registers",
      4.0 * (kEightsDeep + kEightsWide) * eights,
      [&] {
        product_by_eights<<<dim3(kEightsWide / kEightsTile, eights / kEightsTile), 256>>>(
            reinterpret_cast<const float4*>(s.in), reinterpret_cast<const float4*>(s.other), s.vectors());
      },
      [&] {
        return floats(s, std::size_t{kEightsWide} * eights, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kEightsDeep; ++k)
            sum += double{float_of(i / kEightsWide * kEightsDeep + k)} *
                   other_of(k * kEightsWide + i % kEightsWide);
          return sum;
        });
      });

  const unsigned twenties = as_number(n / 64 / kTwentiesWide / kTwenty * kTwenty);
  s.run(
      "product of 400 columns, tiles of 20", 8.0 * kTwentiesWide * twenties,
      [&] {
        product_by_twenties<<<dim3(kTwentiesWide / kTwenty, twenties / kTwenty), dim3(kTwenty, kTwenty)>>>(
            s.in, s.other, s.out);
      },
      [&] {
        return floats(s, std::size_t{kTwentiesWide} * twenties, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kTwentiesWide; ++k)
            sum += double{float_of(i / kTwentiesWide * kTwentiesWide + k)} *
                   other_of(k * kTwentiesWide + i % kTwentiesWide);
          return sum;
        });
      });

  const unsigned of_doubles = as_number(n / 16 / kDoublesDeep / kDoublesTile * kDoublesTile);
  s.run(
      "doubles by tensor cores, 16 x 16 a warp, rows of both along the depth",
      8.0 * (kDoublesDeep + kDoublesWide) * of_doubles,
      [&] {
        product_of_doubles<<<dim3(kDoublesWide / kDoublesTile, of_doubles / kDoublesTile), 128>>>(
            reinterpret_cast<const double*>(s.in), reinterpret_cast<const double*>(s.other),
            reinterpret_cast<double*>(s.out));
      },
      [&] {
        return doubles(s, std::size_t{kDoublesWide} * of_doubles, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kDoublesDeep; ++k)
            sum += double_of(i / kDoublesWide * kDoublesDeep + k) *
                   double_of(i % kDoublesWide * kDoublesDeep + k, 33331);
          return sum;
        });
      });
}

}  // namespace held_out_15
