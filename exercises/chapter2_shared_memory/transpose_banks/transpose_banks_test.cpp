/// @file
/// How transpose_banks is graded: a matrix and its transpose, the cases, the gates.
#include "transpose_banks.cuh"

#include <cmath>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's bandwidth, same run, on an H200: 32 x 8 threads unpadded 0.40, padded 0.87; 32 x
// 32 threads, padded, 0.45.
course::problem transpose(const shape& sizes) {
  const std::size_t rows = sizes[0], cols = sizes[1];
  course::problem p;
  const auto in = p.input<float>("in", rows * cols, {.filled_with = course::distinct, .alignment = 16});
  const auto out = p.output<float>("out", rows * cols, {.row_length = rows, .alignment = 16});
  p.timed(COURSE_FUNCTION(transpose_banks_run), in, out, rows, cols, course::stream);
  const auto expected = [in, rows, cols](const course::host_inputs& inputs, std::size_t i) {
    return inputs[in][i % rows * cols + i / rows];
  };
  const auto affected = [rows, cols](std::size_t i) -> course::index_range {
    return {i % cols * rows + i / cols, 1};
  };
  p.expects(out, course::each_element(expected, affected), course::exact());
  return p;
}

// Multiples of 16, so that every row starts at a DRAM granule of 64 bytes, and of neither 32 nor 64, so that
// the last tiles are partial ones. Twice as wide as high: 8240 x 16304 for 1 GiB moved.
shape timed(std::size_t bytes) {
  const auto side =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / (4 * sizeof(float)))) / 32 * 32;
  return {side + 48, 2 * side - 80};
}

}  // namespace

// Shares of the reference's speed on an H200: no tile 0.12, tile with conflicts 0.39, padded tile with 32 x 8 threads 0.80 (plain), with
// 32 x 32 threads 0.36. Excess wavefronts a request: 31 with conflicts, 0 with padding.
COURSE_EXERCISE(transpose_banks) {
  using namespace course;
  return {
      .asks = transpose,
      .size_names = {"rows", "cols"},
      .cases = {{1, 1},
                {0, 5},
                {5, 0},
                {1, 33},
                {33, 1},
                {2, 3},
                {31, 32},
                {32, 31},
                {32, 32},
                {33, 32},
                {33, 65},
                {64, 64},
                {63, 129},
                {100, 36},
                {127, 257},
                {260, 516},
                {1009, 67}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(1, 300), draw.between(1, 300)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(1'100, 1'300), draw.between(1'000, 1'200)};
          },
      .benchmarks = {{.on_sim = {1200, 2288},
                      .on_gpu = [](std::size_t bytes, const facts&) { return timed(bytes); }}},
      .gates =
          {pass(at_least(0.70)), limit(at_least(0.93)),
           idea(metrics::excess_wavefronts, at_most(1.0),
                "a column of a tile with rows of 32 floats lies in one bank: make the rows one float longer"),
           idea(metrics::shared_through, at_least(0.9),
                "a turn in registers is a fast cousin of this; here the tile in shared memory is the "
                "turn-table")},
  };
}
