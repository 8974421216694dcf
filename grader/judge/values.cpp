/// @file
/// See values.hpp.
#include "judge/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace course {
namespace {

// A counter's mixing multiplies 64 bits twice for each number. With vectors that can do so it is nine times as fast. The numbers are the
// same: fractions are made by powers of two, so that nothing is rounded differently where two steps are one instruction.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define COURSE_WIDE_TOO __attribute__((target_clones("default", "arch=x86-64-v4")))
#else
#define COURSE_WIDE_TOO
#endif

template <class T, class Make>
COURSE_WIDE_TOO void fill_all(T* out, std::uint64_t first, std::size_t count, std::uint64_t key, Make make) {
  for (std::size_t k = 0; k < count; ++k) {
    // The two 16-bit floats take what a float would get, rounded.
    if constexpr (std::is_class_v<T>) {
      out[k] = T(make(float{}, first + k, key));
    } else {
      out[k] = make(T{}, first + k, key);
    }
  }
}

template <class Make>
void fill_with(void* data, scalar type, std::uint64_t first, std::size_t count, std::uint64_t seed,
               Make make) {
  with_type(type,
            [&](auto zero) { fill_all(static_cast<decltype(zero)*>(data), first, count, mix(seed), make); });
}

float float_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

void fill_one_sided(void* data, scalar type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
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

void fill_signed_one_sided(void* data, scalar type, std::uint64_t first, std::size_t count,
                           std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    if constexpr (std::is_floating_point_v<T>) {
      // h has seven bits of mantissa, as bfloat16 does, and is more than 1; d has eleven far below them. Both fit a float, whatever
      // the sign of h.
      const float h = float_of(0x3f800000u | (static_cast<std::uint32_t>(bits & 0x7f) | 1u) << 16);
      const float d = static_cast<float>((bits >> 10 & 0x7ff) | 1u) * 0x1p-22f;
      return static_cast<T>((bits >> 40 & 1 ? -h : h) + d);
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(static_cast<std::int64_t>(bits & 0x7f) - 64);
    } else {
      return static_cast<T>(1 + (bits & 0x3f));
    }
  });
}

void fill_full_mantissa(void* data, scalar type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(float_of(0x3f800000u | static_cast<std::uint32_t>(bits & 0x7fffff)));
    } else {
      return static_cast<T>(1 + (bits & 0x3f));
    }
  });
}

void fill_signed_full_mantissa(void* data, scalar type, std::uint64_t first, std::size_t count,
                               std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    if constexpr (std::is_floating_point_v<T>) {
      const float value = float_of(0x3f800000u | static_cast<std::uint32_t>(bits & 0x7fffff));
      return static_cast<T>((bits >> 40 & 3) == 0 ? -value : value);
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(static_cast<std::int64_t>(bits & 0x7f) - 32);
    } else {
      return static_cast<T>(1 + (bits & 0x3f));
    }
  });
}

void fill_extremes(void* data, scalar type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    if constexpr (std::is_floating_point_v<T>) {
      const float sign = bits >> 40 & 1 ? -1.0f : 1.0f;
      switch (bits & 0x1f) {
        case 0:
          return T(0);
        case 1:
          return static_cast<T>(sign * 0x1p-120f);
        case 2:
          return static_cast<T>(sign * 0x1p100f);
        case 3:
          return static_cast<T>(sign);
        default:
          return static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits) >> 40) * 0x1p-23);
      }
    } else {
      switch (bits & 0x1f) {
        case 0:
          return T(0);
        case 1:
          return std::numeric_limits<T>::max();
        case 2:
          return std::numeric_limits<T>::min();
        default:
          return static_cast<T>(bits);
      }
    }
  });
}

void fill_spikes(void* data, scalar type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
  fill_with(data, type, first, count, seed, []<class T>(T, std::uint64_t index, std::uint64_t key) -> T {
    const std::uint64_t bits = mix(index ^ key);
    if constexpr (sizeof(T) >= 4) {
      const auto spike = static_cast<T>((std::uint64_t{1} << 20) + (bits & 0xfffff));
      if constexpr (std::is_signed_v<T>) return bits >> 40 & 1 ? -spike : spike;
      return spike;
    } else {
      return static_cast<T>(128 + (bits & 0x7f));
    }
  });
}

void fill_distinct(void* data, scalar type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
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

void fill_uniform(void* data, scalar type, std::uint64_t first, std::size_t count, std::uint64_t seed) {
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
const values signed_one_sided{fill_signed_one_sided};
const values full_mantissa{fill_full_mantissa};
const values signed_full_mantissa{fill_signed_full_mantissa};
const values spikes{fill_spikes};
const values distinct{fill_distinct};
const values uniform{fill_uniform};
const values extremes{fill_extremes};

values values_made_by(number_maker make) {
  return {[make = std::move(make)](void* data, scalar type, std::uint64_t first, std::size_t count,
                                   std::uint64_t seed) {
    const std::uint64_t key = mix(seed);
    with_type(type, [&](auto zero) {
      using T = decltype(zero);
      auto* const out = static_cast<T*>(data);
      std::array<double, 512> made;
      for (std::size_t done = 0; done < count; done += made.size()) {
        const std::size_t here = std::min(made.size(), count - done);
        make(first + done, here, key, made.data());
        std::transform(made.data(), made.data() + here, out + done, scalar_from<T>);
      }
    });
  }};
}

void fill_elements(const values& with, const element_type& type, void* data, std::uint64_t first,
                   std::size_t count, std::uint64_t seed) {
  const auto fields = type.fields.size();
  if (type.is_flat()) {
    with.fill(data, type.fields[0].type, first * fields, count * fields, seed);
    return;
  }
  auto* const bytes = static_cast<char*>(data);
  std::memset(bytes, 0, count * type.size);  // gaps between fields
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t f = 0; f < fields; ++f)
      with.fill(bytes + k * type.size + type.fields[f].offset, type.fields[f].type, (first + k) * fields + f,
                1, seed);
  }
}

void fill_parallel(const values& with, const element_type& type, void* data, std::size_t count,
                   std::uint64_t seed) {
  parallel_ranges(count, 1 << 20, [&](std::size_t first, std::size_t piece) {
    fill_elements(with, type, static_cast<char*>(data) + first * type.size, first, piece, seed);
  });
}

}  // namespace course
