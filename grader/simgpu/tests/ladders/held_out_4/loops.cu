/// @file
/// Loops that end where data say, and much kept in registers: digits in base seven, divisors tried, the first
/// past a limit, 48 coefficients at eight places.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

__host__ __device__ __forceinline__ unsigned turned_digits(unsigned v) {
  unsigned turned = 1;
  while (v > 0) {
    turned = turned * 7 + v % 7;
    v /= 7;
  }
  return turned;
}
/// The data's numbers are of all lengths.
__host__ __device__ __forceinline__ unsigned any_length(unsigned word) {
  return word >> (word & 31);
}
__global__ void base_seven(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = turned_digits(any_length(in[i]));
}
constexpr unsigned kDeep = 96;
constexpr float kLimit = 6.7f;
__global__ void first_past(const float* in, unsigned* out, std::size_t columns) {
  const std::size_t x = global_index();
  if (x >= columns) return;
  unsigned y = 0;
  while (y < kDeep && in[y * columns + x] <= kLimit) ++y;
  out[x] = y + 1;
}
constexpr unsigned kTerms = 48;
/// A thread keeps a polynomial and asks for it at eight places.
__global__ void __launch_bounds__(128) polynomials(const float* in, float* out, std::size_t m) {
  const std::size_t t = global_index();
  if (t >= m) return;
  float c[kTerms];
#pragma unroll
  for (unsigned k = 0; k < kTerms; ++k) c[k] = in[k * m + t];
#pragma unroll 1
  for (unsigned at = 0; at < 8; ++at) {
    const float x = 0.9f - 0.11f * static_cast<float>(at);
    float sum = c[kTerms - 1];
#pragma unroll
    for (unsigned k = kTerms - 1; k > 0; --k) sum = sum * x + c[k - 1];
    out[at * m + t] = sum;
  }
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "digits in base seven turned round", 8.0 * real(n / 64),
      [&] { base_seven<<<Set::blocks(n / 64), 256>>>(s.words, s.numbers(), n / 64); },
      [&] {
        return numbers(s, n / 64, [](std::size_t i) { return turned_digits(any_length(word_of(i))); });
      });
  const std::size_t columns = n / 256;
  s.run(
      "first of a column past a limit", 80.0 * real(columns),
      [&] { first_past<<<Set::blocks(columns), 256>>>(s.in, s.numbers(), columns); },
      [&] {
        return numbers(s, columns, [&](std::size_t x) {
          unsigned y = 0;
          while (y < kDeep && float_of(y * columns + x) <= kLimit) ++y;
          return y + 1;
        });
      });
  const std::size_t m = n / 1024;
  s.run(
      "polynomials of 48 terms in registers", 4.0 * (kTerms + 8) * real(m),
      [&] { polynomials<<<Set::blocks(m, 128), 128>>>(s.in, s.out, m); },
      [&] {
        return floats(s, 8 * m, [&](std::size_t i) {
          const double x = 0.9 - 0.11 * real(i / m);
          double sum = 0;
          for (std::size_t k = kTerms; k-- > 0;) sum = sum * x + float_of(k * m + i % m);
          return sum;
        });
      });
}

}  // namespace held_out_4
