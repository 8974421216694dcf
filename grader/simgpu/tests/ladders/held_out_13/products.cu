/// @file
/// Products of matrices: 2 x 2 elements a thread, a long depth shared out among blocks, halves by tensor cores
/// with one factor kept in shared memory; complex rows by a vector.
#include <mma.h>

#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

namespace tensor = nvcuda::wmma;

constexpr unsigned kTwosWide = 288, kTwosTile = 32, kTwosStep = 16;
__global__ void __launch_bounds__(256) product_by_twos(const float* a, const float* b, float* c) {
  __shared__ float left[kTwosTile][kTwosStep + 1], right[kTwosStep][kTwosTile];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * kTwosTile, y0 = blockIdx.y * kTwosTile;
  float sums[2][2] = {};
  for (unsigned from = 0; from < kTwosWide; from += kTwosStep) {
    for (unsigned k = 0; k < 2; ++k) {
      left[ty + 16 * k][tx] = a[(y0 + ty + 16 * k) * kTwosWide + from + tx];
      right[ty][tx + 16 * k] = b[(from + ty) * kTwosWide + x0 + tx + 16 * k];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kTwosStep; ++k) {
      const float u[2] = {left[ty][k], left[ty + 16][k]}, v[2] = {right[k][tx], right[k][tx + 16]};
      sums[0][0] += u[0] * v[0];
      sums[0][1] += u[0] * v[1];
      sums[1][0] += u[1] * v[0];
      sums[1][1] += u[1] * v[1];
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned j = 0; j < 2; ++j) c[(y0 + ty + 16 * i) * kTwosWide + x0 + tx + 16 * j] = sums[i][j];
}

constexpr unsigned kSquare = 64, kDepthOfBlock = 512, kDepthStep = 32;
/// Both factors lie with the depth as their rows; a thread has 4 x 4 sums of its block's depth.
__global__ void __launch_bounds__(256) product_by_depths(const float4* a, const float4* b, float* c) {
  __shared__ float4 left[kDepthStep][kSquare / 4], right[kDepthStep][kSquare / 4];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const std::size_t first = std::size_t{blockIdx.x} * kDepthOfBlock * (kSquare / 4);
  float sums[4][4] = {};
  for (unsigned from = 0; from < kDepthOfBlock; from += kDepthStep) {
    for (unsigned k = t; k < kDepthStep * kSquare / 4; k += 256) {
      const std::size_t at = first + from * (kSquare / 4) + k;
      left[k / 16][k % 16] = a[at];
      right[k / 16][k % 16] = b[at];
    }
    __syncthreads();
#pragma unroll 8
    for (unsigned k = 0; k < kDepthStep; ++k) {
      const float4 u4 = left[k][ty], v4 = right[k][tx];
      const float u[4] = {u4.x, u4.y, u4.z, u4.w}, v[4] = {v4.x, v4.y, v4.z, v4.w};
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) sums[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) atomicAdd(c + (ty * 4 + i) * kSquare + tx * 4 + j, sums[i][j]);
}

constexpr unsigned kStripDeep = 128, kStripWide = 64, kStripPitch = 72, kStripWarps = 4;
/// The second factor stays with the block; a warp takes 16 rows of the first, then others.
__global__ void __launch_bounds__(kStripWarps * 32)
    product_of_strips(const __half* a, const __half2* b, float* c, unsigned strips) {
  __shared__ alignas(32) __half right[kStripDeep * kStripPitch];
  for (unsigned k = threadIdx.x; k < kStripDeep * kStripWide / 2; k += kStripWarps * 32)
    *reinterpret_cast<__half2*>(right + k / (kStripWide / 2) * kStripPitch + k % (kStripWide / 2) * 2) = b[k];
  __syncthreads();
  for (unsigned strip = blockIdx.x * kStripWarps + threadIdx.x / 32; strip < strips;
       strip += gridDim.x * kStripWarps) {
    tensor::fragment<tensor::accumulator, 16, 16, 16, float> sums[kStripWide / 16];
#pragma unroll
    for (auto& each : sums) tensor::fill_fragment(each, 0.0f);
#pragma unroll 2
    for (unsigned k = 0; k < kStripDeep; k += 16) {
      tensor::fragment<tensor::matrix_a, 16, 16, 16, __half, tensor::row_major> u;
      tensor::load_matrix_sync(u, a + std::size_t{strip} * 16 * kStripDeep + k, kStripDeep);
#pragma unroll
      for (unsigned j = 0; j < kStripWide / 16; ++j) {
        tensor::fragment<tensor::matrix_b, 16, 16, 16, __half, tensor::row_major> v;
        tensor::load_matrix_sync(v, right + k * kStripPitch + j * 16, kStripPitch);
        tensor::mma_sync(sums[j], u, v, sums[j]);
      }
    }
#pragma unroll
    for (unsigned j = 0; j < kStripWide / 16; ++j)
      tensor::store_matrix_sync(c + std::size_t{strip} * 16 * kStripWide + j * 16, sums[j], kStripWide,
                                tensor::mem_row_major);
  }
}

constexpr unsigned kComplexWide = 512;
/// A warp a row, two numbers a lane at once.
__global__ void __launch_bounds__(256)
    complex_by_vector(const float4* matrix, const float4* vector, float2* out, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float re = 0.0f, im = 0.0f;
#pragma unroll 4
  for (unsigned k = lane; k < kComplexWide / 2; k += 32) {
    const float4 a = matrix[std::size_t{row} * (kComplexWide / 2) + k], v = vector[k];
    re += a.x * v.x - a.y * v.y + a.z * v.z - a.w * v.w;
    im += a.x * v.y + a.y * v.x + a.z * v.w + a.w * v.z;
  }
  for (int d = 16; d > 0; d /= 2) {
    re += __shfl_down_sync(~0u, re, d);
    im += __shfl_down_sync(~0u, im, d);
  }
  if (lane == 0) out[row] = make_float2(re, im);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned twos = as_number(n / 32 / kTwosWide / kTwosTile * kTwosTile);
  s.run(
      "product of 288 columns, tiles of 32 x 16, 2 x 2 a thread", 8.0 * kTwosWide * twos,
      [&] {
        product_by_twos<<<dim3(kTwosWide / kTwosTile, twos / kTwosTile), dim3(16, 16)>>>(s.in, s.other,
                                                                                         s.out);
      },
      [&] {
        return floats(s, std::size_t{kTwosWide} * twos, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kTwosWide; ++k)
            sum += double{float_of(i / kTwosWide * kTwosWide + k)} * other_of(k * kTwosWide + i % kTwosWide);
          return sum;
        });
      });

  const unsigned depths = as_number(n / 256 / kDepthOfBlock);
  s.run(
      "product 64 x 64 of great depth, 512 of it a block, by atomics", 8.0 * kSquare * kDepthOfBlock * depths,
      [&] {
        // The launches add to one another.
        cudaMemsetAsync(s.out, 0, kSquare * kSquare * sizeof(float));
        product_by_depths<<<depths, 256>>>(reinterpret_cast<const float4*>(s.in),
                                           reinterpret_cast<const float4*>(s.other), s.out);
      },
      [&] {
        return floats(s, kSquare * kSquare, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < std::size_t{kDepthOfBlock} * depths; ++k)
            sum += double{float_of(k * kSquare + i / kSquare)} * other_of(k * kSquare + i % kSquare);
          return sum;
        });
      });

  const unsigned strips = as_number(n / 512 / 16);
  s.run(
      "strips of 16 x 128 halves by tensor cores, one factor in shared memory",
      16.0 * (2.0 * kStripDeep + 4.0 * kStripWide) * strips,
      [&] {
        product_of_strips<<<s.sms * 6, kStripWarps * 32>>>(
            s.halves, reinterpret_cast<const __half2*>(s.halves + n), s.out, strips);
      },
      [&] {
        return floats(s, std::size_t{16} * kStripWide * strips, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kStripDeep; ++k)
            sum += double{half_of(i / kStripWide * kStripDeep + k)} *
                   half_of(n + k * kStripWide + i % kStripWide);
          return sum;
        });
      });

  const unsigned rows = as_number(n / 4 / (2 * kComplexWide));
  s.run(
      "rows of 512 complex numbers by a vector, a warp each", (8.0 * kComplexWide + 8.0) * rows,
      [&] {
        complex_by_vector<<<Set::blocks(std::size_t{rows} * 32), 256>>>(
            reinterpret_cast<const float4*>(s.in), reinterpret_cast<const float4*>(s.other),
            reinterpret_cast<float2*>(s.out), rows);
      },
      [&] {
        return within(s, 2 * std::size_t{rows}, 0.05, [](std::size_t i) {
          double re = 0, im = 0;
          for (std::size_t k = 0; k < kComplexWide; ++k) {
            const std::size_t at = (i / 2 * kComplexWide + k) * 2;
            const double a = float_of(at), b = float_of(at + 1), u = other_of(2 * k), v = other_of(2 * k + 1);
            re += a * u - b * v;
            im += a * v + b * u;
          }
          return i % 2 == 0 ? re : im;
        });
      });
}

}  // namespace held_out_13
