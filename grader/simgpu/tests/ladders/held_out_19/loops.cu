/// @file
/// Arithmetic and ways apart: beasts that eat one another, symbols of Jacobi's, Lambert's function, heights
/// of the sun, steps of Kaprekar's.
#include <algorithm>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kEatenSteps = 24;
constexpr float kEatenStep = 0.05f;
template <typename Real>
struct Beasts {
  Real hares, foxes;

  __host__ __device__ Beasts slope() const {
    return {hares * (Real(1) - Real(0.4f) * foxes), foxes * (Real(0.3f) * hares - Real(0.8f))};
  }
  __host__ __device__ Beasts after(const Beasts& slope, Real time) const {
    return {hares + time * slope.hares, foxes + time * slope.foxes};
  }
};
/// Steps of fourth order, by Runge and Kutta.
template <typename Real>
__host__ __device__ __forceinline__ Beasts<Real> beasts_later(Beasts<Real> now) {
  const Real step = Real(kEatenStep);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = 0; k < kEatenSteps; ++k) {
    const Beasts<Real> a = now.slope(), b = now.after(a, step / 2).slope(),
                       c = now.after(b, step / 2).slope(), d = now.after(c, step).slope();
    now = now.after(
        {a.hares + 2 * (b.hares + c.hares) + d.hares, a.foxes + 2 * (b.foxes + c.foxes) + d.foxes}, step / 6);
  }
  return now;
}
__global__ void __launch_bounds__(256)
    let_beasts_eat(const float* hares, const float* foxes, float2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const Beasts<float> later = beasts_later(Beasts<float>{hares[i], foxes[i]});
  out[i] = make_float2(later.hares, later.foxes);
}

__host__ __device__ __forceinline__ unsigned lowest_bit(unsigned v) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__ffs(static_cast<int>(v))) - 1;
#else
  return static_cast<unsigned>(__builtin_ctz(v));
#endif
}
/// One more or less than two, or two where both have something in common.
__device__ __forceinline__ unsigned jacobi_symbol(unsigned a, unsigned odd) {
  bool minus = false;
  a %= odd;
  while (a != 0) {
    const unsigned twos = lowest_bit(a);
    a >>= twos;
    const unsigned rest = odd % 8;
    if (twos % 2 == 1 && (rest == 3 || rest == 5)) minus = !minus;
    if (a % 4 == 3 && odd % 4 == 3) minus = !minus;
    const unsigned was = odd;
    odd = a;
    a = was % odd;
  }
  return odd != 1 ? 2 : minus ? 1 : 3;
}
__global__ void __launch_bounds__(256)
    symbols_of_pairs(const unsigned* numbers, const unsigned* others, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = jacobi_symbol(numbers[i], others[i] | 1);
}
/// By halves, without remainders, for the host.
unsigned symbol_by_halves(unsigned long long a, unsigned long long odd) {
  int sign = 1;
  a %= odd;
  while (a != 0) {
    while (a % 2 == 0) {
      a /= 2;
      if (odd % 8 == 3 || odd % 8 == 5) sign = -sign;
    }
    if (a < odd) {
      std::swap(a, odd);
      if (a % 4 == 3 && odd % 4 == 3) sign = -sign;
    }
    a -= odd;
  }
  return static_cast<unsigned>(2 + (odd == 1 ? sign : 0));
}

constexpr unsigned kLambertSteps = 5;
/// What times its own exponential is x, by steps of Halley's.
__global__ void __launch_bounds__(128) lambert_of_doubles(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const double x = 2.0 * in[i];
  double w = log1p(x);
#pragma unroll 1
  for (unsigned k = 0; k < kLambertSteps; ++k) {
    const double e = exp(w), off = w * e - x;
    w -= off / (e * (w + 1.0) - (w + 2.0) * off / (2.0 * w + 2.0));
  }
  out[i] = w;
}

constexpr float kSunLean = 0.409f, kSunYear = 365.25f, kSunTurn = 6.2831853f;
/// Where somebody looks at the sun and when.
struct SunAt {
  float north, day, hour;

  __host__ __device__ SunAt(float first, float second, unsigned word)
      : north(0.3f * (first - 3.75f)),
        day(50.0f * second),
        hour(static_cast<float>(word >> 8) * (1.0f / (1u << 24))) {}
};
/// The sun's height, and half of the part of a day for which it is up.
__global__ void __launch_bounds__(192)
    heights_of_sun(const float* north, const float* days, const unsigned* hours, float2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const SunAt at(north[i], days[i], hours[i]);
  const float lean = -kSunLean * cosf(kSunTurn / kSunYear * (at.day + 10.0f));
  float sin_lean, cos_lean, sin_north, cos_north;
  sincosf(lean, &sin_lean, &cos_lean);
  sincosf(at.north, &sin_north, &cos_north);
  const float height = sin_north * sin_lean + cos_north * cos_lean * cosf(kSunTurn * (at.hour - 0.5f));
  const float up = acosf(-(sin_north * sin_lean) / (cos_north * cos_lean));
  out[i] = make_float2(asinf(fminf(height, 1.0f)), up * (1.0f / kSunTurn));
}

