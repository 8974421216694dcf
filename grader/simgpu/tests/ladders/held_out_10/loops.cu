/// @file
/// Long arithmetic: quotients in a chain, series of doubles, integers divided by constants, and hyperbolic
/// sines in a grid that is a little more than two waves.
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

constexpr unsigned kRounds = 10;
__global__ void roots_by_quotients(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float a = in[i];
  float root = 1.0f;
#pragma unroll 1
  for (unsigned k = 0; k < kRounds; ++k) root = 0.5f * (root + a / root);
  out[i] = root;
}

constexpr int kTerms = 24;
__global__ void __launch_bounds__(256) bessel_by_series(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const double half = 0.5 * in[i], square = half * half;
  double term = 1.0, sum = 1.0;
#pragma unroll 1
  for (int k = 1; k < kTerms; ++k) {
    term *= -square / (static_cast<double>(k) * k);
    sum += term;
  }
  out[i] = sum;
}

constexpr unsigned kDaysKnown = 146097 * 2;  ///< 800 years
/// Days since the first of March 1600 as year, month and day in decimal places.
__global__ void days_to_dates(const unsigned* words, unsigned* dates, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned left = words[i] % kDaysKnown;
  const unsigned ages = left / 146097;
  left %= 146097;
  const unsigned centuries = min(left / 36524, 3u);
  left -= centuries * 36524;
  const unsigned fours = left / 1461;
  left %= 1461;
  const unsigned years = min(left / 365, 3u);
  left -= years * 365;
  const unsigned month = (5 * left + 2) / 153, day = left - (153 * month + 2) / 5 + 1;
  const unsigned year = 1600 + 400 * ages + 100 * centuries + 4 * fours + years + (month >= 10 ? 1 : 0);
  dates[i] = year * 10000 + (month < 10 ? month + 3 : month - 9) * 100 + day;
}
/// The same, year by year and month by month.
unsigned date_of(unsigned left) {
  constexpr unsigned kLong[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  unsigned year = 1600, month = 2;
  while (true) {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const unsigned days = kLong[month] + (month == 1 && leap ? 1 : 0);
    if (left < days) return year * 10000 + (month + 1) * 100 + left + 1;
    left -= days;
    if (++month == 12) month = 0, ++year;
  }
}

constexpr unsigned kSines = 96;
__host__ __device__ __forceinline__ float begun_at(std::size_t i) {
  return 0.2f + 0.3f * half_of(i);
}
__global__ void __launch_bounds__(1024, 2) hyperbolic_sines(float* out) {
  const std::size_t i = global_index();
  float v = begun_at(i);
#pragma unroll 1
  for (unsigned k = 0; k < kSines; ++k) v = sinhf(0.95f * v) + 0.004f;
  out[i] = v;
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned roots = as_number(n / 8);
  s.run(
      "square roots by ten quotients each", 8.0 * roots,
      [&] { roots_by_quotients<<<Set::blocks(roots), 256>>>(s.in, s.out, roots); },
      [&] {
        return floats(
            s, roots, [](std::size_t i) { return std::sqrt(double{float_of(i)}); }, 1e-5);
      });
  const unsigned waves = as_number(n / 64);
  s.run(
      "Bessel functions by 24 terms of doubles", 12.0 * waves,
      [&] { bessel_by_series<<<Set::blocks(waves), 256>>>(s.in, reinterpret_cast<double*>(s.out), waves); },
      [&] {
        return doubles(
            s, waves, [](std::size_t i) { return j0(double{float_of(i)}); }, 1e-8);
      });
  const unsigned days = as_number(n / 8);
  s.run(
      "numbers of days made dates", 8.0 * days,
      [&] { days_to_dates<<<Set::blocks(days), 256>>>(s.words, s.numbers(), days); },
      [&] {
        const auto got = taken(s.numbers(), days);
        for (std::size_t i = 0; i < days; i += 1 + days / 300)
          if (got[i] != date_of(word_of(i) % kDaysKnown)) return false;
        return true;
      });
  const unsigned grid = s.sms * 4 + s.sms * 2 / 11;  // two blocks an SM are a wave
  s.run(
      "two waves and an eleventh of hyperbolic sines", 4096.0 * grid,
      [&] { hyperbolic_sines<<<grid, 1024>>>(s.out); },
      [&] {
        return floats(s, std::size_t{1024} * grid, [](std::size_t i) {
          double v = begun_at(i);
          for (unsigned k = 0; k < kSines; ++k) v = std::sinh(double{0.95f} * v) + double{0.004f};
          return v;
        });
      });
}

}  // namespace held_out_10
