/// @file
/// How stencil_1d is graded: sums of seven neighbours, their cases, their gates.
#include "stencil_1d.cuh"

#include <cstddef>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::ptrdiff_t kRadius = 3;
constexpr double kTolerance = 1e-5 * 7 * 1.5;  // of the sum of magnitudes
constexpr std::size_t kGhosts = 32;            // readable floats at both ends, as the contract promises

course::problem seven_neighbours(const shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto in = p.input<float>(
      "in", n, {.filled_with = course::signed_full_mantissa, .ghosts = kGhosts, .alignment = 128});
  const auto out = p.output<float>("out", n, {.alignment = 128});
  p.timed(COURSE_FUNCTION(stencil_1d_run), in, out, n, course::stream);
  const auto expected = [in](const course::host_inputs& inputs, std::size_t i) {
    const float* const center = inputs[in] + i;
    double sum = 0;
    for (std::ptrdiff_t d = -kRadius; d <= kRadius; ++d) sum += center[d];
    return sum;
  };
  const auto affected = [](std::size_t i) -> course::index_range {
    const std::size_t first = i < kRadius ? 0 : i - kRadius;
    return {first, i + kRadius + 1 - first};
  };
  p.expects(out, course::each_element(expected, affected), course::absolute(kTolerance));
  return p;
}

}  // namespace

// Shares of the reference's speed on an H200: blocks of 16 threads 0.05, of 64 0.20, a tile of 256 0.54 (plain), a tile with four outputs
// a thread 0.90. Seven loads reach 0.58 and are refused by the idea gate: 8.5 times the ideal sectors, where the tile asks for 1.06.
COURSE_EXERCISE(stencil_1d) {
  using namespace course;
  return {
      .asks = seven_neighbours,
      .size_names = {"n"},
      .cases = join(around(256),
                    {{3}, {127}, {128}, {129}, {1009}, {1023}, {1024}, {1025}, {4099}, {300'007}, {524'288}}),
      .drawn = [](random_source& draw) { return shape{draw.between(2, 100'000)}; },
      .hidden = [](random_source& draw) { return shape{draw.between(1'500'000, 2'000'000)}; },
      .benchmarks = {{.on_sim = {3'000'005},
                      .on_gpu = [](std::size_t bytes,
                                   const facts&) { return shape{bytes / (2 * sizeof(float)) + 5}; }}},
      .gates = {pass(at_least(0.40)), limit(at_least(0.85)),
                idea(metrics::load_sectors, at_most(4.0),
                     "neighbouring outputs share six of their seven inputs: load each input once for a "
                     "block, then read it from there")},
  };
}
