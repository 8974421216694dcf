/// @file
/// Products by tensor cores as wmma names them: sums kept as halves, tiles of 32 x 8, doubles, a layer with
/// what is added and what is below nought cut off.
#include <mma.h>

#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr unsigned kTensorsDepth = 256, kTensorsWidth = 512;

/// A warp has 16 x 64 and sums in halves; the block's four warps lie below each other.
__global__ void __launch_bounds__(128) sums_of_halves(const __half* a, const __half* b, __half* c) {
  const unsigned x0 = blockIdx.x * 64, y0 = blockIdx.y * 64 + threadIdx.x / 32 * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum[4];
  for (auto& each : sum) wmma::fill_fragment(each, __float2half(0.0f));
  for (unsigned k = 0; k < kTensorsDepth; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::load_matrix_sync(left, a + y0 * std::size_t{kTensorsDepth} + k, kTensorsDepth);
#pragma unroll
    for (unsigned h = 0; h < 4; ++h) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
      wmma::load_matrix_sync(right, b + k * std::size_t{kTensorsWidth} + x0 + h * 16, kTensorsWidth);
      wmma::mma_sync(sum[h], left, right, sum[h]);
    }
  }
#pragma unroll
  for (unsigned h = 0; h < 4; ++h)
    wmma::store_matrix_sync(c + y0 * std::size_t{kTensorsWidth} + x0 + h * 16, sum[h], kTensorsWidth,
                            wmma::mem_row_major);
}
/// Rows of both factors lie along the depth; a block of four warps keeps 32 x 128 of the first.
__global__ void __launch_bounds__(128) tall_tiles(const __half* a, const __half* b, float* c) {
  __shared__ alignas(32) __half p[32][136];
  const unsigned warp = threadIdx.x / 32, x0 = blockIdx.x * 32 + warp * 8, y0 = blockIdx.y * 32;
  wmma::fragment<wmma::accumulator, 32, 8, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (unsigned k0 = 0; k0 < kTensorsDepth; k0 += 128) {
    for (unsigned k = threadIdx.x; k < 32 * 16; k += 128)
      *reinterpret_cast<uint4*>(&p[k / 16][k % 16 * 8]) =
          *reinterpret_cast<const uint4*>(&a[(y0 + k / 16) * std::size_t{kTensorsDepth} + k0 + k % 16 * 8]);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 128; k += 16) {
      wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::row_major> left;
      wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::col_major> right;
      wmma::load_matrix_sync(left, &p[0][k], 136);
      wmma::load_matrix_sync(right, b + x0 * std::size_t{kTensorsDepth} + k0 + k, kTensorsDepth);
      wmma::mma_sync(sum, left, right, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(c + y0 * std::size_t{kTensorsWidth} + x0, sum, kTensorsWidth, wmma::mem_row_major);
}
/// A warp has 8 x 16 of doubles.
__global__ void __launch_bounds__(256) doubles_by_warps(const double* a, const double* b, double* c) {
  const unsigned warp = threadIdx.x / 32, x0 = blockIdx.x * 32 + warp % 2 * 16,
                 y0 = blockIdx.y * 32 + warp / 2 * 8;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum[2];
  for (auto& each : sum) wmma::fill_fragment(each, 0.0);
  for (unsigned k = 0; k < kTensorsDepth; k += 4) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> left;
    wmma::load_matrix_sync(left, a + y0 * std::size_t{kTensorsDepth} + k, kTensorsDepth);
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> right;
      wmma::load_matrix_sync(right, b + k * std::size_t{kTensorsWidth} + x0 + h * 8, kTensorsWidth);
      wmma::mma_sync(sum[h], left, right, sum[h]);
    }
  }
  for (unsigned h = 0; h < 2; ++h)
    wmma::store_matrix_sync(c + y0 * std::size_t{kTensorsWidth} + x0 + h * 8, sum[h], kTensorsWidth,
                            wmma::mem_row_major);
}
/// A layer: 32 x 64 a block of eight warps through shared memory, then what is added and cut off.
__global__ void __launch_bounds__(256)
    layer(const __half* a, const __half* b, const float* bias, __half* out) {
  __shared__ alignas(32) __half p[32][40], q[32][72];
  __shared__ alignas(32) float r[32][68];
  const unsigned t = threadIdx.x, warp = t / 32, x0 = blockIdx.x * 64, y0 = blockIdx.y * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (unsigned k0 = 0; k0 < kTensorsDepth; k0 += 32) {
    if (t < 128)
      *reinterpret_cast<uint4*>(&p[t / 4][t % 4 * 8]) =
          *reinterpret_cast<const uint4*>(&a[(y0 + t / 4) * std::size_t{kTensorsDepth} + k0 + t % 4 * 8]);
    *reinterpret_cast<uint4*>(&q[t / 8][t % 8 * 8]) =
        *reinterpret_cast<const uint4*>(&b[(k0 + t / 8) * std::size_t{kTensorsWidth} + x0 + t % 8 * 8]);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
      wmma::load_matrix_sync(left, &p[warp / 4 * 16][k], 40);
      wmma::load_matrix_sync(right, &q[k][warp % 4 * 16], 72);
      wmma::mma_sync(sum, left, right, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(&r[warp / 4 * 16][warp % 4 * 16], sum, 68, wmma::mem_row_major);
  __syncthreads();
  for (unsigned k = t; k < 32 * 64; k += 256)
    out[(y0 + k / 64) * std::size_t{kTensorsWidth} + x0 + k % 64] =
        __float2half(fmaxf(r[k / 64][k % 64] - 8.0f * bias[x0 + k % 64], 0.0f));
}
double half_out(Set& s, std::size_t i) {
  return __half2float(Checked::at(reinterpret_cast<const __half*>(s.out), i));
}

}  // namespace

void tensors(Set& s) {
  const unsigned rows = s.sms * 64;
  const std::size_t count = std::size_t{rows} * kTensorsWidth, far = s.n;  // the second half of the halves
  const auto product = [far](std::size_t i) {
    double sum = 0;
    for (std::size_t k = 0; k < kTensorsDepth; ++k)
      sum += double{half_of(i / kTensorsWidth * kTensorsDepth + k)} *
             half_of(far + k * kTensorsWidth + i % kTensorsWidth);
    return sum;
  };
  s.run(
      "halves by tensor cores, sums in halves", rows * (2.0 * kTensorsDepth + 2.0 * kTensorsWidth),
      [&] {
        sums_of_halves<<<dim3(kTensorsWidth / 64, rows / 64), 128>>>(s.halves, s.halves + far,
                                                                     reinterpret_cast<__half*>(s.out));
      },
      [&] {
        return Set::each(count, [&](std::size_t i) { return Set::near(half_out(s, i), product(i), 1e-2); });
      });
  s.run(
      "halves by tensor cores, tiles of 32 x 8", rows * (2.0 * kTensorsDepth + 4.0 * kTensorsWidth),
      [&] { tall_tiles<<<dim3(kTensorsWidth / 32, rows / 32), 128>>>(s.halves, s.halves + far, s.out); },
      [&] {
        return floats(s, count, [far](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kTensorsDepth; ++k)
            sum += double{half_of(i / kTensorsWidth * kTensorsDepth + k)} *
                   half_of(far + i % kTensorsWidth * kTensorsDepth + k);
          return sum;
        });
      });
  s.run(
      "layer by tensor cores, cut off below nought", rows * (2.0 * kTensorsDepth + 2.0 * kTensorsWidth),
      [&] {
        layer<<<dim3(kTensorsWidth / 64, rows / 32), 256>>>(s.halves, s.halves + far, s.in,
                                                            reinterpret_cast<__half*>(s.out));
      },
      [&] {
        return Set::each(count,
                         [&](std::size_t i) {
                           const double want = std::max(0.0, product(i) - 8.0 * float_of(i % kTensorsWidth));
                           return Set::near(half_out(s, i), want, 2e-3) ||
                                  std::abs(half_out(s, i) - want) < 0.05;
                         }) &&
               Set::near(half_out(s, 12), std::max(0.0, product(12) - 8.0 * float_of(12)), 1e-2);
      });
  s.run(
      "doubles by tensor cores, a warp 8 x 16", rows * 8.0 * (kTensorsDepth + kTensorsWidth),
      [&] {
        doubles_by_warps<<<dim3(kTensorsWidth / 32, rows / 32), 256>>>(reinterpret_cast<double*>(s.in),
                                                                       reinterpret_cast<double*>(s.other),
                                                                       reinterpret_cast<double*>(s.out));
      },
      [&] {
        return doubles(s, count, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kTensorsDepth; ++k)
            sum += double_of(i / kTensorsWidth * kTensorsDepth + k) *
                   double_of(k * kTensorsWidth + i % kTensorsWidth, 33331);
          return sum;
        });
      });
}

}  // namespace held_out_6
