/// @file
/// Half and bfloat16 as 16-bit patterns: exact widening, and narrowing with one rounding from double.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace simgpu::exec {

inline float from_half(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t{h & 0x8000u} << 16, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F80'0000u | fraction << 13);
  if (exponent == 0) {
    const float f = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -f : f;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}
inline float from_bfloat(std::uint16_t b) {
  return std::bit_cast<float>(std::uint32_t{b} << 16);
}

/// How a value that lies between two representable ones is rounded. Same numbers as lower::Rounding.
enum class NarrowMode : std::uint8_t { nearest, zero, down, up };

/// @tparam exponent_bits, fraction_bits of the target format. Correctly rounded; NaN becomes 0x7FFF.
template <int exponent_bits, int fraction_bits>
inline std::uint16_t narrow(double value, NarrowMode mode = NarrowMode::nearest) {
  constexpr int kBias = (1 << (exponent_bits - 1)) - 1, kMaxExponent = kBias, kMinExponent = 1 - kBias;
  constexpr std::uint16_t kInfinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint16_t sign = static_cast<std::uint16_t>(bits >> 63 << 15);
  if (value != value) return 0x7FFF;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | kInfinity;
  if (magnitude == 0) return sign;
  int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52) - 1023;
  if (exponent < kMinExponent) exponent = kMinExponent;
  const double unit = std::ldexp(1.0, exponent - fraction_bits);
  const double scaled = magnitude / unit;  // exact: a power of two
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  bool up = false;
  if (mode == NarrowMode::nearest) up = rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) == 1.0);
  if (mode == NarrowMode::down) up = sign && rest > 0;
  if (mode == NarrowMode::up) up = !sign && rest > 0;
  if (up) whole += 1;
  const double rounded = whole * unit;
  if (rounded >= std::ldexp(1.0, kMaxExponent + 1)) {
    const bool to_infinity = mode == NarrowMode::nearest || (mode == NarrowMode::down && sign) ||
                             (mode == NarrowMode::up && !sign);
    return static_cast<std::uint16_t>(sign | (to_infinity ? kInfinity : kInfinity - 1));
  }
  const auto mantissa = static_cast<std::uint32_t>(whole);
  // A subnormal has biased exponent 0; a carry out of the fraction moves into the exponent by itself.
  const std::uint32_t biased = static_cast<std::uint32_t>(exponent + kBias);
  return static_cast<std::uint16_t>(sign | ((biased << fraction_bits) + mantissa - (1u << fraction_bits)));
}
inline std::uint16_t to_half(double v, NarrowMode m = NarrowMode::nearest) {
  return narrow<5, 10>(v, m);
}
inline std::uint16_t to_bfloat(double v, NarrowMode m = NarrowMode::nearest) {
  return narrow<8, 7>(v, m);
}

/// Eight-bit floats: sign, exponent, fraction. e4m3 has no infinity and one NaN, e5m2 is the upper half of a half.
enum class Float8 : std::uint8_t { e4m3, e5m2 };

/// Rounded to nearest even; what is too large becomes the largest number, a NaN 0x7F.
inline std::uint8_t to_float8(double value, Float8 format) {
  const bool e5m2 = format == Float8::e5m2;
  const int fraction_bits = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;
  const double largest = e5m2 ? 57344 : 448;
  if (value != value) return 0x7F;
  const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
  double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (magnitude > largest) magnitude = largest;
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  const double scaled = std::ldexp(magnitude, fraction_bits - exponent);
  double whole = std::floor(scaled);
  const double rest = scaled - whole;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2.0) == 1.0)) whole += 1;
  const int code = ((exponent + bias) << fraction_bits) + static_cast<int>(whole) - (1 << fraction_bits);
  return static_cast<std::uint8_t>(sign | std::min(code, e5m2 ? 0x7B : 0x7E));
}
/// Exact: every eight-bit float is a half.
inline std::uint16_t half_from_float8(std::uint8_t b, Float8 format) {
  if (format == Float8::e5m2) return static_cast<std::uint16_t>((b & 0x7F) > 0x7C ? 0x7FFF : b << 8);
  if ((b & 0x7F) == 0x7F) return 0x7FFF;
  const int exponent = b >> 3 & 15, fraction = b & 7;
  const double v = exponent ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
  return to_half(b & 0x80 ? -v : v);
}

/// a*b + c of values with at most 11-bit significands, so that narrowing the result rounds only once (round
/// to odd).
inline double fma_to_odd(double a, double b, double c) {
  const double product = a * b;  // exact
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double back = sum - product;
  const double error = (product - (sum - back)) + (c - back);
  if (error == 0) return sum;
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (bits & 1) return sum;
  const bool away = (error > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits | 1 : bits - 1);
}

}  // namespace simgpu::exec
