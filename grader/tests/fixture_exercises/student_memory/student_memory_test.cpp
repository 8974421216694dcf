/// @file
/// A buffer that lies where a *before* call says: filled after it, gone with its *after* call.
#include "student_memory.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem upload(const course::shape& sizes) {
  using namespace course;
  problem p;
  const auto host = p.before(COURSE_FUNCTION(student_memory_alloc), sizes[0]);
  const auto in = p.input<float>("host", sizes[0], {.filled_with = distinct, .place = place::pinned});
  p.lies_at(in, host);
  const auto out = p.output<float>("device", sizes[0]);
  p.timed(COURSE_FUNCTION(student_memory_upload), in, out, sizes[0], stream);
  p.after(COURSE_FUNCTION(student_memory_free), host);
  p.expects(out,
            each_element([in](const host_inputs& inputs, std::size_t i) { return inputs[in][i]; },
                         [](std::size_t i) {
                           return index_range{i, 1};
                         }),
            exact());
  p.work({.written = 0, .by = road::copies | road::kernels});
  return p;
}
}  // namespace

COURSE_EXERCISE(student_memory) {
  return {.asks = upload,
          .size_names = {"n"},
          .cases = {{33}, {1}, {1009}, {100'003}, {0}},
          .benchmarks = {{.on_sim = {2'000'003}, .roof = course::roof_kind::link}},
          .gates = {course::idea(course::metrics::copies_up, course::at_least(1))}};
}
