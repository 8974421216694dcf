/// @file
/// How row_softmax is graded: the softmax of each row, of ordinary and of large values, timed at 1024 columns.
#include "row_softmax.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr double kOfValue = 5e-5;     // __expf at -87 is off by about 1e-5, half precision by 2e-4 and more
constexpr double kVanishing = 1e-37;  // smaller ones may become 0: single precision has no full digits there

/// Uniform in [-1, 1), from 64 random bits.
double signed_part(std::uint64_t random) {
  return static_cast<double>(random >> 40) / static_cast<double>(1u << 24) * 2.0 - 1.0;
}

/// Values of rows of @p cols columns: @p make (random number of the row, of the element) -> value.
template <class Make>
course::values by_row(std::size_t cols, Make make) {
  return {
      [cols, make](void* data, course::scalar, std::uint64_t first, std::size_t count, std::uint64_t seed) {
        for (std::size_t k = 0; k < count; ++k) {
          const std::uint64_t row = course::mix(~seed ^ course::mix((first + k) / cols));
          static_cast<float*>(data)[k] =
              static_cast<float>(make(row, course::mix(seed ^ course::mix(first + k))));
        }
      }};
}

double ordinary_value(std::uint64_t, std::uint64_t random) {
  return 4.0 * signed_part(random);
}

/// Rows of one kind each: around 1000, where e to the power of a value is too large for a float; around -1000,
/// where it is 0; far apart; huge with a few zeros among them; all alike.
double large_value(std::uint64_t row, std::uint64_t random) {
  const double part = signed_part(random);
  switch (row % 6) {
    case 0:
      return 1000.0 + 5.0 * part;
    case 1:
      return -1000.0 + 5.0 * part;
    case 2:
      return 60.0 * part;
    case 3:
      return random % 5 == 0 ? 0.0 : 0x1p100 * part;
    case 4:
      return -2.5;
    default:
      return 89.0 + 0.5 * part;
  }
}

class softmax_of_rows final : public course::oracle {
 public:
  softmax_of_rows(course::input_handle<float> in, std::size_t cols) : in_(in), cols_(cols) {}

  void expected(const course::host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    std::size_t known = SIZE_MAX;  // the row to which the two belong
    double largest = 0, sum = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t row = (first + k) / cols_;
      if (row != known) {
        const float* const begin = inputs[in_] + row * cols_;
        known = row;
        largest = *std::max_element(begin, begin + cols_);
        sum = 0;
        for (std::size_t c = 0; c < cols_; ++c) sum += std::exp(static_cast<double>(begin[c]) - largest);
      }
      static_cast<double*>(out)[k] = std::exp(static_cast<double>(inputs[in_][first + k]) - largest) / sum;
    }
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    return {{index / cols_ * cols_, cols_}};
  }
  // Two exponentials an element where whole rows are asked for.
  double operations_per_element() const override { return 20; }

 private:
  course::input_handle<float> in_;
  std::size_t cols_;
};

course::problem softmax(const shape& sizes, const course::values& filled_with) {
  const std::size_t rows = sizes[0], cols = sizes[1];
  course::problem p;
  const auto in =
      p.input<float>("in", rows * cols, {.filled_with = filled_with, .row_length = cols, .alignment = 128});
  const auto out = p.output<float>("out", rows * cols, {.row_length = cols, .alignment = 128});
  p.timed(COURSE_FUNCTION(row_softmax_run), in, out, rows, cols, course::stream);
  p.expects(out, std::make_shared<softmax_of_rows>(in, cols), {.relative = kOfValue, .absolute = kVanishing});
  return p;
}

course::problem of_ordinary(const shape& sizes) {
  return softmax(sizes, by_row(std::max<std::size_t>(1, sizes[1]), ordinary_value));
}
course::problem of_large(const shape& sizes) {
  return softmax(sizes, by_row(std::max<std::size_t>(1, sizes[1]), large_value));
}

shape drawn(course::random_source& draw) {
  return {draw.between(1, 70), draw.between(1, row_softmax_most_columns)};
}

// More rows than a thousand blocks of eight warps hold.
shape hidden(course::random_source& draw) {
  return {draw.between(9'000, 10'000), draw.between(200, 300)};
}

// As wide as a row can be, and an odd number of rows: of no number of warps a block.
shape timed_on_gpu(std::size_t bytes, const course::facts&) {
  return {bytes / (2 * sizeof(float) * row_softmax_most_columns) | 1, row_softmax_most_columns};
}

// Shares of a copy's speed at 1024 columns on an H200 (stand-alone kernels): three walks over the row 0.67, a row
// in the registers of its warp 0.975.
constexpr double kPass = 0.80;
constexpr double kLimit = 0.95;

}  // namespace

COURSE_EXERCISE(row_softmax) {
  using course::at_least, course::at_most;
  return {
      .asks = of_ordinary,
      .size_names = {"rows", "cols"},
      .cases = {{9, 1000}, {0, 5},    {3, 0},    {1, 1},    {1, 31},     {1, 32},    {1, 33},
                {7, 1},    {8, 31},   {9, 33},   {33, 64},  {5, 127},    {6, 128},   {5, 129},
                {17, 100}, {31, 255}, {3, 256},  {3, 257},  {13, 509},   {7, 1009},  {3, 1021},
                {3, 1022}, {3, 1023}, {1, 1024}, {9, 1024}, {101, 1024}, {1'009, 3}, {2'051, 37}},
      .also = {{.name = "large values",
                .asks = of_large,
                .cases = {{1, 1}, {12, 31}, {12, 33}, {12, 1000}, {25, 1024}, {97, 4}},
                .drawn = drawn}},
      .drawn = drawn,
      .hidden = hidden,
      .benchmarks = {{.on_sim = {5'121, row_softmax_most_columns}, .on_gpu = timed_on_gpu}},
      .gates = {course::pass(at_least(kPass)), course::limit(at_least(kLimit)),
                course::idea(course::metrics::load_sectors, at_most(1.05),
                             "what the first walk over a row has loaded is there for the rest, if its warp "
                             "keeps it"),
                course::idea(course::metrics::stack_frame, at_most(0),
                             "every index into the kept values must be a constant after unrolling, and all "
                             "must fit the registers"),
                course::idea(course::metrics::shared_bytes, at_most(0),
                             "one warp holds the whole row in its registers: its lanes need no shared memory "
                             "to combine what they hold")},
  };
}
