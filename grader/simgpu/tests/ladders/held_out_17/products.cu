/// @file
/// Products: tiles that cp.async brings ahead, by registers and by tensor cores, rows of halves by a vector.
#include <cuda_pipeline.h>
#include <mma.h>

#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kSixWide = 192, kSixDeep = 256, kSixHigh = 96, kSixTile = 64, kSixStep = 16,
                   kSixThreads = 256, kSixSteps = kSixDeep / kSixStep;
/// A thread has six rows that are sixteen apart, of four columns side by side.
__global__ void __launch_bounds__(kSixThreads)
    product_six_by_four(const float* a, const float* b, float4* c) {
  __shared__ alignas(16) float left[2][kSixHigh][kSixStep + 4], right[2][kSixStep][kSixTile];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const unsigned x0 = blockIdx.x * kSixTile, y0 = blockIdx.y * kSixHigh;
  const auto fetch = [&](unsigned step) {
    const unsigned from = step * kSixStep, to = step % 2;
    for (unsigned k = t; k < kSixHigh * kSixStep / 4; k += kSixThreads)
      __pipeline_memcpy_async(&left[to][k / 4][k % 4 * 4],
                              a + std::size_t{y0 + k / 4} * kSixDeep + from + k % 4 * 4, 16);
    __pipeline_memcpy_async(&right[to][ty][tx * 4], b + (from + ty) * kSixWide + x0 + tx * 4, 16);
    __pipeline_commit();
  };
  float sums[6][4] = {};
  fetch(0);
  for (unsigned step = 0; step < kSixSteps; ++step) {
    if (step + 1 < kSixSteps) {
      fetch(step + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kSixStep; ++k) {
      const float4 v = *reinterpret_cast<const float4*>(&right[step % 2][k][tx * 4]);
#pragma unroll
      for (unsigned i = 0; i < 6; ++i) {
        const float u = left[step % 2][ty + 16 * i][k];
        sums[i][0] += u * v.x;
        sums[i][1] += u * v.y;
        sums[i][2] += u * v.z;
        sums[i][3] += u * v.w;
      }
    }
    __syncthreads();  // the next but one comes to where this one was
  }
#pragma unroll
  for (unsigned i = 0; i < 6; ++i)
    c[(std::size_t{y0 + ty + 16 * i} * kSixWide + x0) / 4 + tx] =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

constexpr unsigned kAheadWide = 256, kAheadDeep = 256, kAheadHigh = 128, kAheadTile = 64, kAheadStep = 32,
                   kAheadThreads = 128, kAheadSteps = kAheadDeep / kAheadStep,
                   kAheadLeftPitch = kAheadStep + 8, kAheadRightPitch = kAheadTile + 8;
constexpr std::size_t kAheadSecond = std::size_t{1} << 20;  // where the second factor begins among the halves
/// Each of four warps has 64 x 32 of a tile of 128 x 64.
__global__ void __launch_bounds__(kAheadThreads)
    product_of_halves_ahead(const __half* a, const __half* b, float* c) {
  namespace wmma = nvcuda::wmma;
  __shared__ alignas(32) __half left[2][kAheadHigh][kAheadLeftPitch], right[2][kAheadStep][kAheadRightPitch];
  const unsigned t = threadIdx.x, warp = t / 32, wx = warp % 2 * 32, wy = warp / 2 * 64;
  const unsigned x0 = blockIdx.x * kAheadTile, y0 = blockIdx.y * kAheadHigh;
  const auto fetch = [&](unsigned step) {
    const unsigned from = step * kAheadStep, to = step % 2;
#pragma unroll
    for (unsigned k = t; k < kAheadHigh * kAheadStep / 8; k += kAheadThreads)
      __pipeline_memcpy_async(&left[to][k / 4][k % 4 * 8],
                              a + std::size_t{y0 + k / 4} * kAheadDeep + from + k % 4 * 8, 16);
#pragma unroll
    for (unsigned k = t; k < kAheadStep * kAheadTile / 8; k += kAheadThreads)
      __pipeline_memcpy_async(&right[to][k / 8][k % 8 * 8], b + (from + k / 8) * kAheadWide + x0 + k % 8 * 8,
                              16);
    __pipeline_commit();
  };
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4][2];
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 2; ++j) wmma::fill_fragment(sums[i][j], 0.0f);
  fetch(0);
  for (unsigned step = 0; step < kAheadSteps; ++step) {
    if (step + 1 < kAheadSteps) {
      fetch(step + 1);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kAheadStep; k += 16) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> v[2];
#pragma unroll
      for (unsigned j = 0; j < 2; ++j)
        wmma::load_matrix_sync(v[j], &right[step % 2][k][wx + 16 * j], kAheadRightPitch);
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> u;
        wmma::load_matrix_sync(u, &left[step % 2][wy + 16 * i][k], kAheadLeftPitch);
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], u, v[j], sums[i][j]);
      }
    }
    __syncthreads();  // the next but one comes to where this one was
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 2; ++j)
      wmma::store_matrix_sync(c + std::size_t{y0 + wy + 16 * i} * kAheadWide + x0 + wx + 16 * j, sums[i][j],
                              kAheadWide, wmma::mem_row_major);
}

