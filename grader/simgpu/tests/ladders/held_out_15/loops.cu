/// @file
/// Arithmetic and ways apart: means of doubles until they meet, cycles of squares modulo a prime, functions
/// that have no unit of their own, pairs of bfloats, squares of bits turned by shuffles.
#include <cuda_bf16.h>

#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kMostMeans = 20;
/// A quarter of the way round an ellipse's pendulum: from the mean that two means come to.
__host__ __device__ __forceinline__ double quarter_period(double a, double b) {
  for (unsigned k = 0; k < kMostMeans && fabs(a - b) > 1e-12 * a; ++k) {
    const double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 1.5707963267948966 / a;
}
__global__ void __launch_bounds__(128) periods_by_means(const float2* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = quarter_period(in[i].x, in[i].y);
}

constexpr unsigned kCycleModulus = 16381;
__host__ __device__ __forceinline__ unsigned next_square(unsigned v, unsigned added) {
  return (v * v + added) % kCycleModulus;
}
/// After how many steps a value comes again: the one that is compared is replaced at each power of two.
__host__ __device__ __forceinline__ unsigned cycle_length(unsigned word) {
  const unsigned added = word >> 16;
  unsigned compared = word & 0x1fff, now = next_square(compared, added), power = 1, length = 1;
  while (now != compared) {
    if (length == power) {
      compared = now;
      power *= 2;
      length = 0;
    }
    now = next_square(now, added);
    ++length;
  }
  return length;
}
__global__ void __launch_bounds__(256) lengths_of_cycles(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = cycle_length(words[i]);
}

__host__ __device__ __forceinline__ float bent(float v) {
  return tanhf(0.3f * v) + atanf(v) * asinhf(v) - cospif(0.25f * v) + log1pf(v);
}
double bent_of_doubles(double v) {
  return std::tanh(0.3 * v) + std::atan(v) * std::asinh(v) - std::cos(0.25 * v * std::acos(-1.0)) +
         std::log1p(v);
}
__global__ void __launch_bounds__(256) bend(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = bent(in[i]);
}

constexpr unsigned kBriefTerms = 24;
/// Bfloats have these numbers without a rest.
__host__ __device__ __forceinline__ float brief_term(unsigned k) {
  return 0.25f * static_cast<float>(k % 5) + 0.5f;
}
__host__ __device__ __forceinline__ float brief_part(unsigned byte) {
  return static_cast<float>(byte) * (0.875f / 256);
}
__global__ void __launch_bounds__(256)
    brief_polynomials(const unsigned* words, __nv_bfloat162* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned w = words[i];
  const __nv_bfloat162 x = __floats2bfloat162_rn(brief_part(w & 255), brief_part(w >> 8 & 255));
  __nv_bfloat162 sum = __float2bfloat162_rn(1.0f);
#pragma unroll
  for (unsigned k = 0; k < kBriefTerms; ++k) sum = __hfma2(sum, x, __float2bfloat162_rn(brief_term(k)));
  out[i] = sum;
}

/// Bit c of lane r comes to be bit r of lane c.
__global__ void __launch_bounds__(256) turn_bits(const unsigned* in, unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  unsigned v = in[global_index()], mask = 0xffff;
#pragma unroll
  for (unsigned apart = 16; apart > 0; apart /= 2, mask ^= mask << apart) {
    const unsigned other = __shfl_xor_sync(~0u, v, static_cast<int>(apart));
    v = (lane & apart) == 0 ? (v & mask) | (other & mask) << apart : (v & ~mask) | (other >> apart & mask);
  }
  out[global_index()] = v;
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned periods = as_number(n / 128);
  s.run(
      "arithmetic and geometric means of doubles until they meet", 16.0 * periods,
      [&] {
        periods_by_means<<<Set::blocks(periods, 128), 128>>>(reinterpret_cast<const float2*>(s.in),
                                                             reinterpret_cast<double*>(s.out), periods);
      },
      [&] {
        return doubles(s, periods,
                       [](std::size_t i) { return quarter_period(float_of(2 * i), float_of(2 * i + 1)); });
      });

  const unsigned cycles = as_number(n / 512);
  s.run(
      "lengths of cycles of squares modulo a prime, as long as each takes", 8.0 * cycles,
      [&] { lengths_of_cycles<<<Set::blocks(cycles), 256>>>(s.words, s.numbers(), cycles); },
      [&] { return numbers(s, cycles, [](std::size_t i) { return cycle_length(word_of(i)); }); });

  const unsigned bents = as_number(n / 16);
  s.run(
      "hyperbolic tangents and sines turned back, arc tangents, cosines and logarithms", 8.0 * bents,
      [&] { bend<<<Set::blocks(bents), 256>>>(s.in, s.out, bents); },
      [&] { return floats(s, bents, [](std::size_t i) { return bent_of_doubles(float_of(i)); }); });

  const unsigned briefs = as_number(n / 16);
  s.run(
      "polynomials of 24 terms of pairs of bfloats", 8.0 * briefs,
      [&] {
        brief_polynomials<<<Set::blocks(briefs), 256>>>(s.words, reinterpret_cast<__nv_bfloat162*>(s.out),
                                                        briefs);
      },
      [&] {
        return Set::each(2 * std::size_t{briefs}, [&](std::size_t i) {
          const double x = brief_part(word_of(i / 2) >> (8 * (i % 2)) & 255);
          double want = 1;
          for (unsigned k = 0; k < kBriefTerms; ++k) want = want * x + brief_term(k);
          return Set::near(__bfloat162float(Checked::at(reinterpret_cast<const __nv_bfloat16*>(s.out), i)),
                           want, 0.06);
        });
      });

  const unsigned turned = as_number(n / 4 / 256 * 256);
  s.run(
      "squares of 32 x 32 bits turned by shuffles of a warp", 8.0 * turned,
      [&] { turn_bits<<<turned / 256, 256>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, turned, [](std::size_t i) {
          unsigned v = 0;
          for (std::size_t c = 0; c < 32; ++c) v |= (word_of(i / 32 * 32 + c) >> (i % 32) & 1) << c;
          return v;
        });
      });
}

}  // namespace held_out_15
