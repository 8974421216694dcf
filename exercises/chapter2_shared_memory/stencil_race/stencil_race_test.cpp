/// @file
/// How stencil_race is graded: sums of seven neighbours, and a tile that must stay. No pass gate: the program is to be
/// repaired, not sped up.
#include "stencil_race.cuh"

#include <cmath>
#include <cstddef>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::ptrdiff_t kRadius = 3;
constexpr std::size_t kTile = 256;
constexpr std::size_t kGhosts = 32;  // readable floats at both ends, as the contract promises

// Sound programs lie far from these: a tile of 256 has 1.06 times the ideal sectors and 28 bytes of shared loads an
// output; seven loads from global memory have 8.5, registers alone 0 bytes.
const course::gate kKeepsTheTile =
    course::idea(course::metrics::shared_load_bytes_per_output, course::at_least(8.0),
                 "a repair without the tile leaves the question open: where does its barrier stand?");
// Seven reads of a tile take 6 times the input from others; six outputs a thread, the most that the gate above leaves, still 1. Whoever
// takes back what it stored itself needs no barrier.
const course::gate kTakesFromOthers =
    course::idea(course::metrics::shared_exchanged, course::at_least(0.5),
                 "where each thread takes back its own float, nobody needs the barrier: let the neighbours' "
                 "floats come from the tile");
const course::gate kFetchesOnce =
    course::idea(course::metrics::load_sectors, course::at_most(4.0),
                 "neighbouring outputs share six of their seven inputs: fetch each input once for the block");
const course::gate kSeveralWarps =
    course::idea(course::metrics::block_threads, course::at_least(64),
                 "with one warp a block, nobody needs the block's barrier: use at least two");

course::problem seven_neighbours(const shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto in =
      p.input<float>("in", n, {.filled_with = course::extremes, .ghosts = kGhosts, .alignment = 128});
  const auto out = p.output<float>("out", n, {.alignment = 128});
  p.timed(COURSE_FUNCTION(stencil_race_run), in, out, n, course::stream);
  const auto expected = [in](const course::host_inputs& inputs, std::size_t i) {
    const float* const center = inputs[in] + i;
    double sum = 0;
    for (std::ptrdiff_t d = -kRadius; d <= kRadius; ++d) sum += center[d];
    return sum;
  };
  const auto allowed = [in](const course::host_inputs& inputs, std::size_t i) {
    const float* const center = inputs[in] + i;
    double magnitudes = 0;
    for (std::ptrdiff_t d = -kRadius; d <= kRadius; ++d) magnitudes += std::abs(center[d]);
    return 1e-5 * magnitudes;
  };
  const auto affected = [](std::size_t i) -> course::index_range {
    const std::size_t first = i < kRadius ? 0 : i - kRadius;
    return {first, i + kRadius + 1 - first};
  };
  p.expects(out, course::each_element(expected, affected), course::within(allowed));
  return p;
}

}  // namespace

COURSE_EXERCISE(stencil_race) {
  return {
      .asks = seven_neighbours,
      .size_names = {"n"},
      // First a size of several warps: the race is then told as one between warps, not between lanes.
      .cases = course::join(
          {{1009}},
          course::join(course::around(kTile), {{2}, {3}, {127}, {129}, {1023}, {1025}, {4099}, {300'007}})),
      .drawn = [](course::random_source& draw) { return shape{draw.between(4, 100'000)}; },
      .hidden = [](course::random_source& draw) { return shape{draw.between(1'500'000, 2'200'000)}; },
      .benchmarks = {{.on_sim = {3'000'005},
                      .on_gpu = [](std::size_t bytes,
                                   const course::facts&) { return shape{bytes / (2 * sizeof(float)) + 5}; }}},
      .gates = {kFetchesOnce, kKeepsTheTile, kTakesFromOthers, kSeveralWarps},
  };
}
