/// @file
/// Long arithmetic and ways apart: products of 64 bits modulo a prime, Kepler's equation, powers of two of pairs
/// of halves, nested questions, searches that end early.
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned long long kMersenne = (1ull << 61) - 1;
constexpr unsigned kMersenneSteps = 24;
__host__ __device__ __forceinline__ unsigned long long upper_half(unsigned long long a,
                                                                  unsigned long long b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  const unsigned long long a0 = a & ~0u, a1 = a >> 32, b0 = b & ~0u, b1 = b >> 32;
  const unsigned long long middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & ~0u);
  return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}
/// Both are below the prime.
__host__ __device__ __forceinline__ unsigned long long mersenne_product(unsigned long long a,
                                                                        unsigned long long b) {
  const unsigned long long low = a * b, high = upper_half(a, b);
  const unsigned long long sum = (low & kMersenne) + (low >> 61 | high << 3);
  return sum >= kMersenne ? sum - kMersenne : sum;
}
__host__ __device__ __forceinline__ unsigned long long mersenne_power(unsigned low, unsigned high) {
  const unsigned long long base = (static_cast<unsigned long long>(high) << 32 | low) % kMersenne;
  unsigned long long v = base;
  for (unsigned k = 0; k < kMersenneSteps; ++k) v = mersenne_product(v, k % 2 == 0 ? v : base);
  return v;
}
__global__ void __launch_bounds__(256)
    powers_modulo_mersenne(const uint2* words, unsigned long long* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = mersenne_power(words[i].x, words[i].y);
}

constexpr unsigned kMostSteps = 30;
/// Newton's steps until one is small; flat orbits need more of them.
__host__ __device__ __forceinline__ double anomaly_of(double mean, double flatness) {
  double e = 3.141592653589793;
  for (unsigned k = 0; k < kMostSteps; ++k) {
    const double step = (e - flatness * sin(e) - mean) / (1.0 - flatness * cos(e));
    e -= step;
    if (fabs(step) < 1e-10) break;
  }
  return e;
}
__global__ void __launch_bounds__(128) solve_kepler(const float2* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = anomaly_of(0.8 * in[i].x, 0.1 * in[i].y);
}

constexpr unsigned kPowersOfTwo = 12;
/// Halves have these numbers without a rest.
__host__ __device__ __forceinline__ float power_factor(unsigned k) {
  return 0.25f * static_cast<float>(k % 5) - 0.5f;
}
__global__ void __launch_bounds__(256) powers_of_two(const __half2* in, __half2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const __half2 v = in[i], half = __float2half2_rn(0.5f);
  __half2 sum = __float2half2_rn(0.0f);
#pragma unroll
  for (unsigned k = 0; k < kPowersOfTwo; ++k)
    sum = __hfma2(sum, half, h2exp2(__hmul2(v, __float2half2_rn(power_factor(k)))));
  out[i] = sum;
}

/// Each answer leads to another question or to steps of its own.
__host__ __device__ __forceinline__ unsigned answer_of(unsigned w) {
  if ((w & 1) != 0) {
    if ((w & 2) != 0) {
      if (w % 7 < 3) {
        for (unsigned k = 0; k < 5; ++k) w = w * 1664525u + 1013904223u;
        if (w > 0x80000000u) w = ~w % 1000u;
        return w + 1;
      }
      return w / 11u + w % 13u + 1;
    }
    if ((w >> 8 & 15) == 9) return w % 99991u + 2;
    for (unsigned k = 0; k < 3; ++k) w ^= w << 5 ^ w >> 7;
    return w | 1;
  }
  if ((w >> 4 & 3) != 0) {
    if ((w & 4) != 0) {
      unsigned sum = 1;
      for (; w != 0; w >>= 3) sum = sum * 5 + w % 6u;
      return sum;
    }
    return (w >> 16 | w << 16) + 7;
  }
  return w / (1 + (w >> 28)) + 3;
}
__global__ void __launch_bounds__(256) ask_nested(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = answer_of(words[i]);
}

constexpr unsigned kSearchedRow = 1024, kBelow = 0xffffffffu / 150;
/// Where a row has its first word that is small, counted from one; one more than it has, if there is none.
__global__ void __launch_bounds__(256) find_first_small(const unsigned* in, unsigned* out, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  unsigned found = kSearchedRow + 1;
  for (unsigned k = 0; k < kSearchedRow; k += 32) {
    const unsigned small = __ballot_sync(~0u, in[std::size_t{row} * kSearchedRow + k + lane] < kBelow);
    if (small == 0) continue;
    found = k + __ffs(static_cast<int>(small));
    break;
  }
  if (lane == 0) out[row] = found;
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned powers = as_number(n / 64);
  s.run(
      "products of 61 bits modulo a prime of Mersenne, 24 in a chain", 16.0 * powers,
      [&] {
        powers_modulo_mersenne<<<Set::blocks(powers), 256>>>(
            reinterpret_cast<const uint2*>(s.words), reinterpret_cast<unsigned long long*>(s.out), powers);
      },
      [&] {
        return Set::each(powers, [&](std::size_t i) {
          return Checked::at(reinterpret_cast<const unsigned long long*>(s.out), i) ==
                 mersenne_power(word_of(2 * i), word_of(2 * i + 1));
        });
      });

  const unsigned orbits = as_number(n / 256);
  s.run(
      "Kepler's equation of doubles by Newton's steps until near", 16.0 * orbits,
      [&] {
        solve_kepler<<<Set::blocks(orbits, 128), 128>>>(reinterpret_cast<const float2*>(s.in),
                                                        reinterpret_cast<double*>(s.out), orbits);
      },
      [&] {
        return doubles(s, orbits, [](std::size_t i) {
          return anomaly_of(0.8 * float_of(2 * i), 0.1 * float_of(2 * i + 1));
        });
      });

  const unsigned pairs = as_number(n / 16);
  s.run(
      "powers of two of pairs of halves, twelve a thread", 8.0 * pairs,
      [&] {
        powers_of_two<<<Set::blocks(pairs), 256>>>(reinterpret_cast<const __half2*>(s.halves),
                                                   reinterpret_cast<__half2*>(s.out), pairs);
      },
      [&] {
        return Set::each(2 * std::size_t{pairs}, [&](std::size_t i) {
          double want = 0;
          for (unsigned k = 0; k < kPowersOfTwo; ++k)
            want = 0.5 * want + std::exp2(double{half_of(i)} * power_factor(k));
          return Set::near(__half2float(Checked::at(reinterpret_cast<const __half*>(s.out), i)), want, 1e-2);
        });
      });

  const unsigned asked = as_number(n / 8);
  s.run(
      "words asked nested questions, with steps of their own for each answer", 8.0 * asked,
      [&] { ask_nested<<<Set::blocks(asked), 256>>>(s.words, s.numbers(), asked); },
      [&] { return numbers(s, asked, [](std::size_t i) { return answer_of(word_of(i)); }); });

  const unsigned rows = as_number(n / 2 / kSearchedRow);
  s.run(
      "first small words of rows of 1024, each warp stops where it finds one", 600.0 * rows,
      [&] { find_first_small<<<Set::blocks(std::size_t{rows} * 32), 256>>>(s.words, s.numbers(), rows); },
      [&] {
        return numbers(s, rows, [](std::size_t row) {
          unsigned k = 0;
          while (k < kSearchedRow && word_of(row * kSearchedRow + k) >= kBelow) ++k;
          return k + 1;
        });
      });
}

}  // namespace held_out_14
