/// @file
/// Halves and bfloats: polynomials of pairs, bfloats summed as floats by rows, halves normed by their
/// greatest.
#include <cuda_bf16.h>

#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

__global__ void polynomials_of_pairs(const __half2* in, __half2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const __half2 x = in[i];
  __half2 v = __float2half2_rn(0.25f);
#pragma unroll
  for (int k = 0; k < 12; ++k) v = __hfma2(v, x, __float2half2_rn(0.125f));
  out[i] = v;
}
constexpr unsigned kHalvesRow = 512;
/// A warp has a row of bfloats: the high halves of words.
__global__ void rows_of_bfloats(const uint4* in, float* out, unsigned rows) {
  const unsigned r = static_cast<unsigned>(global_index() / 32), lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kHalvesRow / 8; k += 32) {
    const uint4 v = in[r * std::size_t{kHalvesRow / 8} + k + lane];
    for (const unsigned w : {v.x, v.y, v.z, v.w}) {
      const auto pair = *reinterpret_cast<const __nv_bfloat162*>(&w);
      const float2 f = __bfloat1622float2(pair);
      sum += f.x * f.y;
    }
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) out[r] = sum;
}
__global__ void to_bfloats(const float* in, __nv_bfloat16* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = __float2bfloat16(in[i]);
}
/// To bytes with a scale a row of 256: the greatest comes first.
__global__ void __launch_bounds__(128) rows_to_bytes(const __half2* in, char2* out, float* scales) {
  __shared__ float part[4];
  const std::size_t i = global_index();
  const float2 v = __half22float2(in[i]);
  float most = fmaxf(fabsf(v.x), fabsf(v.y));
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  const float by = 127.0f / most;
  out[i] = make_char2(static_cast<signed char>(__float2int_rn(v.x * by)),
                      static_cast<signed char>(__float2int_rn(v.y * by)));
  if (threadIdx.x == 0) scales[blockIdx.x] = most / 127.0f;
}

}  // namespace

void halves(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  s.run(
      "polynomials of pairs of halves", 8.0 * real(m),
      [&] {
        polynomials_of_pairs<<<Set::blocks(m), 256>>>(reinterpret_cast<__half2*>(s.halves),
                                                      reinterpret_cast<__half2*>(s.out), m);
      },
      [&] {
        return Set::each(2 * m, [&](std::size_t i) {
          double v = 0.25;
          for (int k = 0; k < 12; ++k) v = v * half_of(i) + 0.125;
          return Set::near(__half2float(Checked::at(reinterpret_cast<const __half*>(s.out), i)), v, 2e-2);
        });
      });
  auto* bfloats = room<__nv_bfloat16>(2 * m);
  to_bfloats<<<s.sms * 8, 256>>>(s.in, bfloats, 2 * m);
  const unsigned rows = as_number(2 * m / kHalvesRow);
  s.run(
      "pairs of bfloats multiplied, a warp a row", 2.0 * kHalvesRow * rows,
      [&] {
        rows_of_bfloats<<<Set::blocks(rows * std::size_t{32}), 256>>>(reinterpret_cast<uint4*>(bfloats),
                                                                      s.out, rows);
      },
      [&] {
        return floats(
            s, rows,
            [](std::size_t r) {
              double sum = 0;
              for (std::size_t k = 0; k < kHalvesRow; k += 2)
                sum += double{float_of(r * kHalvesRow + k)} * float_of(r * kHalvesRow + k + 1);
              return sum;
            },
            3e-3);
      });
  cudaFree(bfloats);
  const unsigned lines = as_number(m / 128);
  s.run(
      "halves made bytes with a scale a row", 6.0 * 128 * lines,
      [&] {
        rows_to_bytes<<<lines, 128>>>(reinterpret_cast<__half2*>(s.halves), reinterpret_cast<char2*>(s.out),
                                      s.out + n / 2);
      },
      [&] {
        return Set::each(lines * std::size_t{256}, [&](std::size_t i) {
          double most = 0;
          for (std::size_t k = 0; k < 256; ++k) most = std::max(most, double{half_of(i / 256 * 256 + k)});
          return Set::near(s.value(n / 2 + i / 256), most / 127) &&
                 std::abs(s.byte(i) - half_of(i) * 127 / most) < 0.6;
        });
      });
}

}  // namespace held_out_6
