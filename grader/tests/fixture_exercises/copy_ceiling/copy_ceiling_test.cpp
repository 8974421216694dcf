/// @file
/// The copy ceiling: 8 n bytes, by a kernel or by the runtime, whichever is faster.
#include "copy_ceiling.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem copy(const course::shape& sizes) {
  using namespace course;
  problem p;
  const auto in = p.input<float>("in", sizes[0], {.filled_with = distinct});
  const auto out = p.output<float>("out", sizes[0]);
  p.timed(COURSE_FUNCTION(copy_ceiling_run), in, out, sizes[0], stream);
  p.expects(out,
            each_element([in](const host_inputs& inputs, std::size_t i) { return inputs[in][i]; },
                         [](std::size_t i) {
                           return index_range{i, 1};
                         }),
            exact());
  p.work({.by = road::kernels | road::copies});
  return p;
}
}  // namespace

COURSE_EXERCISE(copy_ceiling) {
  return {.asks = copy,
          .size_names = {"n"},
          .cases = course::around(256),
          .benchmarks = {{.on_sim = {3'000'004},
                          .on_gpu = [](std::size_t bytes,
                                       const course::facts&) { return course::shape{bytes / 8 + 4}; }}},
          .gates = {course::limit(course::at_least(0.9))}};
}
