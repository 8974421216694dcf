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

std::vector<double> logs(const block& one) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(one.student_seconds.size(), one.reference_seconds.size()); ++i) {
    if (one.student_seconds[i] > 0 && one.reference_seconds[i] > 0) {
      values.push_back(std::log(one.reference_seconds[i] / one.student_seconds[i]));
    }
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
    result.pairs += static_cast<int>(values.size());
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
    std::vector<double> odd, even;
    for (std::size_t i = 0; i < one.reference_seconds.size(); ++i) {
      (i % 2 ? odd : even).push_back(one.reference_seconds[i]);
    }
    const double a = median(odd), b = median(even);
    if (a > 0 && b > 0) logs_of_blocks.push_back(std::log(a / b));
  }
  return std::exp(median(logs_of_blocks));
}

}  // namespace course::statistics
