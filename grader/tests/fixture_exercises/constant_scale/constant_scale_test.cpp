/// @file
/// A buffer that is common to all sets, because its contents go to module-wide memory.
#include "constant_scale.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem scale(const course::shape& sizes) {
  using namespace course;
  problem p;
  const auto factors = p.input<float>("factors", 4, {.common = true});
  const auto in = p.input<float>("in", sizes[0]);
  const auto out = p.output<float>("out", sizes[0]);
  p.before(COURSE_FUNCTION(constant_scale_setup), factors, stream);
  p.timed(COURSE_FUNCTION(constant_scale_run), in, out, sizes[0], stream);
  const auto expected = [=](const host_inputs& inputs, std::size_t i) {
    const auto* const f = inputs[factors];
    return static_cast<double>(f[0]) * inputs[in][i] + f[1] + static_cast<double>(f[2]) * f[3];
  };
  const auto affected = [=, n = sizes[0]](std::size_t buffer, std::size_t i) {
    return buffer == factors.index ? index_range{0, std::min<std::size_t>(n, 1000)} : index_range{i, 1};
  };
  p.expects(out, each_element(expected, affected), absolute(1e-5));
  p.work({.read = 4.0 * static_cast<double>(sizes[0])});
  p.before_launches_no_kernel();
  return p;
}
}  // namespace

COURSE_EXERCISE(constant_scale) {
  return {.asks = scale,
          .size_names = {"n"},
          .cases = course::around(256),
          .benchmarks = {{.on_sim = {3'000'005}}},
          .gates = {course::idea(course::metrics::constant_passes, course::at_most(1))}};
}
