/// @file
/// How transform_points is graded: points moved by eight matrices, which set-up brings to constant memory and which come back.
#include "transform_points.cuh"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "judge/exercise.hpp"

namespace {

using course::shape;
using point = course::vec<float, 4>;

constexpr std::size_t kMatrices = 8, kEntries = 16;  // entries of one matrix

// Shares of the reference's speed, planned from stand-alone kernels on an H200 with as many loads and multiply-adds (a sum over eight
// matrices, without powers): matrices through a pointer 0.556, in constant memory 1.0. Of these very programs, nothing is measured on a
// card yet.
constexpr double kPass = 0.80, kLimit = 0.95;
// For each 32 points: 1 for them. Through a pointer 128 more, as 16-byte loads 32 more.
constexpr double kMostRequests = 4;
// All lanes want the same word: that is what this memory is for. A lane with a row of its own asks for four.
constexpr double kMostPasses = 1;

/// One component's 32 products, added up, and their magnitudes.
struct products {
  double sum = 0, magnitude = 0;
};

products component(const float* matrices, const point& at, std::size_t row) {
  const std::array<double, 4> with = {at[0], at[1], at[2], 1};
  const double t = at[3];
  products all;
  double power = 1;
  for (std::size_t k = 0; k < kMatrices; ++k, power *= t) {
    for (std::size_t c = 0; c < 4; ++c) {
      const double product = power * double{matrices[k * kEntries + 4 * row + c]} * with[c];
      all.sum += product;
      all.magnitude += std::abs(product);
    }
  }
  return all;
}

// Places at the limits of what the contract promises, one of eight components: 0, 2^-120, 2^100, 1. Times likewise, between -1 and 1;
// 2^-60 is small enough for its powers to vanish one by one.
course::values places_and_times() {
  return course::values_of([](std::uint64_t position, std::uint64_t random) {
    const double sign = random >> 40 & 1 ? -1 : 1;
    const bool is_time = position % 4 == 3;
    switch (random & 0x1f) {
      case 0:
        return 0.0;
      case 1:
        return sign * (is_time ? 0x1p-60 : 0x1p-120);
      case 2:
        return sign * (is_time ? 1 : 0x1p100);
      case 3:
        return sign;
      default:
        return static_cast<double>(static_cast<std::int64_t>(random) >> 40) * 0x1p-23;
    }
  });
}

// The buffers and calls that both problems have in common.
struct scene {
  course::problem p;
  std::size_t n;
  course::input_handle<float> matrices;
  course::input_handle<point> in;
  course::output_handle<point> out;

  explicit scene(const shape& sizes) : n(sizes[0]) {
    // One motion for all sets, since `__constant__` memory is the whole program's.
    matrices = p.input<float>("matrices", kMatrices * kEntries, {.row_length = 4, .common = true});
    in = p.input<point>("in", n, {.filled_with = places_and_times()});
    out = p.output<point>("out", n);
    p.before(COURSE_FUNCTION(transform_points_setup), matrices, course::stream);
    p.timed(COURSE_FUNCTION(transform_points_run), in, out, n, course::stream);
    p.before_launches_no_kernel();
    const double bytes = static_cast<double>(n * sizeof(point));
    p.work({.read = bytes, .written = bytes});

    const auto expected = [m = matrices, in = in](const course::host_inputs& inputs, std::size_t i) {
      point sums;
      for (std::size_t r = 0; r < 4; ++r)
        sums[r] = static_cast<float>(component(inputs[m], inputs[in][i], r).sum);
      return sums;
    };
    const auto affected = [m = matrices](std::size_t buffer, std::size_t index) -> course::index_range {
      // An entry of a matrix moves all points: some of them are enough to look at.
      return buffer == m.index ? course::index_range{0, 1000} : course::index_range{index, 1};
    };
    const auto allowed = [m = matrices, in = in](const course::host_inputs& inputs, std::size_t i) {
      double most = 0;
      for (std::size_t r = 0; r < 4; ++r)
        most = std::max(most, component(inputs[m], inputs[in][i], r).magnitude);
      return std::exp2(-18) * most + std::exp2(-140);
    };
    p.expects(out, course::each_element(expected, affected, {.operations = 300}), course::within(allowed));
  }
};

course::problem move(const shape& sizes) {
  return scene(sizes).p;
}

// The same, and then the matrices come back. Apart, because speed is measured without.
course::problem move_and_hand_back(const shape& sizes) {
  scene s(sizes);
  const auto back = s.p.output<float>("matrices handed back", kMatrices * kEntries, {.row_length = 4});
  s.p.after(COURSE_FUNCTION(transform_points_matrices), back, course::stream);
  const auto same = [m = s.matrices](const course::host_inputs& inputs, std::size_t i) {
    return inputs[m][i];
  };
  const auto affected = [m = s.matrices](std::size_t buffer, std::size_t index) -> course::index_range {
    return {index, buffer == m.index ? 1u : 0u};
  };
  s.p.expects(back, course::each_element(same, affected), course::exact());
  return std::move(s.p);
}

shape drawn(course::random_source& draw) {
  return {draw.between(2, 30'000)};
}

shape hidden(course::random_source& draw) {
  return {draw.between(600'000, 800'000)};
}

// 32 bytes a point; never a multiple of a block's.
shape timed(std::size_t bytes, const course::facts&) {
  return {bytes / 32 / 1024 * 1024 + 77};
}

}  // namespace

COURSE_EXERCISE(transform_points) {
  using namespace course;
  return {
      .asks = move,
      .size_names = {"n"},
      .cases = join(around(256), {{3}, {64}, {127}, {1009}, {1023}, {1024}, {1025}, {65'537}, {300'007}}),
      .also = {{.name = "the matrices handed back",
                .asks = move_and_hand_back,
                .cases = {{0}, {1}, {100}, {257}}}},
      .drawn = drawn,
      .hidden = hidden,
      .benchmarks = {{.on_sim = {900'077}, .on_gpu = timed}},
      .gates = {pass(at_least(kPass)), limit(at_least(kLimit)),
                idea(metrics::load_requests_per_warp_of_outputs, at_most(kMostRequests),
                     "a load through a pointer is a request, even where all lanes ask for one word"),
                idea(metrics::loads_elsewhere, at_most(0),
                     "kernels load the points from global memory, and nothing else"),
                idea(metrics::shared_bytes, at_most(0),
                     "a matrix in shared memory is a request for each entry, as through a pointer"),
                idea(metrics::constant_passes, at_most(kMostPasses),
                     "constant memory serves one word at a time: let all lanes ask for the same one")},
  };
}
