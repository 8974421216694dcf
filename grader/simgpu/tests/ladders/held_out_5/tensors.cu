/// @file
/// Products by tensor cores as wmma names them: bfloats through shared memory, bytes, words cut to 19 bits.
#include <cuda_bf16.h>
#include <mma.h>

#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr unsigned kTensorsDepth = 512, kTensorsWidth = 512;

/// 64 x 64 a block of eight warps, 16 x 32 each; rows in shared memory are sixteen bytes longer.
__global__ void __launch_bounds__(256) bfloats(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  __shared__ alignas(32) __nv_bfloat16 p[64][40], q[32][72];
  const unsigned t = threadIdx.x, warp = t / 32, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];
  for (auto& each : sum) wmma::fill_fragment(each, 0.0f);
  for (unsigned k0 = 0; k0 < kTensorsDepth; k0 += 32) {
    *reinterpret_cast<uint4*>(&p[t / 4][t % 4 * 8]) =
        *reinterpret_cast<const uint4*>(&a[(y0 + t / 4) * std::size_t{kTensorsDepth} + k0 + t % 4 * 8]);
    *reinterpret_cast<uint4*>(&q[t / 8][t % 8 * 8]) =
        *reinterpret_cast<const uint4*>(&b[(k0 + t / 8) * std::size_t{kTensorsWidth} + x0 + t % 8 * 8]);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left;
      wmma::load_matrix_sync(left, &p[warp / 2 * 16][k], 40);
#pragma unroll
      for (unsigned h = 0; h < 2; ++h) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> right;
        wmma::load_matrix_sync(right, &q[k][warp % 2 * 32 + h * 16], 72);
        wmma::mma_sync(sum[h], left, right, sum[h]);
      }
    }
    __syncthreads();
  }
  for (unsigned h = 0; h < 2; ++h)
    wmma::store_matrix_sync(
        c + (y0 + warp / 2 * 16) * std::size_t{kTensorsWidth} + x0 + warp % 2 * 32 + h * 16, sum[h],
        kTensorsWidth, wmma::mem_row_major);
}
/// A warp has 16 x 16; the second factor lies transposed. Nothing is kept in shared memory.
__global__ void __launch_bounds__(128) bytes_by_warps(const signed char* a, const signed char* b, int* c) {
  const unsigned warp = threadIdx.x / 32, x0 = blockIdx.x * 64 + warp * 16, y0 = blockIdx.y * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, 0);
  for (unsigned k = 0; k < kTensorsDepth; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> right;
    wmma::load_matrix_sync(left, a + y0 * std::size_t{kTensorsDepth} + k, kTensorsDepth);
    wmma::load_matrix_sync(right, b + x0 * std::size_t{kTensorsDepth} + k, kTensorsDepth);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + y0 * std::size_t{kTensorsWidth} + x0, sum, kTensorsWidth, wmma::mem_row_major);
}
__global__ void __launch_bounds__(128) words_by_warps(const float* a, const float* b, float* c) {
  const unsigned warp = threadIdx.x / 32, x0 = blockIdx.x * 32, y0 = blockIdx.y * 64 + warp * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum[2];
  for (auto& each : sum) wmma::fill_fragment(each, 0.0f);
  for (unsigned k = 0; k < 256; k += 8) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
    wmma::load_matrix_sync(left, a + y0 * std::size_t{256} + k, 256);
    for (float& v : left.x) v = wmma::__float_to_tf32(v);
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
      wmma::load_matrix_sync(right, b + k * std::size_t{kTensorsWidth} + x0 + h * 16, kTensorsWidth);
      for (float& v : right.x) v = wmma::__float_to_tf32(v);
      wmma::mma_sync(sum[h], left, right, sum[h]);
    }
  }
  for (unsigned h = 0; h < 2; ++h)
    wmma::store_matrix_sync(c + y0 * std::size_t{kTensorsWidth} + x0 + h * 16, sum[h], kTensorsWidth,
                            wmma::mem_row_major);
}
__global__ void to_bfloats(const float* in, __nv_bfloat16* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = __float2bfloat16(in[i]);
}

}  // namespace

void tensors(Set& s) {
  const unsigned rows = s.sms * 64;
  const std::size_t count = std::size_t{rows} * kTensorsWidth;
  auto* first = room<__nv_bfloat16>(rows * std::size_t{kTensorsDepth});
  auto* second = room<__nv_bfloat16>(kTensorsDepth * kTensorsWidth);
  to_bfloats<<<s.sms * 4, 256>>>(s.in, first, rows * std::size_t{kTensorsDepth});
  to_bfloats<<<s.sms * 4, 256>>>(s.other, second, kTensorsDepth * kTensorsWidth);
  s.run(
      "bfloats by tensor cores, tiles of 64", rows * (2.0 * kTensorsDepth + 4.0 * kTensorsWidth),
      [&] { bfloats<<<dim3(kTensorsWidth / 64, rows / 64), 256>>>(first, second, s.out); },
      [&] {
        return floats(
            s, count,
            [](std::size_t i) {
              double sum = 0;
              for (std::size_t k = 0; k < kTensorsDepth; ++k)
                sum += double{float_of(i / kTensorsWidth * kTensorsDepth + k)} *
                       other_of(k * kTensorsWidth + i % kTensorsWidth);
              return sum;
            },
            4e-3);
      });
  cudaFree(first), cudaFree(second);
  s.run(
      "bytes by tensor cores, a tile a warp", rows * (1.0 * kTensorsDepth + 4.0 * kTensorsWidth),
      [&] {
        bytes_by_warps<<<dim3(kTensorsWidth / 64, rows / 16), 128>>>(
            reinterpret_cast<signed char*>(s.words), reinterpret_cast<signed char*>(s.words + 8192),
            reinterpret_cast<int*>(s.out));
      },
      [&] {
        return numbers(s, count, [](std::size_t i) {
          int sum = 0;
          for (std::size_t k = 0; k < kTensorsDepth; ++k)
            sum += static_cast<signed char>(byte_of(i / kTensorsWidth * kTensorsDepth + k)) *
                   static_cast<signed char>(byte_of(32768 + i % kTensorsWidth * kTensorsDepth + k));
          return static_cast<unsigned>(sum);
        });
      });
  s.run(
      "words by tensor cores, cut to 19 bits", 4.0 * rows * (256 + kTensorsWidth),
      [&] { words_by_warps<<<dim3(kTensorsWidth / 32, rows / 64), 128>>>(s.in, s.other, s.out); },
      [&] {
        return floats(
            s, count,
            [](std::size_t i) {
              double sum = 0;
              for (std::size_t k = 0; k < 256; ++k)
                sum += double{float_of(i / kTensorsWidth * 256 + k)} *
                       other_of(k * kTensorsWidth + i % kTensorsWidth);
              return sum;
            },
            2e-3);
      });
}

}  // namespace held_out_5
