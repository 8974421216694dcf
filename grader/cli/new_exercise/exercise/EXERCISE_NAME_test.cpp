/// @file
/// How EXERCISE_NAME is graded. TODO(author): which idea the gates ask for.
#include "EXERCISE_NAME.cuh"

#include <cstddef>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed. TODO(author): take them from `./course suggest-gates EXERCISE_NAME`.
constexpr double kPass = 0.70, kLimit = 0.95;

course::problem copy(const shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto out = p.output<float>("out", n, {.alignment = 128});
  const auto in = p.input<float>("in", n, {.filled_with = course::distinct, .alignment = 128});
  p.timed(COURSE_FUNCTION(EXERCISE_NAME_run), out, in, n, course::stream);
  // TODO(author): what must come out at place i, and which inputs it depends on.
  const auto expected = [in](const course::host_inputs& inputs, std::size_t i) { return inputs[in][i]; };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(out, course::each_element(expected, affected), course::exact());
  return p;
}

}  // namespace

COURSE_EXERCISE(EXERCISE_NAME) {
  return {
      .asks = copy,
      .size_names = {"n"},
      .cases = course::join(course::around(256), {{1009}, {65'537}}),
      .drawn = [](course::random_source& draw) { return shape{draw.between(2, 50'000)}; },
      .hidden = [](course::random_source& draw) { return shape{draw.between(1'000'000, 1'200'000)}; },
      .benchmarks = {{.on_sim = {3'000'005},
                      .on_gpu = [](std::size_t bytes,
                                   const course::facts&) { return shape{bytes / (2 * sizeof(float)) + 5}; }}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit))},
  };
}
