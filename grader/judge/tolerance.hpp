/// @file
/// How exactly an output must match.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

namespace course {

class host_inputs;

/// Allowed distance from the expected value. NaN and infinities never match a finite expectation, whatever the numbers here.
struct tolerance {
  double relative = 0;  ///< of the expected value's magnitude
  double absolute = 0;
  bool bitwise = false;  ///< the very bits; the other fields then say nothing
  /// A further absolute distance that depends on the element and the inputs; empty: none.
  std::function<double(const host_inputs& inputs, std::size_t index)> local = {};

  /// True if @p actual may stand for @p expected. @param more what `local` gives for this element.
  bool accepts(double expected, double actual, double more = 0) const {
    return is_near(expected, actual, absolute + more, relative);
  }
  /// Within @p distance and @p part of the expected value; false for NaN.
  static bool is_near(double expected, double actual, double distance, double part) {
    return std::abs(actual - expected) <= distance + part * std::abs(expected);
  }
};

/// Within @p part of the expected value.
inline tolerance relative(double part) {
  return {.relative = part};
}
/// Within @p distance of the expected value.
inline tolerance absolute(double distance) {
  return {.absolute = distance};
}
/// What a texture unit's filter may be off by, whatever the texels: a mean below the smallest normal number comes out as 0 (seen on an
/// H200: -7.8e-39 became -0). Absolute.
inline constexpr double flushed_by_filter = 0x1p-126;

/// Bit for bit: copies, transposes, integers, records.
inline tolerance exact() {
  return {.bitwise = true};
}
/// Within a distance that each element has of its own: `allowed(inputs, output index)`, absolute.
inline tolerance within(std::function<double(const host_inputs&, std::size_t)> allowed) {
  return {.local = std::move(allowed)};
}

}  // namespace course
