/// @file
/// How top_k_registers is graded: the four largest of each column, timed on columns in random order and on ascending ones.
#include "top_k_registers.cuh"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::size_t kKept = 4;

/// Of signed values one in eight is a small whole number, so that columns hold equal ones; others are huge or
/// tiny. No -0.0.
float any_value(std::uint64_t random) {
  const auto part = static_cast<double>(random >> 40) / static_cast<double>(1u << 24) * 2.0 - 1.0;  // [-1, 1)
  switch (random % 16) {
    case 0:
    case 1:
      return static_cast<float>(static_cast<int>(random >> 8 & 7) - 4);
    case 2:
      return static_cast<float>(part * 0x1p100) + 0.0f;
    case 3:
      return static_cast<float>(part * 0x1p-100) + 0.0f;
    default:
      return static_cast<float>(part) + 0.0f;
  }
}

const course::values kRandom{
    [](void* data, course::scalar, std::uint64_t first, std::size_t count, std::uint64_t seed) {
      for (std::size_t k = 0; k < count; ++k)
        static_cast<float*>(data)[k] = any_value(course::mix(seed ^ course::mix(first + k)));
    }};

/// Rows one above the other: in a column each value is the largest so far, or equal to it.
course::values ascending(std::size_t rows, std::size_t cols) {
  return {[rows, cols](void* data, course::scalar, std::uint64_t first, std::size_t count,
                       std::uint64_t seed) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto row = static_cast<float>((first + k) / cols) - static_cast<float>(rows / 2);
      const std::uint64_t random = course::mix(seed ^ course::mix(first + k));
      static_cast<float*>(data)[k] = row + static_cast<float>(random >> 50) / static_cast<float>(1u << 14);
    }
  }};
}

/// out[place][column]: the place-th largest of a column, counted from 0.
class largest_of_columns final : public course::oracle {
 public:
  largest_of_columns(course::input_handle<float> in, std::size_t rows, std::size_t cols)
      : in_(in), rows_(rows), cols_(cols) {}

  const course::element_type& gives() const override { return course::element_of<float>::value; }
  void expected(const course::host_inputs& inputs, const state*, std::size_t first, std::size_t count,
                void* out) const override {
    for (std::size_t k = 0; k < count; ++k)
      static_cast<float*>(out)[k] = largest(inputs[in_] + (first + k) % cols_, (first + k) / cols_);
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    std::vector<course::index_range> places;
    for (std::size_t place = 0; place < kKept; ++place) places.push_back({place * cols_ + index % cols_, 1});
    return places;
  }
  double operations_per_element() const override { return 8.0 * static_cast<double>(rows_); }

 private:
  float largest(const float* column, std::size_t place) const {
    std::array<float, kKept> best;  // ascending
    best.fill(-std::numeric_limits<float>::infinity());
    for (std::size_t row = 0; row < rows_; ++row) {
      const float value = column[row * cols_];
      if (value <= best[0]) continue;
      best[0] = value;
      for (std::size_t k = 1; k < kKept && best[k] < best[k - 1]; ++k) std::swap(best[k], best[k - 1]);
    }
    return best[kKept - 1 - place];
  }

  course::input_handle<float> in_;
  std::size_t rows_, cols_;
};

course::problem top_four(const shape& sizes, const course::values& filled_with) {
  const std::size_t rows = sizes[0], cols = sizes[1];
  course::problem p;
  const auto in =
      p.input<float>("in", rows * cols, {.filled_with = filled_with, .row_length = cols, .alignment = 128});
  const auto out = p.output<float>("out", kKept * cols, {.row_length = cols, .alignment = 128});
  p.timed(COURSE_FUNCTION(top_k_registers_run), in, out, rows, cols, course::stream);
  p.expects(out, std::make_shared<largest_of_columns>(in, rows, cols), course::exact());
  p.amount(static_cast<double>(rows * cols * sizeof(float)), "B");
  return p;
}

course::problem of_random(const shape& sizes) {
  return top_four(sizes, kRandom);
}
course::problem of_ascending(const shape& sizes) {
  return top_four(sizes, ascending(sizes[0], sizes[1]));
}

shape drawn(course::random_source& draw) {
  return {draw.between(0, 70), draw.between(1, 3'000)};
}

shape hidden(course::random_source& draw) {
  return {draw.between(12, 20), draw.between(66'000, 80'000)};
}

// 256 rows. Columns in multiples of 32, so that every row starts at a sector, and of no block size.
shape timed_on_gpu(std::size_t bytes, const course::facts&) {
  constexpr std::size_t rows = 256;
  return {rows, bytes / (rows * sizeof(float)) / 1024 * 1024 + 96};
}

// Shares of the reference, same run, on an H200 (stand-alone kernels): local array 0.32 random and 0.20
// ascending, array in shared memory 0.49 and 0.45 of the copy ceiling, registers with one load in flight 0.58,
// with the compiler's own unrolling 0.96.
constexpr double kPass = 0.80;
constexpr double kLimit = 0.95;

// 256 rows, as on a card: how often a value is among the four largest so far depends on how many came before it. As many columns as
// keep the simulated slice busy for one wave; 22 MB.
const shape kTimedOnSim = {256, 22'016};

}  // namespace

COURSE_EXERCISE(top_k_registers) {
  using course::at_least, course::at_most;
  return {
      .asks = of_random,
      .size_names = {"rows", "cols"},
      .cases = {{0, 5},
                {1, 0},
                {1, 1},
                {2, 31},
                {3, 32},
                {4, 33},
                {5, 255},
                {4, 256},
                {7, 257},
                {8, 1},
                {9, 1009},
                {33, 100},
                {64, 1025},
                {100, 511},
                {257, 65},
                {1'000, 33},
                {17, 40'009}},
      .also = {{.name = "ascending columns",
                .asks = of_ascending,
                .cases = {{1, 33}, {5, 65}, {31, 257}, {257, 100}, {64, 1025}},
                .drawn = drawn}},
      .drawn = drawn,
      .hidden = hidden,
      .benchmarks =
          {{.name = "random", .on_sim = kTimedOnSim, .on_gpu = timed_on_gpu},
           {.name = "ascending", .asks = of_ascending, .on_sim = kTimedOnSim, .on_gpu = timed_on_gpu}},
      .gates = {course::pass(at_least(kPass)), course::limit(at_least(kLimit)),
                course::idea(course::metrics::stack_frame, at_most(0),
                             "a register has no number: after unrolling, every index into the kept values "
                             "must be a constant"),
                course::idea(course::metrics::spills, at_most(0), "keep fewer values alive at a time")},
  };
}
