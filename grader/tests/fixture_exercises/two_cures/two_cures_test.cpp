/// @file
/// A benchmark against plain.cu, and an idea gate that either of two cures meets: a tile in shared memory, or few loads.
#include "two_cures.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem pairs(const course::shape& sizes) {
  using namespace course;
  problem p;
  const auto in = p.input<float>("in", sizes[0] + 1);
  const auto out = p.output<float>("out", sizes[0]);
  p.timed(COURSE_FUNCTION(two_cures_run), in, out, sizes[0], stream);
  const auto expected = [in](const host_inputs& inputs, std::size_t i) {
    return inputs[in][i] + inputs[in][i + 1];
  };
  p.expects(out,
            each_element(expected,
                         [](std::size_t i) {
                           return index_range{i == 0 ? 0 : i - 1, 2};
                         }),
            exact());
  return p;
}
}  // namespace

COURSE_EXERCISE(two_cures) {
  using namespace course;
  return {.asks = pairs,
          .size_names = {"n"},
          .cases = around(256),
          .benchmarks = {{.on_sim = {3'000'005}, .baseline = baseline_kind::plain}},
          .gates = {
              pass(at_least(0.5)), limit(at_least(1.5)),
              any_of(idea(metrics::shared_through, at_least(0.9)), idea(metrics::load_bytes, at_most(1.5)))}};
}
