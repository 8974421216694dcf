/// @file
/// Buffers shaped by an answer, which is checked before anything is laid out by it.
#include "pitched_rows.cuh"

#include "judge/exercise.hpp"

namespace {
course::problem twice(const course::shape& sizes) {
  using namespace course;
  const std::size_t rows = sizes[0], cols = sizes[1];
  problem p;
  const auto pitch = p.before(COURSE_FUNCTION(pitched_rows_pitch), cols);
  p.answers_between(pitch, 4 * cols, (4 * cols + 511) / 512 * 512, 32,
                    "a pitch is a multiple of 32 bytes that holds a row");
  const auto in = p.input<float>("in", rows * cols, {.row_length = cols});
  const auto out = p.output<float>("out", rows * cols, {.row_length = cols});
  p.laid_out_by(in, pitch);
  p.laid_out_by(out, pitch);
  p.timed(COURSE_FUNCTION(pitched_rows_run), in, out, rows, cols, pitch, stream);
  p.expects(out,
            each_element([in](const host_inputs& inputs, std::size_t i) { return 2 * inputs[in][i]; },
                         [](std::size_t i) {
                           return index_range{i, 1};
                         }),
            exact());
  return p;
}
}  // namespace

COURSE_EXERCISE(pitched_rows) {
  return {.asks = twice,
          .size_names = {"rows", "cols"},
          .cases = {{3, 33}, {1, 1}, {0, 33}, {0, 1}, {7, 128}, {65, 1025}},
          .benchmarks = {{.on_sim = {1500, 1025}}},
          .gates = {course::idea(course::metrics::sector_use, course::at_least(0.95))}};
}
