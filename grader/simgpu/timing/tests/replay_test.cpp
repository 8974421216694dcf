/// @file
/// The replay on hand-made traces: what overlaps on an SM, and what does not.
#include "simgpu/timing/replay.hpp"

#include <gtest/gtest.h>

using namespace simgpu::timing;
using simgpu::exec::BlockTrace;
using simgpu::exec::Step;
using simgpu::exec::Unit;

namespace {

/// A block of @p warps that all do the same.
BlockTrace block_of(std::size_t warps, const std::vector<Step>& steps) {
  BlockTrace block;
  for (std::size_t n = 0; n < warps; ++n) block.warps.push_back({steps, steps.size()});
  return block;
}

/// @p count steps in a row; @p chained: each needs the one before.
std::vector<Step> steps_of(Unit unit, std::uint32_t count, bool chained, std::uint8_t latency = 4) {
  std::vector<Step> steps;
  for (std::uint32_t n = 1; n <= count; ++n)
    steps.push_back({n, {chained ? n - 1 : 0, 0, 0}, 0, unit, latency, 1});
  return steps;
}

Replayed time_of(const BlockTrace& block, std::uint64_t blocks, std::uint32_t resident, SiteCost cost = {}) {
  Replay in;
  in.blocks = {&block};
  in.sites = {cost};
  in.blocks_per_sm = blocks;
  in.resident = resident;
  return replay(in);
}

TEST(Replay, OneWarpWaitsForItsResults) {
  const BlockTrace block = block_of(1, steps_of(Unit::fp32, 100, true));
  EXPECT_NEAR(time_of(block, 1, 1).cycles, 400, 5);
}

TEST(Replay, ManyWarpsFillTheSchedulers) {
  const BlockTrace block = block_of(32, steps_of(Unit::fp32, 100, true));
  EXPECT_NEAR(time_of(block, 2, 2).cycles, 64 * 100 / 4, 20);
  EXPECT_NEAR(time_of(block, 2, 2).alone, 400, 5);
}

TEST(Replay, AnIntegerKeepsItsUnitForTwoCycles) {
  const BlockTrace block = block_of(32, steps_of(Unit::integer, 100, false));
  EXPECT_NEAR(time_of(block, 2, 2).cycles, 2 * 64 * 100 / 4, 20);
}

TEST(Replay, SharedMemoryTakesItsWavefronts) {
  const BlockTrace block = block_of(32, steps_of(Unit::shared, 50, false, 29));
  EXPECT_NEAR(time_of(block, 1, 1, {4, 0, 0, 0}).cycles, 32 * 50 * 4, 60);
}

TEST(Replay, LoadsTakeTheLatencyOfWhereTheyAreFound) {
  const BlockTrace block = block_of(1, steps_of(Unit::load, 10, true, 0));
  EXPECT_NEAR(time_of(block, 1, 1, {1, 1, 0, 0}).cycles, 9 * 34, 20);
  EXPECT_NEAR(time_of(block, 1, 1, {1, 1, 1, 0}).cycles, 9 * 262, 20);
  EXPECT_NEAR(time_of(block, 1, 1, {1, 1, 1, 1}).cycles, 9 * 790, 20);
}

TEST(Replay, BarriersHoldWarpsTogether) {
  std::vector<Step> quick = {{1, {}, 0, Unit::barrier, 20, 1}}, slow = steps_of(Unit::fp32, 100, true);
  slow.push_back({101, {}, 0, Unit::barrier, 20, 1});
  slow.push_back({102, {}, 0, Unit::fp32, 4, 1});
  quick.push_back({2, {}, 0, Unit::fp32, 4, 1});
  BlockTrace block;
  block.warps = {{quick, 2}, {slow, 102}};
  const double cycles = time_of(block, 1, 1).cycles;
  EXPECT_GT(cycles, 400);
  EXPECT_LT(cycles, 440);
}

TEST(Replay, BlocksFollowEachOtherInTheirPlaces) {
  const BlockTrace block = block_of(1, steps_of(Unit::fp32, 100, true));
  const double one = time_of(block, 1, 1).cycles;
  EXPECT_NEAR(time_of(block, 10, 1).cycles, 10 * one, 50);
  EXPECT_NEAR(time_of(block, 100'000, 1).cycles, 100'000 * one, 1000 * one);  // not all are replayed
}

TEST(Replay, NothingWasTraced) {
  EXPECT_EQ(replay({}).cycles, 0);
}

}  // namespace
