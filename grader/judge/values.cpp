/// @file
/// See values.hpp.
#include "judge/values.hpp"

#include <bit>
#include <cstring>

namespace course {
namespace {

// Calls f(T{}) with the C++ type of @p type.
template <class F>
void with_type(element type, F&& f) {
  switch (type) {
    case element::u8:
      return f(std::uint8_t{});
    case element::i32:
      return f(std::int32_t{});
    case element::u32:
      return f(std::uint32_t{});
    case element::i64:
      return f(std::int64_t{});
    case element::u64:
      return f(std::uint64_t{});
    case element::f32:
      return f(float{});
    case element::f64:
      return f(double{});
  }
}

template <class Make>
void fill_with(void* data, element type, std::uint64_t first, std::size_t count, std::uint64_t seed,
               Make make) {
  const std::uint64_t key = mix(seed);
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    auto* const out = static_cast<T*>(data);
    for (std::size_t k = 0; k < count; ++k) out[k] = make(zero, first + k, key);
  });
}

float float_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

void fill_one_sided(void* data, element type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    // Half precision keeps ten bits of a float's mantissa, the upper ones of 23. The thirteen below are less
    // than half of its last.
    if constexpr (std::is_floating_point_v<T>) {
      const auto kept = static_cast<std::uint32_t>(bits & 0x3ff),
                 lost = static_cast<std::uint32_t>(bits >> 10 & 0xffe) | 1;
      return static_cast<T>(float_of(0x3f800000u | kept << 13 | lost));
    } else {
      return static_cast<T>(1 + (bits & 0x3f));
    }
  });
}

void fill_full_mantissa(void* data, element type, std::uint64_t first, std::size_t count,
                        std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(float_of(0x3f800000u | static_cast<std::uint32_t>(bits & 0x7fffff)));
    } else {
      return static_cast<T>(1 + (bits & 0x3f));
    }
  });
}

void fill_spikes(void* data, element type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    if constexpr (sizeof(T) >= 4) {
      return static_cast<T>((1u << 20) + static_cast<std::uint32_t>(bits & 0xfffff));
    } else {
      return static_cast<T>(128 + (bits & 0x7f));
    }
  });
}

void fill_distinct(void* data, element type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    // Odd multiplier and xor-shift are one-to-one modulo a power of two.
    if constexpr (std::is_same_v<T, float>) {
      constexpr std::uint32_t kMask = (1u << 27) - 1;
      std::uint32_t x = (static_cast<std::uint32_t>(index) + static_cast<std::uint32_t>(key)) & kMask;
      x = (x * 0x2c1b3c6du) & kMask;
      x ^= x >> 13;
      x = (x * 0x297a2d39u) & kMask;
      // 23 bits of mantissa, 3 of exponent (2^-3 to 2^4), 1 of sign.
      return float_of((x & 0x7fffff) | ((124 + ((x >> 23) & 7)) << 23) | ((x >> 26) << 31));
    } else if constexpr (std::is_same_v<T, double>) {
      const std::uint64_t x = mix(index ^ key);
      return std::bit_cast<double>((x >> 12) | (std::uint64_t{1020 + (x & 7)} << 52) | ((x & 8) << 60));
    } else {
      std::uint64_t x = index * 0x9e3779b97f4a7c15u + key;
      if constexpr (sizeof(T) == 4) {
        std::uint32_t y = static_cast<std::uint32_t>(index) * 0x2c1b3c6du + static_cast<std::uint32_t>(key);
        y ^= y >> 15;
        y *= 0x297a2d39u;
        return static_cast<T>(y);
      }
      return static_cast<T>(x ^ (x >> 29));
    }
  });
}

void fill_uniform(void* data, element type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits) >> 40) * 0x1p-23);
    } else {
      return static_cast<T>(bits);
    }
  });
}

}  // namespace

const values one_sided{fill_one_sided};
const values full_mantissa{fill_full_mantissa};
const values spikes{fill_spikes};
const values distinct{fill_distinct};
const values uniform{fill_uniform};

double load_element(element type, const void* data, std::size_t index) {
  double value = 0;
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    T one;
    std::memcpy(&one, static_cast<const char*>(data) + index * sizeof(T), sizeof one);
    value = static_cast<double>(one);
  });
  return value;
}

void store_element(element type, void* data, std::size_t index, double value) {
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    const T one = static_cast<T>(value);
    std::memcpy(static_cast<char*>(data) + index * sizeof(T), &one, sizeof one);
  });
}

void fill_parallel(const values& with, element type, void* data, std::size_t count, std::uint64_t seed) {
  parallel_ranges(count, 1 << 20, [&](std::size_t first, std::size_t piece) {
    with.fill(static_cast<char*>(data) + first * size_of(type), type, first, piece, seed);
  });
}

}  // namespace course
