/// @file
/// See statistics.hpp.
#include "judge/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace course::statistics {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

namespace {

std::size_t pairs_of(const block& one) {
  return std::min(one.student_seconds.size(), one.reference_seconds.size());
}

/// Logarithms of the ratio, each from two pairs in a row: in one the student is first, in the other the baseline. What comes first takes
/// longer by the judge's own clock, since a process that has slept must wake up (13 % of a millisecond on an H200): it cancels here.
std::vector<double> logs(const block& one) {
  std::vector<double> values;
  for (std::size_t i = 0; i < pairs_of(one); i += 2) {
    double sum = 0;
    int timed = 0;
    for (std::size_t j = i; j < std::min(i + 2, pairs_of(one)); ++j) {
      if (!(one.student_seconds[j] > 0 && one.reference_seconds[j] > 0)) continue;
      sum += std::log(one.reference_seconds[j] / one.student_seconds[j]);
      ++timed;
    }
    if (timed > 0) values.push_back(sum / timed);
  }
  return values;
}

// Student's t, two-sided 95 %, by degrees of freedom.
double t_quantile(std::size_t freedom) {
  constexpr std::array<double, 16> kTable{0,     12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                          2.306, 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131};
  return freedom < kTable.size() ? kTable[freedom] : 1.96;
}

}  // namespace

double log_ratio(const block& one) {
  return median(logs(one));
}

estimate estimate_ratio(std::span<const block> blocks) {
  estimate result;
  std::vector<double> medians;
  for (const auto& one : blocks) {
    const auto values = logs(one);
    if (values.empty()) continue;
    result.pairs += static_cast<int>(pairs_of(one));
    medians.push_back(median(values));
  }
  result.blocks = static_cast<int>(medians.size());
  if (medians.empty()) return result;
  double mean = 0;
  for (const double value : medians) mean += value / static_cast<double>(medians.size());
  double reach = 0;
  if (medians.size() >= 2) {
    double squares = 0;
    for (const double value : medians) squares += (value - mean) * (value - mean);
    const auto count = static_cast<double>(medians.size());
    reach = 1.25 * t_quantile(medians.size() - 1) * std::sqrt(squares / (count - 1) / count);
  } else {
    auto values = logs(blocks.front());
    std::sort(values.begin(), values.end());
    if (!values.empty()) reach = (values[values.size() * 3 / 4] - values[values.size() / 4]) / 2;
  }
  result.ratio = std::exp(mean);
  result.low = std::exp(mean - reach);
  result.high = std::exp(mean + reach);
  return result;
}

std::optional<bool> decide(const estimate& what, double gate) {
  if (what.low >= gate) return true;
  if (what.high < gate) return false;
  return std::nullopt;
}

double self_ratio(std::span<const block> blocks) {
  std::vector<double> logs_of_blocks;
  for (const auto& one : blocks) {
    // Only what had the same place in its pair is compared: every fourth with the one two behind it.
    std::array<std::vector<double>, 4> turns;
    for (std::size_t i = 0; i < one.reference_seconds.size(); ++i)
      turns[i % 4].push_back(one.reference_seconds[i]);
    const double second = std::log(median(turns[2]) / median(turns[0]));
    const double first = std::log(median(turns[3]) / median(turns[1]));
    if (std::isfinite(second + first)) logs_of_blocks.push_back((second + first) / 2);
  }
  return std::exp(median(logs_of_blocks));
}

}  // namespace course::statistics
