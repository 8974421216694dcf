/// @file
/// Products: 4 x 5 elements a thread, rows of 1500 by a vector, fragments of 8 x 32 of tensor cores, many small
/// matrices of doubles.
#include <mma.h>

#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

namespace tensor = nvcuda::wmma;

constexpr unsigned kFivesWide = 320, kFivesX = 80, kFivesY = 64, kFivesStep = 16;
__global__ void __launch_bounds__(256) product_by_fives(const float* a, const float* b, float* c) {
  __shared__ float left[kFivesY][kFivesStep + 1], right[kFivesStep][kFivesX];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const unsigned x0 = blockIdx.x * kFivesX, y0 = blockIdx.y * kFivesY;
  float sums[4][5] = {};
  for (unsigned from = 0; from < kFivesWide; from += kFivesStep) {
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      left[ty + 16 * k][tx] = a[std::size_t{y0 + ty + 16 * k} * kFivesWide + from + tx];
#pragma unroll
    for (unsigned k = 0; k < 5; ++k) right[ty][tx + 16 * k] = b[(from + ty) * kFivesWide + x0 + tx + 16 * k];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kFivesStep; ++k) {
      float u[4], v[5];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) u[i] = left[ty + 16 * i][k];
#pragma unroll
      for (unsigned j = 0; j < 5; ++j) v[j] = right[k][tx + 16 * j];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 5; ++j) sums[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 5; ++j)
      c[std::size_t{y0 + ty + 16 * i} * kFivesWide + x0 + tx + 16 * j] = sums[i][j];
}

constexpr unsigned kLongRow = 1500, kLongThreads = 128;
/// The last turn has 119 vectors for 128 threads.
__global__ void __launch_bounds__(kLongThreads)
    long_rows_by_vector(const float4* matrix, const float4* vector, float* out) {
  __shared__ float of_warp[kLongThreads / 32];
  float sum = 0.0f;
  for (unsigned k = threadIdx.x; k < kLongRow / 4; k += kLongThreads) {
    const float4 a = matrix[std::size_t{blockIdx.x} * (kLongRow / 4) + k], v = vector[k];
    sum += (a.x * v.x + a.y * v.y) + (a.z * v.z + a.w * v.w);
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = (of_warp[0] + of_warp[1]) + (of_warp[2] + of_warp[3]);
}

constexpr unsigned kFlatDeep = 256, kFlatWide = 64, kFlatWarps = 4;
/// A warp has eight rows of the product, which are two fragments.
__global__ void __launch_bounds__(32 * kFlatWarps)
    product_of_flat(const __half* a, const __half* b, float* c, unsigned eights) {
  const unsigned eight = blockIdx.x * kFlatWarps + threadIdx.x / 32;
  if (eight >= eights) return;
  tensor::fragment<tensor::accumulator, 8, 32, 16, float> sums[2];
  tensor::fill_fragment(sums[0], 0.0f);
  tensor::fill_fragment(sums[1], 0.0f);
  for (unsigned k = 0; k < kFlatDeep; k += 16) {
    tensor::fragment<tensor::matrix_a, 8, 32, 16, __half, tensor::row_major> left;
    tensor::load_matrix_sync(left, a + std::size_t{eight} * 8 * kFlatDeep + k, kFlatDeep);
#pragma unroll
    for (unsigned j = 0; j < 2; ++j) {
      tensor::fragment<tensor::matrix_b, 8, 32, 16, __half, tensor::row_major> right;
      tensor::load_matrix_sync(right, b + k * kFlatWide + 32 * j, kFlatWide);
      tensor::mma_sync(sums[j], left, right, sums[j]);
    }
  }
  for (unsigned j = 0; j < 2; ++j)
    tensor::store_matrix_sync(c + std::size_t{eight} * 8 * kFlatWide + 32 * j, sums[j], kFlatWide,
                              tensor::mem_row_major);
}

constexpr unsigned kDozen = 12, kOfDozen = kDozen * kDozen;
__global__ void __launch_bounds__(kOfDozen) products_of_dozens(const double* a, const double* b, double* c) {
  __shared__ double left[kOfDozen], right[kOfDozen];
  const unsigned t = threadIdx.x, y = t / kDozen, x = t % kDozen;
  const std::size_t at = std::size_t{blockIdx.x} * kOfDozen + t;
  left[t] = a[at];
  right[t] = b[at];
  __syncthreads();
  double sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kDozen; ++k) sum += left[y * kDozen + k] * right[k * kDozen + x];
  c[at] = sum;
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned fives = as_number(n / 32 / kFivesWide / kFivesY * kFivesY);
  s.run(
      "product of 320 columns, 64 x 80 a block, 4 x 5 a thread", 8.0 * kFivesWide * fives,
      [&] { product_by_fives<<<dim3(kFivesWide / kFivesX, fives / kFivesY), 256>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{kFivesWide} * fives, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kFivesWide; ++k)
            sum +=
                double{float_of(i / kFivesWide * kFivesWide + k)} * other_of(k * kFivesWide + i % kFivesWide);
          return sum;
        });
      });

  const unsigned long_rows = as_number(n / 4 / kLongRow);
  s.run(
      "rows of 1500 by a vector, a block of 128 each", (4.0 * kLongRow + 4.0) * long_rows,
      [&] {
        long_rows_by_vector<<<long_rows, kLongThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                         reinterpret_cast<const float4*>(s.other), s.out);
      },
      [&] {
        return floats(s, long_rows, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kLongRow; ++k) sum += double{float_of(i * kLongRow + k)} * other_of(k);
          return sum;
        });
      });

  const unsigned eights = as_number(n / 4 / kFlatDeep / 8);
  s.run(
      "halves by tensor cores, fragments of 8 x 32, both factors from global memory",
      8.0 * (2.0 * kFlatDeep + 4.0 * kFlatWide) * eights,
      [&] {
        product_of_flat<<<Set::blocks(eights, kFlatWarps), 32 * kFlatWarps>>>(s.halves, s.halves + n, s.out,
                                                                              eights);
      },
      [&] {
        return floats(s, std::size_t{8} * kFlatWide * eights, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kFlatDeep; ++k)
            sum +=
                double{half_of(i / kFlatWide * kFlatDeep + k)} * half_of(n + k * kFlatWide + i % kFlatWide);
          return sum;
        });
      });

  const unsigned dozens = as_number(n / 32 / kOfDozen);
  s.run(
      "products of matrices of 12 x 12 doubles, a block of 144 each", 24.0 * kOfDozen * dozens,
      [&] {
        products_of_dozens<<<dozens, kOfDozen>>>(reinterpret_cast<const double*>(s.in),
                                                 reinterpret_cast<const double*>(s.other),
                                                 reinterpret_cast<double*>(s.out));
      },
      [&] {
        return doubles(s, std::size_t{kOfDozen} * dozens, [](std::size_t i) {
          const std::size_t first = i / kOfDozen * kOfDozen, y = i % kOfDozen / kDozen, x = i % kDozen;
          double sum = 0;
          for (std::size_t k = 0; k < kDozen; ++k)
            sum += double_of(first + y * kDozen + k) * double_of(first + k * kDozen + x, 33331);
          return sum;
        });
      });
}

}  // namespace held_out_14
