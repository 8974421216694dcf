/// @file
/// How exactly an output must match.
#pragma once

namespace course {

/// Allowed distance from the expected value. NaN and infinities never match a finite expectation, whatever
/// the numbers here.
struct tolerance {
  double relative = 0;  ///< of the expected value's magnitude
  double absolute = 0;
  bool bitwise = false;  ///< the very bits; the other fields then say nothing

  /// True if @p actual may stand for @p expected.
  bool accepts(double expected, double actual) const {
    const double difference = actual > expected ? actual - expected : expected - actual;
    const double magnitude = expected < 0 ? -expected : expected;
    return difference <= absolute + relative * magnitude;  // false for NaN
  }
};

/// Within @p part of the expected value.
constexpr tolerance relative(double part) {
  return {part, 0, false};
}
/// Within @p distance of the expected value.
constexpr tolerance absolute(double distance) {
  return {0, distance, false};
}
/// Bit for bit: copies, transposes, integers.
constexpr tolerance exact() {
  return {0, 0, true};
}

}  // namespace course
