/// @file
/// How transpose_banks is graded: a matrix and its transpose, the cases, the gates.
#include "transpose_banks.cuh"

#include <cmath>

#include "judge/exercise.hpp"

namespace {

using course::shape;

course::problem transpose(const shape& sizes) {
  const std::size_t rows = sizes[0], cols = sizes[1];
  course::problem p;
  const auto in = p.input<float>("in", rows * cols,
                                 {.filled_with = course::distinct, .row_length = cols, .alignment = 16});
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
shape timed(std::size_t bytes, const course::facts&) {
  const auto side =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / (4 * sizeof(float)))) / 32 * 32;
  return {side + 48, 2 * side - 80};
}

}  // namespace

// Shares of the reference's speed on an H200: no tile 0.12 (the starter), tile with conflicts 0.39, padded tile with 32 x 8 threads
// 0.80 (plain), with 32 x 32 threads 0.36. Excess wavefronts a request: 31 with conflicts, 0 with padding. A turn of 4 x 4 elements in
// registers is as fast as a tile, so only the bytes through shared memory tell.
COURSE_EXERCISE(transpose_banks) {
  using namespace course;
  return {
      .asks = transpose,
      .size_names = {"rows", "cols"},
      // One row or column, around a tile and two, long and narrow both ways, and the ends of what the contract allows.
      .cases = {{1, 1},     {0, 5},     {5, 0},     {1, 33},     {33, 1},     {2, 3},       {31, 32},
                {32, 31},   {32, 32},   {33, 32},   {33, 65},    {64, 64},    {63, 129},    {100, 36},
                {127, 257}, {260, 516}, {1009, 67}, {3, 40'001}, {40'001, 3}, {100'000, 1}, {1, 100'000}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(1, 300), draw.between(1, 300)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(1'100, 1'300), draw.between(1'000, 1'200)};
          },
      // Counted once more where sides are multiples of 32 and the matrix is higher than wide: a distance between rows that follows from the
      // matrix may suit one shape and not another. Times are another matter, so a card measures the same shape for both.
      .benchmarks = {{.on_sim = {1200, 2288}, .on_gpu = timed},
                     {.name = "whole tiles", .on_sim = {1984, 608}, .on_gpu = timed}},
      .gates =
          {pass(at_least(0.70)), limit(at_least(0.93)),
           idea(metrics::shared_through, at_least(0.9),
                "let a tile in shared memory be the turn-table: every element goes in as a row and comes "
                "out as a column"),
           idea(metrics::shared_exchanged, at_least(0.8),
                "a float that its own thread takes back was shared with nobody: let another thread take it, "
                "the one that "
                "writes it to its place"),
           idea(metrics::excess_wavefronts, at_most(1.0),
                "draw the banks of one column of your tile, and choose where its rows lie so that 32 lanes "
                "meet in 32 banks")},
  };
}