constexpr unsigned kFourRowsPairs = 672, kFourRowsThreads = 256, kFourRowsOfBlock = kFourRowsThreads / 32 * 4;
/// What a lane reads of the vector serves four rows.
__global__ void __launch_bounds__(kFourRowsThreads)
    four_rows_by_vector(const __half2* rows, const float2* vector, float4* out) {
  __shared__ float2 held[kFourRowsPairs];
  for (unsigned k = threadIdx.x; k < kFourRowsPairs; k += kFourRowsThreads) held[k] = vector[k];
  __syncthreads();
  const std::size_t four = global_index() / 32;
  const unsigned lane = threadIdx.x % 32;
  const __half2* own = rows + 4 * four * kFourRowsPairs;
  float sums[4] = {};
#pragma unroll 3
  for (unsigned k = lane; k < kFourRowsPairs; k += 32) {
    const float2 v = held[k];
#pragma unroll
    for (unsigned r = 0; r < 4; ++r) {
      const float2 u = __half22float2(own[r * kFourRowsPairs + k]);
      sums[r] += u.x * v.x + u.y * v.y;
    }
  }
#pragma unroll
  for (unsigned r = 0; r < 4; ++r)
#pragma unroll
    for (int d = 16; d > 0; d /= 2) sums[r] += __shfl_xor_sync(~0u, sums[r], d);
  if (lane == 0) out[four] = make_float4(sums[0], sums[1], sums[2], sums[3]);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned six = as_number(n / 16 / kSixDeep / kSixHigh * kSixHigh);
  s.run(
      "product of 192 columns, 96 x 64 a block, 6 x 4 a thread, the next tiles by cp.async of sixteen bytes",
      4.0 * (kSixDeep + kSixWide) * six,
      [&] {
        product_six_by_four<<<dim3(kSixWide / kSixTile, six / kSixHigh), kSixThreads>>>(s.in, s.other,
                                                                                        s.vectors());
      },
      [&] {
        return floats(s, std::size_t{kSixWide} * six, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kSixDeep; ++k)
            sum += double{float_of(i / kSixWide * kSixDeep + k)} * other_of(k * kSixWide + i % kSixWide);
          return sum;
        });
      });

  const unsigned ahead = as_number(n / 8 / kAheadDeep / kAheadHigh * kAheadHigh);
  s.run(
      "halves by wmma, 64 x 32 a warp, the next tiles by cp.async",
      (2.0 * kAheadDeep + 4.0 * kAheadWide) * ahead,
      [&] {
        product_of_halves_ahead<<<dim3(kAheadWide / kAheadTile, ahead / kAheadHigh), kAheadThreads>>>(
            s.halves + kAheadSecond, s.halves, s.out);
      },
      [&] {
        return floats(s, std::size_t{kAheadWide} * ahead, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kAheadDeep; ++k)
            sum += double{half_of(kAheadSecond + i / kAheadWide * kAheadDeep + k)} *
                   half_of(k * kAheadWide + i % kAheadWide);
          return sum;
        });
      });

  const unsigned rows = as_number(n / 4 / kFourRowsPairs / kFourRowsOfBlock * kFourRowsOfBlock);
  s.run(
      "rows of 1344 halves by a vector in shared memory, four rows a warp",
      (4.0 * kFourRowsPairs + 4.0) * rows,
      [&] {
        four_rows_by_vector<<<rows / kFourRowsOfBlock, kFourRowsThreads>>>(
            reinterpret_cast<const __half2*>(s.halves), reinterpret_cast<const float2*>(s.other),
            s.vectors());
      },
      [&] {
        return floats(s, rows, [](std::size_t row) {
          double sum = 0;
          for (std::size_t k = 0; k < 2 * kFourRowsPairs; ++k)
            sum += double{half_of(row * 2 * kFourRowsPairs + k)} * other_of(k);
          return sum;
        });
      });
}

}  // namespace held_out_17
