/// @file
/// How softmax_wide is graded: softmax of long rows, its cases, its gates.
#include "softmax_wide.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// What single precision needs. A lone value that is left out of a sum of 32768 is 3e-5 of it.
constexpr double kOfValue = 5e-6;
constexpr double kOfValueByDistance = 4e-7;  // for each unit below the row's maximum: a rounded exponent
constexpr double kUnderflow = 1e-36;         // below that single precision runs out of exponents

/// out[r][c] = exp(in[r][c] - m) / s. Kept are a value near each row's maximum and the sum that belongs to it: m cancels,
/// so any value will do that keeps the exponentials in range.
class softmax_of_rows final : public course::oracle {
 public:
  softmax_of_rows(course::input_handle<float> in, std::size_t rows, std::size_t cols)
      : in_(in), rows_(rows), cols_(cols) {}

  struct row {
    double shift = 0, sum = 0;
  };
  struct rows final : state {
    std::vector<row> of;
  };
  std::unique_ptr<state> prepare(const course::host_inputs& inputs) const override {
    auto kept = std::make_unique<rows>();
    kept->of.resize(rows_);
    const float* const in = inputs[in_];
    course::parallel_ranges(rows_, 4, [&](std::size_t first, std::size_t count) {
      for (std::size_t r = first; r < first + count; ++r) {
        const float* const from = in + r * cols_;
        row& of = kept->of[r];
        of.shift = static_cast<double>(*std::max_element(from, from + cols_));
        for (std::size_t c = 0; c < cols_; ++c) of.sum += std::exp(static_cast<double>(from[c]) - of.shift);
      }
    });
    return kept;
  }
  void changed(state* kept, std::size_t, std::size_t index, const void* before,
               const void* after) const override {
    row& of = static_cast<rows*>(kept)->of[index / cols_];
    const double now = static_cast<double>(*static_cast<const float*>(after));
    of.sum -= std::exp(static_cast<double>(*static_cast<const float*>(before)) - of.shift);
    if (now > of.shift) {
      of.sum *= std::exp(of.shift - now);
      of.shift = now;
    }
    of.sum += std::exp(now - of.shift);
  }
  void expected(const course::host_inputs& inputs, const state* kept, std::size_t first, std::size_t count,
                void* out) const override {
    const auto& of = static_cast<const rows*>(kept)->of;
    for (std::size_t k = 0; k < count; ++k) {
      const row& its = of[(first + k) / cols_];
      static_cast<double*>(out)[k] =
          std::exp(static_cast<double>(inputs[in_][first + k]) - its.shift) / its.sum;
    }
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    return {{index / cols_ * cols_, cols_}};
  }
  double operations_per_element() const override { return 20; }

 private:
  course::input_handle<float> in_;
  std::size_t rows_, cols_;
};

// How far a value may be off, as a share of itself, follows from its distance to the row's maximum. All maxima of the
// data below are known within a unit or two, so the bound needs no search.
course::problem softmax(const shape& sizes, const course::values& filled_with, double farthest) {
  const std::size_t rows = sizes[0], cols = sizes[1];
  course::problem p;
  const auto in =
      p.input<float>("in", rows * cols, {.filled_with = filled_with, .row_length = cols, .alignment = 128});
  const auto out = p.output<float>("out", rows * cols, {.row_length = cols, .alignment = 128});
  p.timed(COURSE_FUNCTION(softmax_wide_run), in, out, rows, cols, course::stream);
  p.expects(out, std::make_shared<softmax_of_rows>(in, rows, cols),
            course::tolerance{.relative = kOfValue + kOfValueByDistance * farthest, .absolute = kUnderflow});
  return p;
}

double in_unit(std::uint64_t random) {
  return static_cast<double>(random >> 11) * 0x1p-53;
}

// Between -4 and 4, so that every element of a row weighs something in its sum.
course::problem of_ordinary(const shape& sizes) {
  return softmax(
      sizes, course::values_of([](std::uint64_t, std::uint64_t random) { return 8 * in_unit(random) - 4; }),
      8);
}

