/// @file
/// Functions of floats and doubles, divisions, products of integers. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void rotate_points(const float* angle, const float* radius, float2* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  float s, c;
  sincosf(angle[i], &s, &c);
  out[i] = make_float2(radius[i] * c, radius[i] * s);
}
__global__ void gamma_correct(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = powf(in[i] * 0.125f, 1.0f / 2.2f);
}
__global__ void activations(const float* a, const float* b, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const float x = a[i] - 3.5f;
  out[i] = 0.5f * x * (1 + erff(x * 0.70710678f)) / (1 + expf(-b[i]));
}
__global__ void hypotenuses(const double* in, double* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const double x = in[i];
  out[i] = sqrt(x * x + 1) / (x + 2);
}
__global__ void iterate_halves(const __half2* in, __half2* out, std::size_t n, int rounds) {
  const std::size_t i = global_index();
  if (i >= n) return;
  __half2 v = in[i], w = __hmul2(v, v);
  const __half2 a = __float2half2_rn(0.5f), b = __float2half2_rn(0.25f);
#pragma unroll 8
  for (int k = 0; k < rounds; ++k) {
    v = __hfma2(v, a, b);
    w = __hfma2(w, a, v);
  }
  out[i] = __hadd2(v, w);
}
__host__ __device__ __forceinline__ unsigned long long power_of(unsigned base, unsigned long long p) {
  unsigned long long x = base % p, result = x;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    x = x * x % p;
    result = result * x % p;
  }
  return result;
}
__global__ void modular_powers(const unsigned* in, unsigned long long* out, std::size_t n,
                               unsigned long long p) {
  const std::size_t i = global_index();
  if (i < n) out[i] = power_of(in[i], p);
}
__host__ __device__ __forceinline__ unsigned high(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
__host__ __device__ __forceinline__ uint4 random_of(unsigned counter, unsigned key) {
  unsigned c0 = counter, c1 = 0, c2 = 1, c3 = 2, k0 = key, k1 = ~key;
#pragma unroll
  for (int r = 0; r < 10; ++r) {
    const unsigned h0 = high(0xd2511f53u, c0), l0 = 0xd2511f53u * c0, h1 = high(0xcd9e8d57u, c2),
                   l1 = 0xcd9e8d57u * c2;
    c0 = h1 ^ c1 ^ k0, c1 = l1, c2 = h0 ^ c3 ^ k1, c3 = l0;
    k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
  }
  return make_uint4(c0, c1, c2, c3);
}
__global__ void random_numbers(uint4* out, std::size_t n, unsigned key) {
  const std::size_t i = global_index();
  if (i < n) out[i] = random_of(static_cast<unsigned>(i), key);
}
__host__ __device__ __forceinline__ unsigned date_of(unsigned day) {
  const unsigned z = day + 719468, era = z / 146097, of_era = z - era * 146097,
                 year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365,
                 of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153,
                 d = of_year - (153 * month + 2) / 5 + 1, m = month < 10 ? month + 3 : month - 9;
  return (year + era * 400 + (m <= 2)) * 10000 + m * 100 + d;
}
__global__ void dates(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = date_of(in[i] & 0xffff);
}

void Fresh::arithmetic() {
  run(
      "points rotated", two,
      [&] { rotate_points<<<blocks(n / 2), 256>>>(in, other, reinterpret_cast<float2*>(out), n / 2); },
      [&] {
        return each(n / 2, [&](std::size_t i) {
          return std::abs(value(2 * i) - other_of(i) * std::cos(double{float_of(i)})) < 1e-4;
        });
      });
  run(
      "gamma", two, [&] { gamma_correct<<<blocks(n), 256>>>(in, out, n); },
      [&] {
        return each(n, [&](std::size_t i) { return near(value(i), std::pow(float_of(i) / 8.0, 1 / 2.2)); });
      });
  run(
      "activations", 3 * one, [&] { activations<<<blocks(n), 256>>>(in, other, out, n); },
      [&] {
        return each(n, [&](std::size_t i) {
          const double x = float_of(i) - 3.5;
          return std::abs(value(i) - 0.5 * x * (1 + std::erf(x * 0.70710678)) /
                                         (1 + std::exp(-double{other_of(i)}))) < 1e-4;
        });
      });
  // Pairs of the floats are doubles of some value; what counts is that each is finite.
  run(
      "hypotenuses of doubles", two,
      [&] { hypotenuses<<<blocks(n / 2), 256>>>(doubles, reinterpret_cast<double*>(out), n / 2); },
      [&] {
        return each(n / 2, [&](std::size_t i) {
          const double x = Checked::at(doubles, i);
          return near(Checked::at(reinterpret_cast<const double*>(out), i), std::sqrt(x * x + 1) / (x + 2),
                      1e-9);
        });
      });
  run(
      "map of halves", two / 8,
      [&] {
        iterate_halves<<<blocks(n / 8), 256>>>(reinterpret_cast<__half2*>(halves),
                                               reinterpret_cast<__half2*>(out), n / 8, 96);
      },
      [&] {
        return each(n / 8, [&](std::size_t i) {
          return near(__half2float(Checked::at(reinterpret_cast<const __half*>(out), 2 * i)), 1.5, 0.02);
        });
      });
  constexpr unsigned long long kPrime = 2147483647;
  run(
      "modular powers", 3 * one / 4,
      [&] {
        modular_powers<<<blocks(n / 4), 256>>>(words, reinterpret_cast<unsigned long long*>(out), n / 4,
                                               kPrime);
      },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          return Checked::at(reinterpret_cast<const unsigned long long*>(out), i) ==
                 power_of(word_of(i), kPrime);
        });
      });
  run(
      "random numbers", one,
      [&] { random_numbers<<<blocks(n / 4), 256>>>(reinterpret_cast<uint4*>(out), n / 4, 42u); },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          return number(4 * i + 2) == random_of(static_cast<unsigned>(i), 42u).z;
        });
      });
  run(
      "dates", two, [&] { dates<<<blocks(n), 256>>>(words, numbers, n); },
      [&] { return each(n, [&](std::size_t i) { return number(i) == date_of(word_of(i) & 0xffff); }); });
}

}  // namespace
