/// @file
/// How stencil_1d is graded: sums of seven neighbours, their cases, their gates.
#include "stencil_1d.cuh"

#include <cstddef>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::ptrdiff_t kRadius = 3;
constexpr std::size_t kGhosts = 32;  // readable floats at both ends, as the contract promises

// Shares of the reference's bandwidth, same run, on an H200: blocks of 16 threads 0.05, of 64 0.20, a tile of
// 256 0.54, a tile with four outputs a thread 0.90. Seven loads reach 0.58 and are refused by the idea gate.
constexpr course::pass_gate kPass{.at_least = {0.40}};
constexpr course::limit_mark kLimit{.at_least = {0.85}};

const course::idea_gate kEachInputAboutOnce{
    .name = "load_sectors_over_ideal",
    .measures = course::metrics::load_sectors_over_ideal,
    .at_most = 4.0,
    .lesson =
        "neighbouring outputs share six of their seven inputs: load each input once for a block, then read "
        "it from there",
};

course::problem seven_neighbours(const shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto in =
      p.input<float>("in", n, {.filled_with = course::one_sided, .ghosts = kGhosts, .alignment = 128});
  const auto out = p.output<float>("out", n, {.alignment = 128});
  p.runs(COURSE_FUNCTION(stencil_1d_run), in, out, n, course::stream);
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
  p.expects(out, course::each_element(expected, affected), course::relative(1e-5));
  return p;
}

}  // namespace

COURSE_EXERCISE(stencil_1d) {
  return {
      .asks = seven_neighbours,
      .size_names = {"n"},
      .cases = {{0},
                {1},
                {2},
                {3},
                {31},
                {32},
                {33},
                {127},
                {128},
                {129},
                {255},
                {256},
                {257},
                {1009},
                {1023},
                {1024},
                {1025},
                {4099},
                {300'007}},
      .timed_on_sim = {3'000'005},
      .timed_on_gpu = [](std::size_t bytes) { return shape{bytes / (2 * sizeof(float)) + 5}; },
      .gates = {.pass = kPass, .limit = kLimit, .ideas = {kEachInputAboutOnce}},
  };
}
