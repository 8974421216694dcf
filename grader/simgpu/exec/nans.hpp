/// @file
/// Which NaN an operation gives, as the hardware does it: of f32 always the same one; of f64 the one of an operand, made quiet,
/// or, where no operand is one, a negative one.
#pragma once

#include <bit>
#include <cstdint>

namespace simgpu::exec {

inline constexpr std::uint32_t kNan32 = 0x7FFF'FFFFu;
inline constexpr std::uint64_t kNan64 = 0xFFF8'0000'0000'0000ull, kQuiet64 = 0x0008'0000'0000'0000ull;

inline double quiet(double v) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) | kQuiet64);
}

/// @p r, or the NaN in its place. Operands in the order in which theirs is preferred.
inline float settled(float r, float = 0, float = 0, float = 0) {
  return r == r ? r : std::bit_cast<float>(kNan32);
}
inline double settled(double r, double a, double b = 0, double c = 0) {
  const double nan = a != a   ? quiet(a)
                     : b != b ? quiet(b)
                     : c != c ? quiet(c)
                              : std::bit_cast<double>(kNan64);
  return r == r ? r : nan;
}

}  // namespace simgpu::exec
