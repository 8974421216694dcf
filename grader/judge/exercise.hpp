/// @file
/// What an exercise's test file includes: everything to describe the exercise, and the macro that makes it
/// two tests.
///
/// @code
/// COURSE_EXERCISE(block_reduction) {
///   return {
///       .asks = sum,                       // course::problem sum(const course::shape&)
///       .size_names = {"n"},
///       .cases = {{0}, {1}, {31}, {32}, {33}, {1009}},
///       .timed_on_sim = {6'000'004},
///       .timed_on_gpu = [](std::size_t bytes) { return course::shape{bytes / 4}; },
///       .gates = {.pass = {{0.45}}, .limit = {{0.85}}, .ideas = {kOneAtomicABlock}},
///   };
/// }
/// @endcode
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "judge/gates.hpp"
#include "judge/problem.hpp"

namespace course {

/// One exercise, as its test describes it.
struct exercise {
  /// The problem at a size. Must give the same buffers, in the same order, for every size.
  problem (*asks)(const shape& sizes);
  /// What the numbers of a shape are called: {"rows", "cols"}.
  std::vector<std::string> size_names;
  /// Sizes at which results are checked, in this order; the first one that fails decides. Each below two
  /// million warp instructions.
  std::vector<shape> cases;
  /// The size whose time is modelled: at least four times the simulated L2 (5 MiB), below thirty million warp
  /// instructions.
  shape timed_on_sim;
  /// The size that moves about @p bytes on a real device; never a multiple of a tile.
  shape (*timed_on_gpu)(std::size_t bytes);
  gate_set gates;
};

/// Runs all cases, prints the verdict and writes the result file; fails or skips the running test unless it
/// is `pass`.
/// @param test_file the exercise's test: chapter and exercise are the names of the folders above it.
void grade_correctness(const exercise& what, const char* test_file);
/// As grade_correctness(), for time and idea gates.
void grade_bandwidth(const exercise& what, const char* test_file);

}  // namespace course

/// Defines the tests `name.correctness` and `name.bandwidth` from a function body that returns a
/// course::exercise.
#define COURSE_EXERCISE(name)                                        \
  static ::course::exercise course_describe_##name();                \
  TEST(name, correctness) {                                          \
    ::course::grade_correctness(course_describe_##name(), __FILE__); \
  }                                                                  \
  TEST(name, bandwidth) {                                            \
    ::course::grade_bandwidth(course_describe_##name(), __FILE__);   \
  }                                                                  \
  static ::course::exercise course_describe_##name()