// In each row one value, at another place in every row, stands 200 above the others: whoever has not heard of it
// computes exp(200), which is infinite.
course::problem of_lone_peaks(const shape& sizes) {
  const std::uint64_t cols = std::max<std::size_t>(1, sizes[1]);
  return softmax(sizes, course::values_of([cols](std::uint64_t position, std::uint64_t random) {
                   const bool is_peak = position % cols == course::mix(position / cols) % cols;
                   return 8 * in_unit(random) - 4 + (is_peak ? 200 : 0);
                 }),
                 100);
}

// Far above zero and far below it, row by row: exponentials of the values themselves are infinite, or all zero.
course::problem of_far_from_zero(const shape& sizes) {
  const std::uint64_t cols = std::max<std::size_t>(1, sizes[1]);
  return softmax(sizes, course::values_of([cols](std::uint64_t position, std::uint64_t random) {
                   return 4 * in_unit(random) + (position / cols % 2 == 0 ? -850 : 850);
                 }),
                 4);
}

course::problem of_extremes(const shape& sizes) {
  return softmax(sizes, course::extremes, 100);
}

// An odd number of rows of this width.
template <std::size_t Cols>
shape timed_on_gpu(std::size_t bytes, const course::facts&) {
  return {bytes / (2 * sizeof(float) * Cols) | 1, Cols};
}

}  // namespace

// Shares of a copy on an H200 (stand-alone kernels): three passes 0.39 (blocks of 256) and 0.50 (1024) at 8192 columns, 0.37 at
// 32768; one pass with 16-byte loads 0.96 at both.
COURSE_EXERCISE(softmax_wide) {
  using namespace course;
  return {
      .asks = of_ordinary,
      .size_names = {"rows", "cols"},
      .cases = {{3, 5003},   {0, 1024},   {1, 1024},   {2, 1025},     {31, 1055},  {3, 1056},
                {3, 1057},   {2, 2047},   {5, 2048},   {2, 2049},     {33, 1030},  {3, 4097},
                {2, 8191},   {3, 8192},   {2, 8193},   {1, 10'007},   {1, 16'383}, {2, 16'385},
                {1, 31'745}, {1, 32'767}, {2, 32'768}, {1'009, 1'028}},
      .also = {{.name = "a lone peak in each row",
                .asks = of_lone_peaks,
                .cases = {{9, 1024}, {17, 2052}, {9, 8192}, {5, 12'345}, {3, 32'768}}},
               {.name = "far from zero", .asks = of_far_from_zero, .cases = {{3, 1031}, {4, 9000}}},
               {.name = "zeros, huge and tiny values",
                .asks = of_extremes,
                .cases = {{3, 1100}, {2, 20'000}}}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(1, 12), draw.between(1024, 32'768)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(60, 80), draw.between(30'000, 32'768)};
          },
      .benchmarks = {{.name = "8192", .on_sim = {641, 8192}, .on_gpu = timed_on_gpu<8192>},
                     {.name = "32768", .on_sim = {161, 32'768}, .on_gpu = timed_on_gpu<32'768>}},
      .gates =
          {pass(at_least(0.80)), limit(at_least(0.95)),
           idea(metrics::load_sectors, at_most(1.05),
                "load each value once and keep it until its output is written"),
           idea(metrics::stack_frame, at_most(0),
                "a thread's share of the row belongs in registers: give the row enough threads, and let "
                "every index into the share be a constant"),
           idea(metrics::spills, at_most(0),
                "a thread has at most 255 registers, and 64 if its block has 1024 threads: keep fewer values "
                "alive"),
           idea(metrics::block_threads, at_least(64),
                "give a row a block of several warps, and let them meet in shared memory"),
           idea(metrics::shared_writes_per_warp, at_least(0.8),
                "each warp tells the others its part through shared memory")},
  };
}
