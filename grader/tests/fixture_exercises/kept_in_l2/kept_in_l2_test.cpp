/// @file
/// Each case and each placing of the timed buffers begins with nothing set aside of the L2.
#include "kept_in_l2.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem copy(const course::shape& sizes) {
  using namespace course;
  problem p;
  // Common, so that a single set-up serves all sets: the second one would find what the first one set, rightly.
  const auto in = p.input<float>("in", sizes[0], {.filled_with = distinct, .common = true, .fixed = true});
  const auto out = p.output<float>("out", sizes[0]);
  p.before(COURSE_FUNCTION(kept_in_l2_setup), in, sizes[0], stream);
  p.timed(COURSE_FUNCTION(kept_in_l2_run), in, out, sizes[0], stream);
  p.expects(out,
            each_element([in](const host_inputs& inputs, std::size_t i) { return inputs[in][i]; },
                         [](std::size_t i) {
                           return index_range{i, 1};
                         }),
            exact());
  return p;
}
}  // namespace

COURSE_EXERCISE(kept_in_l2) {
  return {.asks = copy,
          .size_names = {"n"},
          .cases = {{1}, {33}, {1009}, {100'003}},
          .benchmarks = {{.on_sim = {2'000'003}}},
          .gates = {course::idea(course::metrics::load_bytes, course::at_least(1))}};
}
