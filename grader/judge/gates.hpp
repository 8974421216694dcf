/// @file
/// Gates: a range over a metric, and what follows when it is missed. A *pass gate* decides `too_slow`, an *idea gate* `wasteful`, a
/// *limit mark* is shown and recorded, never required.
///
/// @code
/// .gates = {pass(at_least(0.70)), limit(at_least(0.93)),
///           idea(metrics::excess_wavefronts, at_most(1.0), "the rows of a tile begin in the same bank"),
///           any_of(idea(metrics::hinted_stream, at_least(0.95)), idea(metrics::persisting_window, at_most(1.25)))}
/// @endcode
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "judge/metrics.hpp"

namespace course {

/// Numbers from `least` to `most`, both included.
struct range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool holds(double value) const { return value >= least && value <= most; }  // false for NaN
};
constexpr range at_least(double value) {
  return {.least = value};
}
constexpr range at_most(double value) {
  return {.most = value};
}
constexpr range between(double least, double most) {
  return {least, most};
}
constexpr range exactly(double value) {
  return {value, value};
}
/// Reads ">= 0.45", "<= 1", "0.95 to 1.05" or "= 1".
std::string to_string(const range& what);

/// What a missed gate means.
enum class consequence { pass, limit, idea };
/// @return "pass", "limit" or "idea".
std::string_view name_of(consequence which);

/// See the file's head.
struct gate {
  const metric* measures = nullptr;
  range within;
  consequence means = consequence::idea;
  std::string_view
      lesson;  ///< one sentence for who misses it; may be empty: the metric then names line and waste
  std::string_view on;        ///< the benchmark that it looks at; empty: each one
  std::vector<gate> or_else;  ///< one of these met instead is as good

  /// The same gate for one benchmark only.
  gate of(std::string_view benchmark) const {
    auto one = *this;
    one.on = benchmark;
    return one;
  }
};

/// Speed as a share of the baseline's in the same run: else `too_slow`.
inline gate pass(range within) {
  return {&metrics::speed, within, consequence::pass, {}, {}, {}};
}
/// From this share on a result is "at the limit".
inline gate limit(range within) {
  return {&metrics::speed, within, consequence::limit, {}, {}, {}};
}
/// Something countable that only the best programs reach.
inline gate limit(const metric& measures, range within) {
  return {&measures, within, consequence::limit, {}, {}, {}};
}
/// Something countable: else `wasteful`.
inline gate idea(const metric& measures, range within, std::string_view lesson = {}) {
  return {&measures, within, consequence::idea, lesson, {}, {}};
}
/// Met when one of them is. The first one's lesson is said when all are missed.
template <class... More>
gate any_of(gate first, More... others) {
  first.or_else = {std::move(others)...};
  return first;
}

/// A gate and what was found, as result files hold it.
struct gate_result {
  std::string name, benchmark, kind, relation, unit, note;
  double value = 0, threshold = 0;
  std::string wanted;  ///< the range in words: to_string(range)
  bool met = false, modelled = false;
  bool counted = true;     ///< false: nothing could be counted, so the gate could not be evaluated
  bool toothless = false;  ///< slow programs clear it on this card, so it does not count
};

}  // namespace course
