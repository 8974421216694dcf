/// @file
/// How phase_flip is graded: products, bit for bit, of values that come by bulk copies over barriers that are used again. No pass
/// gate: the program is to be repaired, not sped up.
#include "phase_flip.cuh"

#include <cstddef>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::size_t kTile = 2048;         // floats, of the starter
constexpr std::size_t kCountedBlocks = 44;  // where idea gates are counted
constexpr int kBlocksAnSm = 4;              // on a card

const course::gate kLoadedInBulk = course::idea(
    course::metrics::bulk_loads, course::at_least(0.99),
    "let bulk_load() bring the values; a repair without it leaves the question of the phase open");
const course::gate kFewBlocks = course::idea(
    course::metrics::blocks, course::at_most(kCountedBlocks),
    "with a block for each tile nobody meets a second phase: launch at most as many as the call says");
const course::gate kInitialisedOnce =
    course::idea(course::metrics::inits_per_barrier, course::exactly(1),
                 "a barrier begins its next phase by itself: initialise it once, before the first tile");
const course::gate kBarriersUsedAgain =
    course::idea(course::metrics::completions_per_barrier, course::at_least(4),
                 "let one barrier serve many tiles, one after the other, and wait for the right phase of it");

/// Another one for nearly every size, of both signs, never 0 or 1.
float factor_for(std::size_t n) {
  const auto part = static_cast<float>(n % 89) / 8.0f;
  return n % 2 == 0 ? part + 1.3f : -part - 0.7f;
}

course::problem products_of(const shape& sizes, const course::values& filled_with) {
  const std::size_t n = sizes[0];
  const auto blocks = static_cast<unsigned int>(sizes[1]);
  const float factor = factor_for(n);
  course::problem p;
  const auto out = p.output<float>("out", n, {.alignment = 16});
  const auto in = p.input<float>("in", n, {.filled_with = filled_with, .alignment = 16});
  p.timed(COURSE_FUNCTION(phase_flip_run), out, in, n, factor, blocks, course::stream);
  const auto expected = [in, factor](const course::host_inputs& inputs, std::size_t i) {
    return factor * inputs[in][i];
  };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(out, course::each_element(expected, affected), course::exact());
  return p;
}

course::problem products(const shape& sizes) {
  return products_of(sizes, course::distinct);
}
course::problem extreme_products(const shape& sizes) {
  return products_of(sizes, course::extremes);
}

/// Sizes around a tile, with 3 blocks: most have one tile. Then ever more turns a block, with blocks of both parities.
std::vector<shape> cases() {
  std::vector<shape> all = {
      {16'389, 2}};  // first: several tiles a block, so that the wait is told, not the tail
  for (const auto& size : course::around(kTile)) all.push_back({size[0], 3});
  return course::join(std::move(all), {{2, 1},
                                       {3, 1},
                                       {4, 1},
                                       {5, 1},
                                       {7, 9},
                                       {1009, 5},
                                       {3 * kTile, 1},
                                       {4 * kTile + 4, 1},
                                       {8 * kTile - 4, 1},
                                       {70'001, 3},
                                       {70'001, 4},
                                       {300'007, 7},
                                       {800'003, 44}});
}

}  // namespace

COURSE_EXERCISE(phase_flip) {
  return {
      .asks = products,
      .size_names = {"n", "blocks"},
      .cases = cases(),
      .also = {{.name = "zeros, huge and tiny values", .asks = extreme_products, .cases = {{30'011, 3}}}},
      .drawn =
          [](course::random_source& draw) {
            const std::size_t n = draw.between(6, 100'000);
            return shape{n, draw.between(1, 9)};
          },
      .hidden =
          [](course::random_source& draw) {
            const std::size_t n = draw.between(1'500'000, 2'200'000);
            return shape{n, draw.between(5, 60)};
          },
      .benchmarks = {{.on_sim = {3'000'005, kCountedBlocks},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts& device) {
                            return shape{bytes / (2 * sizeof(float)) + 5,
                                         static_cast<std::size_t>(kBlocksAnSm * device.sm_count)};
                          }}},
      .gates = {kLoadedInBulk, kFewBlocks, kInitialisedOnce, kBarriersUsedAgain},
  };
}
