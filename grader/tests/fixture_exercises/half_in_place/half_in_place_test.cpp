/// @file
/// An in-out buffer of half precision.
#include "half_in_place.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem twice_and_one(const course::shape& sizes) {
  using namespace course;
  problem p;
  const auto x = p.in_out<half>("x", sizes[0]);
  p.timed(COURSE_FUNCTION(half_in_place_run), x, sizes[0], stream);
  const auto expected = [x](const host_inputs& inputs, std::size_t i) {
    return 2.0 * static_cast<float>(inputs[x][i]) + 1.0;
  };
  p.expects(x, each_element(expected, [](std::size_t i) { return index_range{i, 1}; }), absolute(2e-3));
  return p;
}
}  // namespace

COURSE_EXERCISE(half_in_place) {
  return {.asks = twice_and_one,
          .size_names = {"n"},
          .cases = course::around(256),
          .benchmarks = {{.on_sim = {5'000'003},
                          // Large enough that a launch takes longer than what disturbs it.
                          .on_gpu = [](std::size_t bytes,
                                       const course::facts&) { return course::shape{bytes / 4 + 3}; }}},
          .gates = {course::pass(course::at_least(0.5))}};
}
