/// @file
/// How column_sums is graded: sums down the columns, of wide matrices and of narrow ones.
#include "column_sums.cuh"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200 (stand-alone kernels), wide and narrow: a thread a column 0.03 and 0.003, lanes down the
// rows 0.14 and 0.06, four columns a thread with few threads 0.94 and 0.68, a thread for each column and 256 rows 1.0 and 1.0.
// The narrow matrix became 1.13 times as fast with fewer parts, and the gate asks for what it asked for before, in bytes a second.
constexpr double kPassWide = 0.75, kPassNarrow = 0.68, kLimit = 0.90;

constexpr double kOfMagnitudes = 1e-5;
constexpr double kMeanMagnitude = 1.5;              // of ordinary values
constexpr std::size_t kWide = 4088, kNarrow = 248;  // columns; neither is a multiple of a warp

/// Sums of all columns, kept: computing one anew would walk through the whole matrix.
class sums_of_columns final : public course::oracle {
 public:
  sums_of_columns(course::input_handle<float> in, std::size_t rows, std::size_t cols)
      : in_(in), rows_(rows), cols_(cols) {}

  struct sums final : state {
    std::vector<double> of;
  };
  std::unique_ptr<state> prepare(const course::host_inputs& inputs) const override {
    auto kept = std::make_unique<sums>();
    kept->of.resize(cols_);
    const float* row = inputs[in_];
    for (std::size_t r = 0; r < rows_; ++r, row += cols_) {
      for (std::size_t c = 0; c < cols_; ++c) kept->of[c] += static_cast<double>(row[c]);
    }
    return kept;
  }
  void changed(state* kept, std::size_t, std::size_t index, const void* before,
               const void* after) const override {
    static_cast<sums*>(kept)->of[index % cols_] += static_cast<double>(*static_cast<const float*>(after)) -
                                                   static_cast<double>(*static_cast<const float*>(before));
  }
  void expected(const course::host_inputs&, const state* kept, std::size_t first, std::size_t count,
                void* out) const override {
    std::copy_n(static_cast<const sums*>(kept)->of.begin() + static_cast<std::ptrdiff_t>(first), count,
                static_cast<double*>(out));
  }
  std::vector<course::index_range> affected(std::size_t, std::size_t index) const override {
    return {{index % cols_, 1}};
  }

 private:
  course::input_handle<float> in_;
  std::size_t rows_, cols_;
};

// What single elements change to between timed runs: so large that each shows in the sum of its column, however long that is, and no
// larger, so that a sum in single precision still holds the others to the last bit that counts.
course::values visible_alone(std::size_t rows) {
  const double least = 4 + 8 * kOfMagnitudes * kMeanMagnitude * static_cast<double>(rows);
  return course::values_of([least](std::uint64_t, std::uint64_t random) {
    const double magnitude = least * (1 + static_cast<double>(random >> 11) * 0x1p-53);
    return (random & 1) != 0 ? magnitude : -magnitude;
  });
}

template <class Within>
course::problem sums(const shape& s, const course::values& filled_with, Within within) {
  const std::size_t rows = s[0], cols = s[1];
  course::problem p;
  const auto in = p.input<float>(
      "in", rows * cols,
      {.filled_with = filled_with, .poked_with = visible_alone(rows), .row_length = cols, .alignment = 128});
  const auto out = p.output<float>("out", cols, {.alignment = 128});
  p.timed(COURSE_FUNCTION(column_sums_run), in, out, rows, cols, course::stream);
  p.expects(out, std::make_shared<sums_of_columns>(in, rows, cols), within(in));
  p.work({.written = 0});  // few numbers, which parts may be added to in any way
  return p;
}

course::problem of_ordinary(const shape& s) {
  return sums(s, course::signed_one_sided, [&](auto) {
    return course::absolute(kOfMagnitudes * kMeanMagnitude * static_cast<double>(s[0]));
  });
}

course::problem of_extremes(const shape& s) {
  return sums(s, course::extremes, [&](auto in) {
    return course::within([in, s](const course::host_inputs& inputs, std::size_t column) {
      double magnitudes = 0;
      for (std::size_t r = 0; r < s[0]; ++r)
        magnitudes += std::abs(static_cast<double>(inputs[in][r * s[1] + column]));
      return kOfMagnitudes * magnitudes;
    });
  });
}

// Rows of a card's timed matrix with @p cols columns: never a multiple of a part.
shape rows_for(std::size_t bytes, std::size_t cols) {
  return {bytes / (cols * sizeof(float)) / 256 * 256 + 77, cols};
}

}  // namespace

COURSE_EXERCISE(column_sums) {
  using namespace course;
  return {
      .asks = of_ordinary,
      .size_names = {"rows", "cols"},
      .cases = {{1009, 33}, {1, 1},     {1, 33},    {33, 1},    {2, 31},     {31, 2},    {32, 32}, {0, 7},
                {7, 0},     {255, 257}, {256, 256}, {257, 255}, {511, 3},    {513, 31},  {64, 64}, {65, 1000},
                {1009, 1},  {1, 1009},  {3, 4099},  {4099, 3},  {2500, 124}, {70'001, 5}},
      .also = {{.name = "zeros, huge and tiny values",
                .asks = of_extremes,
                .cases = {{33, 33}, {257, 9}, {1500, 40}}}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(1, 3000), draw.between(1, 200)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(20'000, 30'000), draw.between(60, 100)};
          },
      .benchmarks = {{.name = "wide",
                      .on_sim = {5477, kWide},
                      .on_gpu = [](std::size_t bytes, const facts&) { return rows_for(bytes, kWide); }},
                     {.name = "narrow",
                      .on_sim = {90'331, kNarrow},
                      .on_gpu = [](std::size_t bytes, const facts&) { return rows_for(bytes, kNarrow); }}},
      .gates = {pass(at_least(kPassWide)).of("wide"), pass(at_least(kPassNarrow)).of("narrow"),
                limit(at_least(kLimit))},
  };
}
