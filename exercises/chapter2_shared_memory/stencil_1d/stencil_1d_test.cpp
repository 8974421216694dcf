/// @file
/// How stencil_1d is graded: sums of seventeen neighbours, their cases, their gates.
#include "stencil_1d.cuh"

#include <cmath>
#include <cstddef>

#include "judge/exercise.hpp"
#include "judge/side_by_side.hpp"

namespace {

using course::shape;

constexpr std::ptrdiff_t kRadius = 8;
constexpr double kOfMagnitudes = 1e-5;  // share of the sum of a window's magnitudes
constexpr std::size_t kGhosts = 32;     // readable floats at both ends, as the contract promises
constexpr std::size_t kTile =
    1024;  // outputs of a block in the plain solution; a block of the starter has 256

// Adds up @p value of the inputs around output @p i.
template <class Value>
double around_output(const float* in, std::size_t i, Value value) {
  return course::sum_side_by_side(in + i - kRadius, 2 * kRadius + 1, value);
}

course::problem window_sums(const shape& sizes, const course::values& filled_with) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto in = p.input<float>("in", n, {.filled_with = filled_with, .ghosts = kGhosts, .alignment = 128});
  const auto out = p.output<float>("out", n, {.alignment = 128});
  p.timed(COURSE_FUNCTION(stencil_1d_run), in, out, n, course::stream);
  const auto expected = [in](const course::host_inputs& inputs, std::size_t i) {
    return around_output(inputs[in], i, [](double value) { return value; });
  };
  const auto allowed = [in](const course::host_inputs& inputs, std::size_t i) {
    return kOfMagnitudes * around_output(inputs[in], i, [](double value) { return std::abs(value); });
  };
  const auto affected = [](std::size_t i) -> course::index_range {
    const std::size_t first = i < kRadius ? 0 : i - kRadius;
    return {first, i + kRadius + 1 - first};
  };
  p.expects(out, course::each_element(expected, affected, {.operations = 17}), course::within(allowed));
  return p;
}

course::problem of_ordinary(const shape& sizes) {
  return window_sums(sizes, course::signed_one_sided);
}
course::problem of_extremes(const shape& sizes) {
  return window_sums(sizes, course::extremes);
}

}  // namespace

// Shares of the reference's speed on an H200 (stand-alone kernels): 17 loads 0.40, a tile with one output a
// thread 0.38, with four outputs 0.59 (plain), read as float4 0.945. Load sectors, x ideal: 17 loads 21, five
// float4 in registers 5.1, a tile 1.02.
COURSE_EXERCISE(stencil_1d) {
  using namespace course;
  return {
      .asks = of_ordinary,
      .size_names = {"n"},
      // First a size of several warps: a forgotten barrier is then told as one between warps, not between lanes.
      .cases = join({{1009}}, join(around(kTile),
                                   join(around(256), {{2}, {3}, {7}, {8}, {9}, {17}, {4099}, {300'007}}))),
      .also = {{.name = "zeros, huge and tiny values",
                .asks = of_extremes,
                .cases = {{33}, {1025}, {5003}, {131'072}}}},
      .drawn = [](random_source& draw) { return shape{draw.between(2, 100'000)}; },
      .hidden = [](random_source& draw) { return shape{draw.between(1'500'000, 2'000'000)}; },
      .benchmarks = {{.on_sim = {3'000'005},
                      .on_gpu = [](std::size_t bytes,
                                   const facts&) { return shape{bytes / (2 * sizeof(float)) + 5}; }}},
      .gates =
          {pass(at_least(0.50)), limit(at_least(0.92)),
           idea(metrics::load_sectors, at_most(8.0),
                "neighbouring outputs share sixteen of their seventeen inputs: fetch each input once, and "
                "let all outputs that need it have it from there")},
  };
}
