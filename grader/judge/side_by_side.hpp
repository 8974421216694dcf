/// @file
/// Sums that an oracle takes over a stretch of an input, in double precision. One number after the other, each addition would wait for
/// the one before: it is four times as fast in eight sums side by side.
#pragma once

#include <cstddef>

namespace course {

/// Adds up @p term (i) for all i below @p count.
template <class Term>
double add_side_by_side(std::size_t count, Term term) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += term(i + k);
  }
  double all = 0;
  for (; i < count; ++i) all += term(i);
  for (std::size_t half = kSums / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return all + sums[0];
}

/// Adds up @p value of @p count numbers from @p data on, each turned into a double first.
template <class Value>
double sum_side_by_side(const float* data, std::size_t count, Value value) {
  return add_side_by_side(count, [&](std::size_t i) { return value(static_cast<double>(data[i])); });
}

/// Adds up the products of @p count numbers of each, in double precision.
inline double dot_side_by_side(const float* left, const float* right, std::size_t count) {
  return add_side_by_side(
      count, [&](std::size_t i) { return static_cast<double>(left[i]) * static_cast<double>(right[i]); });
}

}  // namespace course
