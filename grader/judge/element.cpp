/// @file
/// See element.hpp.
#include "judge/element.hpp"

#include <cmath>

namespace course {

half::half(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(word >> 16 & 0x8000u);
  const std::uint32_t magnitude = word & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) {  // infinity stays, NaN keeps a bit of its payload
    bits = static_cast<std::uint16_t>(sign | 0x7c00u | (magnitude > 0x7f800000u ? 0x200u : 0u));
  } else if (magnitude >= 0x477ff000u) {  // 65520 and more round to infinity
    bits = static_cast<std::uint16_t>(sign | 0x7c00u);
  } else if (magnitude < 0x38800000u) {  // below 2^-14: subnormal, in units of 2^-24
    const auto units = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f);
    bits = static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(units));
  } else {
    const std::uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    bits = static_cast<std::uint16_t>(sign | (rounded - 0x38000000u) >> 13);
  }
}

half::operator float() const {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16, exponent = bits >> 10 & 31u,
                      mantissa = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) {
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

bfloat16::bfloat16(float value) {
  const auto word = std::bit_cast<std::uint32_t>(value);
  if ((word & 0x7fffffffu) > 0x7f800000u) {
    bits = static_cast<std::uint16_t>(word >> 16 | 0x40u);
  } else {
    bits = static_cast<std::uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
  }
}

bfloat16::operator float() const {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

bool element_type::is_flat() const {
  std::size_t at = 0;
  for (const auto& one : fields) {
    if (one.type != fields[0].type || one.offset != at) return false;
    at += size_of(one.type);
  }
  return at == size;
}

double load_scalar(scalar type, const void* from) {
  return with_type(type, [&](auto zero) {
    std::memcpy(&zero, from, sizeof zero);
    if constexpr (std::is_class_v<decltype(zero)>) {
      return static_cast<double>(static_cast<float>(zero));
    } else {
      return static_cast<double>(zero);
    }
  });
}

void store_scalar(scalar type, void* to, double value) {
  with_type(type, [&](auto zero) {
    zero = scalar_from<decltype(zero)>(value);
    std::memcpy(to, &zero, sizeof zero);
  });
}

}  // namespace course
