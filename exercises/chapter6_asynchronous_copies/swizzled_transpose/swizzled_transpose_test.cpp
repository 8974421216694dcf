/// @file
/// How swizzled_transpose is graded: a matrix and its transpose, whose tiles come by tensor copies with a swizzle, and are read without
/// the conflicts of a column.
#include "swizzled_transpose.cuh"

#include <cmath>
#include <cstddef>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the best transpose from tensor copies on an H200 (stand-alone kernels, 8192 x 16384 floats): no swizzle 0.47, swizzled and
// read by columns 0.99, 8 rows x 4 columns a warp 1. Excess wavefronts a request, counted there: 31.2, 3.1, 0.05.
constexpr double kPass = 0.75;
constexpr double kMostExcess = 3.5, kLimitExcess = 0.5;
constexpr double kRowBytes = 128, kSwizzleBytes = 128;

const course::gate kLoadedByTensorCopies = course::idea(
    course::metrics::tensor_loads, course::at_least(0.99),
    "let tensor_load() bring the tiles: a tile that threads fill can be padded, as in chapter 2");
const course::gate kSwizzled =
    course::idea(course::metrics::tensor_swizzle, course::exactly(kSwizzleBytes),
                 "let the map swizzle by 128 bytes, and read each element where it lies then");
// A row of 144 bytes is a padded one: a cure of conflicts, but each box brings 16 bytes a row that nobody wants.
const course::gate kWholeRows =
    course::idea(course::metrics::tensor_row, course::exactly(kRowBytes),
                 "a row of the box has 128 bytes, as many as the banks give at a time");
const course::gate kLoadedOnce =
    course::idea(course::metrics::load_bytes, course::at_most(1.1),
                 "use the elements that the boxes bring: nothing needs to be loaded a second time");
// A tile is used once from where the engine put it. Moved to a padded one first, it is loaded twice from shared memory.
const course::gate kUsedWhereItLies =
    course::idea(course::metrics::shared_loads, course::at_most(1.5),
                 "read each element where the engine put it: moved to a padded tile first, it goes through "
                 "shared memory twice");
const course::gate kFewConflicts = course::idea(
    course::metrics::excess_wavefronts, course::at_most(kMostExcess),
    "where did the engine put chunk c of row r? Read it there, and the lanes of a column meet four by four");

course::problem transpose(const shape& sizes) {
  const std::size_t rows = sizes[0], cols = sizes[1];
  course::problem p;
  const auto in = p.input<float>("in", rows * cols,
                                 {.filled_with = course::distinct, .row_length = cols, .alignment = 16});
  const auto out = p.output<float>("out", rows * cols, {.row_length = rows, .alignment = 16});
  const auto state = p.before(COURSE_FUNCTION(swizzled_transpose_setup), in, rows, cols);
  p.timed(COURSE_FUNCTION(swizzled_transpose_run), state, out, rows, cols, course::stream);
  p.after(COURSE_FUNCTION(swizzled_transpose_teardown), state);
  p.before_launches_no_kernel();
  p.teardown_frees_all();
  const auto expected = [in, rows, cols](const course::host_inputs& inputs, std::size_t i) {
    return inputs[in][i % rows * cols + i / rows];
  };
  const auto affected = [rows, cols](std::size_t i) -> course::index_range {
    return {i % cols * rows + i / cols, 1};
  };
  p.expects(out, course::each_element(expected, affected), course::exact());
  return p;
}

/// Rows first; the columns are rounded up to what the contract allows.
shape drawn_matrix(course::random_source& draw, std::size_t least, std::size_t most) {
  const std::size_t rows = draw.between(least, most);
  return {rows, (draw.between(least, most) + 3) / 4 * 4};
}

// As transpose_banks: multiples of 16, of neither 32 nor 64, and twice as wide as high.
shape timed(std::size_t bytes, const course::facts&) {
  const auto side =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / (4 * sizeof(float)))) / 32 * 32;
  return {side + 48, 2 * side - 80};
}

}  // namespace

COURSE_EXERCISE(swizzled_transpose) {
  return {
      .asks = transpose,
      .size_names = {"rows", "cols"},
      // First several tiles. Then one row or one chunk, around a tile and two, long and narrow both ways, the ends of the contract.
      .cases = {{100, 72},  {1, 4},     {0, 4},     {5, 0},      {1, 36},     {33, 4},      {2, 8},
                {31, 32},   {32, 28},   {32, 32},   {33, 32},    {32, 36},    {64, 64},     {63, 128},
                {127, 256}, {260, 516}, {1009, 68}, {3, 40'000}, {40'001, 4}, {100'000, 4}, {1, 100'000}},
      .drawn = [](course::random_source& draw) { return drawn_matrix(draw, 1, 300); },
      .hidden = [](course::random_source& draw) { return drawn_matrix(draw, 1'000, 1'250); },
      .benchmarks = {{.on_sim = {1200, 2288}, .on_gpu = timed}},
      .gates = {course::pass(course::at_least(kPass)),
                course::limit(course::metrics::excess_wavefronts, course::at_most(kLimitExcess)),
                kLoadedByTensorCopies, kSwizzled, kWholeRows, kLoadedOnce, kUsedWhereItLies, kFewConflicts},
  };
}
