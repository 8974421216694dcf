/// @file
/// How peer_copy is graded: a buffer on each of two devices.
#include "peer_copy.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem copy(const course::shape& sizes) {
  course::problem p;
  const auto dst = p.output<float>("dst", sizes[0], {.device = 1});
  const auto src = p.input<float>("src", sizes[0], {.filled_with = course::distinct, .device = 0});
  p.timed(COURSE_FUNCTION(peer_copy_run), dst, src, sizes[0], course::stream);
  const auto expected = [src](const course::host_inputs& inputs, std::size_t i) { return inputs[src][i]; };
  p.expects(dst,
            course::each_element(expected,
                                 [](std::size_t i) {
                                   return course::index_range{i, 1};
                                 }),
            course::exact());
  p.work({.by = course::road::kernels | course::road::copies});
  return p;
}
}  // namespace

COURSE_EXERCISE(peer_copy) {
  return {
      .asks = copy,
      .size_names = {"n"},
      .cases = course::join(course::around(256), {{1009}, {100'003}}),
      .benchmarks = {{.on_sim = {2'000'003},
                      .on_gpu = [](std::size_t bytes,
                                   const course::facts&) { return course::shape{bytes / 8 + 5}; },
                      .roof = course::roof_kind::none,
                      .modelled_time_decides = false}},
      .gates = {course::pass(course::at_least(0.8)),
                course::idea(course::metrics::copies_down, course::at_most(0),
                             "the devices have a link of their own")},
  };
}