constexpr unsigned kKaprekarEnd = 6174, kFourDigits = 10000;
__device__ __forceinline__ void order_digits(unsigned& a, unsigned& b) {
  const unsigned less = min(a, b);
  b = max(a, b);
  a = less;
}
/// The digits in falling order less those in rising order, until nothing changes; counted from one.
__device__ __forceinline__ unsigned kaprekar_steps(unsigned number) {
  unsigned steps = 1;
  while (number != 0 && number != kKaprekarEnd) {
    unsigned a = number / 1000, b = number / 100 % 10, c = number / 10 % 10, d = number % 10;
    order_digits(a, b);
    order_digits(c, d);
    order_digits(a, c);
    order_digits(b, d);
    order_digits(b, c);
    number = 999 * (d - a) + 90 * (c - b);
    ++steps;
  }
  return steps;
}
/// Two numbers of each of four words, four bits for each.
__global__ void __launch_bounds__(256) count_kaprekar_steps(const uint4* in, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint4 v = in[i];
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
  unsigned all = 0;
#pragma unroll
  for (const unsigned word : words) {
    all = all << 8 | kaprekar_steps((word & 0xffff) % kFourDigits) << 4 |
          kaprekar_steps((word >> 16) % kFourDigits);
  }
  out[i] = all;
}
std::vector<unsigned> kaprekar_steps_of_all() {
  std::vector<unsigned> all(kFourDigits);
  for (unsigned first = 0; first < kFourDigits; ++first) {
    unsigned number = first, steps = 1;
    for (; number != 0 && number != kKaprekarEnd; ++steps) {
      unsigned digits[4] = {number / 1000, number / 100 % 10, number / 10 % 10, number % 10}, low = 0,
               high = 0;
      std::sort(digits, digits + 4);
      for (unsigned k = 0; k < 4; ++k) {
        low = 10 * low + digits[k];
        high = 10 * high + digits[3 - k];
      }
      number = high - low;
    }
    all[first] = steps;
  }
  return all;
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned woods = as_number(n / 64);
  s.run(
      "hares and foxes of many woods, 24 steps of fourth order", 16.0 * woods,
      [&] {
        let_beasts_eat<<<Set::blocks(woods), 256>>>(s.in, s.other, reinterpret_cast<float2*>(s.out), woods);
      },
      [&] {
        return near_everywhere(
            s, 2 * std::size_t{woods}, 1e-4,
            [](std::size_t i) {
              const auto later = beasts_later(Beasts<double>{float_of(i / 2), other_of(i / 2)});
              return i % 2 == 0 ? later.hares : later.foxes;
            },
            5);
      });

  const unsigned symbols = as_number(n / 48);
  s.run(
      "Jacobi's symbols of pairs of words by remainders, as many as each needs", 12.0 * symbols,
      [&] {
        symbols_of_pairs<<<Set::blocks(symbols), 256>>>(s.words, s.words + symbols, s.numbers(), symbols);
      },
      [&] {
        return same_everywhere(
            s, symbols, [&](std::size_t i) { return symbol_by_halves(word_of(i), word_of(symbols + i) | 1); },
            3);
      });

  const unsigned lamberts = as_number(n / 64);
  s.run(
      "Lambert's function of doubles by five steps of Halley's", 12.0 * lamberts,
      [&] {
        lambert_of_doubles<<<Set::blocks(lamberts, 128), 128>>>(s.in, reinterpret_cast<double*>(s.out),
                                                                lamberts);
      },
      [&] {
        return right_everywhere<double>(s, lamberts, 1, [](std::size_t i, double w) {
          return Set::near(w * std::exp(w), 2.0 * float_of(i), 1e-11);
        });
      });

  const unsigned lookers = as_number(n / 32);
  s.run(
      "heights of the sun and lengths of the day by place, day and hour", 20.0 * lookers,
      [&] {
        heights_of_sun<<<Set::blocks(lookers, 192), 192>>>(s.in, s.other, s.words,
                                                           reinterpret_cast<float2*>(s.out), lookers);
      },
      [&] {
        return near_everywhere(
            s, 2 * std::size_t{lookers}, 2e-3,
            [](std::size_t i) {
              const SunAt at(float_of(i / 2), other_of(i / 2), word_of(i / 2));
              const double north = at.north, turn = 2 * std::acos(-1.0),
                           lean =
                               -double{kSunLean} * std::cos(turn / double{kSunYear} * (double{at.day} + 10));
              if (i % 2 == 1) return std::acos(-std::tan(north) * std::tan(lean)) / turn;
              return std::asin(
                  std::min(std::sin(north) * std::sin(lean) +
                               std::cos(north) * std::cos(lean) * std::cos(turn * (double{at.hour} - 0.5)),
                           1.0));
            },
            3);
      });

  const unsigned kaprekars = as_number(n / 128);
  s.run(
      "steps of Kaprekar's until numbers of four digits stay, eight a thread", 20.0 * kaprekars,
      [&] {
        count_kaprekar_steps<<<Set::blocks(kaprekars), 256>>>(reinterpret_cast<const uint4*>(s.words),
                                                              s.numbers(), kaprekars);
      },
      [&] {
        const std::vector<unsigned> steps = kaprekar_steps_of_all();
        return same_everywhere(s, kaprekars, [&](std::size_t i) {
          unsigned all = 0;
          for (std::size_t k = 4 * i; k < 4 * i + 4; ++k)
            all = all << 8 | steps[(word_of(k) & 0xffff) % kFourDigits] << 4 |
                  steps[(word_of(k) >> 16) % kFourDigits];
          return all;
        });
      });
}

}  // namespace held_out_19
