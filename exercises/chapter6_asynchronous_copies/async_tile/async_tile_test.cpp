/// @file
/// How async_tile is graded: tiles turned round, bit for bit, by one block an SM that has the next tile on its way while it uses one.
#include "async_tile.cuh"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::size_t kTile = async_tile_floats;
constexpr std::size_t kCountedBlocks =
    11;  // where idea gates are counted: the simulated GPU's multiprocessors

// Shares of the reference's speed on an H200 (stand-alone kernels with a block an SM): one buffer 0.72, two 0.96, four 1.00.
constexpr double kPass = 0.80, kLimit = 0.95;

const course::gate kFewBlocks =
    course::idea(course::metrics::blocks, course::at_most(kCountedBlocks),
                 "many blocks overlap by themselves: launch at most as many as the call says");
const course::gate kLoadedAsynchronously =
    course::idea(course::metrics::async_loads, course::at_least(0.95),
                 "let asynchronous copies bring the tiles, past the registers");
// A whole tile has 16 KB; the last one of all may be short.
const course::gate kNextTileOnItsWay =
    course::idea(course::metrics::async_bytes_in_flight, course::at_least(15 * 1024),
                 "ask for the next tile before you use this one, and wait only for this one");

course::problem turned(const shape& sizes) {
  const std::size_t n = sizes[0];
  const auto blocks = static_cast<unsigned int>(sizes[1]);
  course::problem p;
  const auto out = p.output<float>("out", n, {.alignment = 128});
  const auto in = p.input<float>("in", n, {.filled_with = course::distinct, .alignment = 128});
  p.timed(COURSE_FUNCTION(async_tile_run), out, in, n, blocks, course::stream);
  const auto mirrored = [n](std::size_t i) {
    const std::size_t first = i / kTile * kTile;
    return first + std::min(kTile, n - first) - 1 - (i - first);
  };
  const auto expected = [in, mirrored](const course::host_inputs& inputs, std::size_t i) {
    return inputs[in][mirrored(i)];
  };
  const auto affected = [mirrored](std::size_t i) -> course::index_range { return {mirrored(i), 1}; };
  p.expects(out, course::each_element(expected, affected), course::exact());
  return p;
}

/// Sizes around a tile, with 3 blocks: most have one tile. Then ever more turns a block.
std::vector<shape> cases() {
  std::vector<shape> all = {{70'001, 3}};
  for (const auto& size : course::around(kTile)) all.push_back({size[0], 3});
  return course::join(std::move(all), {{2, 1},
                                       {3, 1},
                                       {4, 1},
                                       {5, 1},
                                       {7, 9},
                                       {1009, 5},
                                       {2 * kTile - 3, 1},
                                       {3 * kTile, 1},
                                       {8 * kTile + 2, 1},
                                       {300'007, 7},
                                       {800'003, 11}});
}

}  // namespace

COURSE_EXERCISE(async_tile) {
  return {
      .asks = turned,
      .size_names = {"n", "blocks"},
      .cases = cases(),
      .drawn =
          [](course::random_source& draw) {
            const std::size_t n = draw.between(6, 100'000);
            return shape{n, draw.between(1, 9)};
          },
      .hidden =
          [](course::random_source& draw) {
            const std::size_t n = draw.between(2'000'000, 3'000'000);
            return shape{n, draw.between(5, 30)};
          },
      .benchmarks = {{.on_sim = {3'000'005, kCountedBlocks},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts& device) {
                            return shape{bytes / (2 * sizeof(float)) / kTile * kTile + 5,
                                         static_cast<std::size_t>(device.sm_count)};
                          },
                      .modelled_time_decides = false}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)), kFewBlocks,
                kLoadedAsynchronously, kNextTileOnItsWay},
  };
}
