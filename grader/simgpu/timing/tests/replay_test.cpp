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

// Catches schedulers that give each of their warps a turn: there, one warp's load is on its way while the other multiplies. On an H100 a warp
// goes on until it stops, so that the few instructions before the other's next load wait for all that it has to do (two warps, 160 multiply-adds
// a load from the L2: 632 cycles a turn, which are both warps' work and the latency).
TEST(Replay, ASchedulerKeepsToAWarpUntilItStops) {
  constexpr std::uint32_t kTurns = 24, kBody = 160;
  std::vector<Step> steps;
  std::uint32_t number = 0, address = 0;
  for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
    const std::uint32_t load = ++number;
    steps.push_back({load, {address, 0, 0}, 0, Unit::load, 0, 1});
    for (std::uint32_t n = 0; n < kBody; ++n) steps.push_back({++number, {load, 0, 0}, 1, Unit::fp32, 4, 1});
    steps.push_back({++number, {address, 0, 0}, 1, Unit::multiply, 4, 1});
    steps.push_back({number + 1, {number, 0, 0}, 1, Unit::multiply, 4, 1});
    address = ++number;
  }
  const BlockTrace block = block_of(4, steps);
  Replay in;
  in.blocks = {&block};
  in.sites = {{1, 1, 1, 0}, {}};
  in.blocks_per_sm = in.resident = 2;
  in.first_interval = 24;
  EXPECT_NEAR(replay(in).cycles / kTurns, 262 + 2 * kBody, 40);
}

// Catches a block that ends when its warps' mean has: one thread follows links, after all have made them.
TEST(Replay, ABlockIsThereUntilItsLongestWarpEnds) {
  BlockTrace block = block_of(8, steps_of(Unit::fp32, 400, true));
  block.warps[0].instructions *= 20;
  EXPECT_NEAR(time_of(block, 1, 1).cycles, 20 * 400 * 4, 400);
}

TEST(Replay, AnIntegerKeepsItsUnitForTwoCycles) {
  const BlockTrace block = block_of(32, steps_of(Unit::integer, 100, false));
  EXPECT_NEAR(time_of(block, 2, 2).cycles, 2 * 64 * 100 / 4, 20);
}

// Catches other blocks' shared memory that answers as quickly as the own, and a way there that has room for all warps at once.
TEST(Replay, OtherBlocksSharedMemoryHasAWayOfItsOwn) {
  const SiteCost cost{
      .wavefronts = 1, .lines = 0, .beyond_l1 = 0, .beyond_l2 = 0, .remote = 100, .remote_wait = 29};
  const BlockTrace lone = block_of(1, steps_of(Unit::load, 10, true, 0));
  EXPECT_NEAR(time_of(lone, 1, 1, cost).cycles, 9 * (205 + 100 + 29), 120);
  const BlockTrace many = block_of(32, steps_of(Unit::load, 10, false, 0));
  EXPECT_NEAR(time_of(many, 1, 1, cost).cycles, 320 * 100, 500);
}

// Catches sums of a cluster on one word that its blocks make side by side.
TEST(Replay, ABlockLastsAsLongAsItsClustersChain) {
  const BlockTrace block = block_of(8, steps_of(Unit::fp32, 10, true));
  Replay in;
  in.blocks = {&block};
  in.sites = {{}};
  in.blocks_per_sm = 4;
  in.resident = 2;
  in.shortest_block = 20'000;
  EXPECT_NEAR(replay(in).cycles, 40'000, 400);
  in.shortest_block = 0;
  EXPECT_LT(replay(in).cycles, 400);
}

// Catches a clock that takes the sampled blocks for all: those of a picture's edge for those of its middle.
TEST(Replay, BlocksThatAreNotLikeAllAreTakenInProportion) {
  const BlockTrace light = block_of(8, steps_of(Unit::fp32, 100, true)),
                   heavy = block_of(8, steps_of(Unit::fp32, 300, true));
  Replay in;
  in.blocks = {&light, &light, &light, &heavy};
  in.sites = {{}};
  in.blocks_per_sm = 64;
  in.resident = 4;
  in.instructions_per_block = 8 * 150;
  const double as_sampled = replay(in).cycles;
  in.instructions_per_block = 8 * 250;
  EXPECT_NEAR(replay(in).cycles / as_sampled, 250.0 / 150, 0.05);
}

TEST(Replay, SumsGoWhereThereIsRoom) {
  const auto cycles = [](const std::vector<Unit>& units) {
    std::vector<Step> steps;
    for (std::uint32_t n = 1; n <= 100; ++n) steps.push_back({n, {}, 0, units[n % units.size()], 4, 1});
    const BlockTrace block = block_of(32, steps);
    return time_of(block, 2, 2).cycles;
  };
  EXPECT_NEAR(cycles({Unit::adder}), 64 * 100 / 4, 30);
  EXPECT_NEAR(cycles({Unit::adder, Unit::integer}), 64 * 100 / 4, 30);
  EXPECT_NEAR(cycles({Unit::adder, Unit::multiply}), 64 * 100 / 4, 30);
  EXPECT_NEAR(cycles({Unit::integer, Unit::multiply, Unit::integer}), 2 * 64 * 67 / 4, 60);
  // Integers have enough to do: no sum is given to them because they happen to be free.
  EXPECT_NEAR(cycles({Unit::integer, Unit::integer, Unit::adder, Unit::integer, Unit::multiply}),
              2 * 64 * 60 / 4, 90);
}

TEST(Replay, ABranchCostsALoneWarpAndNotMany) {
  std::vector<Step> steps = steps_of(Unit::fp32, 64, true);
  for (std::size_t n = 15; n < steps.size(); n += 16) steps[n].pause = 8;
  EXPECT_NEAR(time_of(block_of(1, steps), 1, 1).cycles, 64 * 4 + 4 * 8 - 8 + 5, 16);
  EXPECT_NEAR(time_of(block_of(32, steps), 2, 2).cycles, 64 * 64 / 4, 40);
  std::vector<Step> late = steps_of(Unit::fp32, 64, true);
  late[40].behind = 9;
  EXPECT_NEAR(time_of(block_of(1, late), 1, 1).cycles,
              time_of(block_of(1, steps_of(Unit::fp32, 64, true)), 1, 1).cycles + 9, 0.1);
}

TEST(Replay, WhatWaitsForItsPlaceIsNotWaitingForMemory) {
  const BlockTrace block = block_of(1, steps_of(Unit::fp32, 4, true));
  Replay in;
  in.blocks = {&block};
  in.sites = {{}};
  in.blocks_per_sm = 64;
  in.resident = 8;
  in.start_interval = in.first_interval = 160;
  const Replayed time = replay(in);
  EXPECT_NEAR(time.cycles, 64 * 160, 200);
  EXPECT_LT(time.alone, 200);
}

TEST(Replay, SharedMemoryTakesItsWavefronts) {
  const BlockTrace block = block_of(32, steps_of(Unit::shared, 50, false, 29));
  EXPECT_NEAR(time_of(block, 1, 1, {4, 0, 0, 0}).cycles, 32 * 50 * 4, 60);
}

// Catches lines that come to the tags one after the other: 32 lanes in 20 lines of a table of 4 kB take some 11 cycles on an H200, not 20.
TEST(Replay, LinesOfATableInTheL1ComeToTheTagsSideBySide) {
  const BlockTrace block = block_of(32, steps_of(Unit::load, 50, false, 0));
  const SiteCost gather{.wavefronts = 3.5, .lines = 20, .beyond_l1 = 0, .beyond_l2 = 0, .tags = 6};
  EXPECT_NEAR(time_of(block, 1, 1, gather).cycles, 32 * 50 * 10.9, 32 * 50 * 0.6);
  const SiteCost missing{.wavefronts = 3.5, .lines = 20, .beyond_l1 = 1, .beyond_l2 = 0, .tags = 20};
  EXPECT_NEAR(time_of(block, 1, 1, missing).cycles, 32 * 50 * 20, 32 * 50 * 1);
}

TEST(Replay, LoadsTakeTheLatencyOfWhereTheyAreFound) {
  const BlockTrace block = block_of(1, steps_of(Unit::load, 10, true, 0));
  EXPECT_NEAR(time_of(block, 1, 1, {1, 1, 0, 0}).cycles, 9 * 34, 20);
  EXPECT_NEAR(time_of(block, 1, 1, {1, 1, 1, 0}).cycles, 9 * 262, 20);
  EXPECT_NEAR(time_of(block, 1, 1, {1, 1, 1, 1}).cycles, 9 * 790, 20);
}

/// An H100's barriers, by warps of the block: four in a row in a loop take 12.3, 27.7 and 75.7 cycles each beyond the first (2026-11-28).
TEST(Replay, BarriersTakeAsLongAsOnAnH100) {
  std::vector<Step> steps;
  for (std::uint32_t n = 1; n <= 200; ++n) steps.push_back({n, {}, 0, Unit::barrier, 11, 1});
  const struct {
    std::size_t warps;
    double cycles;
  } measured[] = {{1, 12.3}, {8, 27.7}, {32, 75.7}};
  for (const auto& m : measured) {
    const BlockTrace block = block_of(m.warps, steps);
    EXPECT_NEAR(time_of(block, 1, 1).cycles / 200, m.cycles, 0.08 * m.cycles) << m.warps << " warps";
  }
}

/// Catches a barrier that stops the warp where it stands: eight multiply-adds that need one another take a warp of an H100 39 cycles a turn with a
/// barrier among them, and without; a load behind it waits.
TEST(Replay, ArithmeticGoesOnBehindABarrier) {
  const auto turn_with = [](Unit last) {
    std::vector<Step> steps;
    for (std::uint32_t n = 0; n < 100 * 10;) {
      steps.push_back({n + 1, {n, 0, 0}, 0, Unit::fp32, 4, 1});
      steps.push_back({n + 2, {}, 0, Unit::barrier, 11, 1});
      for (std::uint32_t k = 3; k <= 9; ++k)
        steps.push_back({n + k, {k == 3 ? n + 1 : n + k - 1, 0, 0}, 0, Unit::fp32, 4, 1});
      steps.push_back({n + 10, {n + 9, 0, 0}, 0, last, 4, 1});
      n += 10;
    }
    return time_of(block_of(1, steps), 1, 1, {1, 0, 0, 0}).cycles / 100;
  };
  EXPECT_NEAR(turn_with(Unit::fp32), 9 * 4, 2);
  std::vector<Step> held;
  for (std::uint32_t n = 0; n < 200; n += 2) {
    held.push_back({n + 1, {}, 0, Unit::barrier, 11, 1});
    held.push_back({n + 2, {n, 0, 0}, 0, Unit::shared, 4, 1});
  }
  EXPECT_NEAR(time_of(block_of(1, held), 1, 1, {1, 0, 0, 0}).cycles / 100, 14, 1);
}

/// Four loads of shared memory and a barrier a turn, of 256 threads: 73 cycles for two blocks on an H100's SM, 296 for eight. Catches barriers that
/// stand in the loads' queue, and such that cost it nothing.
TEST(Replay, BarriersHaveAUnitOfTheirOwn) {
  std::vector<Step> steps;
  for (std::uint32_t n = 1; n <= 500; ++n)
    steps.push_back({n,
                     {},
                     0,
                     n % 5 == 0 ? Unit::barrier : Unit::shared,
                     static_cast<std::uint16_t>(n % 5 == 0 ? 11 : 29),
                     1});
  EXPECT_NEAR(time_of(block_of(8, steps), 8, 8, {1, 0, 0, 0}).cycles / 100, 296, 0.05 * 296);
}

/// Turns of blocks of 256 threads that store to shared memory, meet, load, add, and meet again: 92.9, 93.9, 130 and 280 cycles a turn for 1, 2, 4 and 8
/// blocks on an H100's SM (2026-11-28), the loop's own 12 to 17 included, which hide where others fill the barriers' unit.
TEST(Replay, BlocksFillTheBarriersUnit) {
  std::vector<Step> steps;
  std::uint32_t n = 0;
  for (int phase = 0; phase < 100; ++phase) {
    const std::uint32_t value = n == 0 ? 0 : n - 1;  // of the turn before
    steps.push_back({++n, {value, 0, 0}, 0, Unit::shared, 0, 1});
    steps.push_back({++n, {}, 0, Unit::barrier, 11, 1});
    steps.push_back({++n, {}, 0, Unit::shared, 29, 1});
    steps.push_back({n + 1, {n, 0, 0}, 0, Unit::fp32, 4, 1});
    ++n;
    steps.push_back({++n, {}, 0, Unit::barrier, 11, 1, 0, 8});
  }
  const BlockTrace block = block_of(8, steps);
  const struct {
    std::uint32_t blocks;
    double cycles;
  } measured[] = {{1, 92.9}, {2, 93.9}, {4, 130.1}, {8, 279.7}};
  for (const auto& m : measured)
    EXPECT_NEAR(time_of(block, m.blocks, m.blocks, {1, 0, 0, 0}).cycles / 100, m.cycles, 0.17 * m.cycles)
        << m.blocks << " blocks";
}

TEST(Replay, BarriersHoldWarpsTogether) {
  std::vector<Step> quick = {{1, {}, 0, Unit::barrier, 20, 1}}, slow = steps_of(Unit::fp32, 100, true);
  slow.push_back({101, {}, 0, Unit::barrier, 20, 1});
  slow.push_back({102, {}, 0, Unit::fp32, 4, 1});
  quick.push_back({2, {}, 0, Unit::fp32, 4, 1});
  BlockTrace block;
  block.warps = {{quick, 2}, {slow, 102}};
  const double cycles = time_of(block, 1, 1).cycles;
  EXPECT_NEAR(cycles, 400 + 20, 10);  // neither ends before both have come
}

TEST(Replay, BlocksFollowEachOtherInTheirPlaces) {
  const BlockTrace block = block_of(1, steps_of(Unit::fp32, 100, true));
  const double one = time_of(block, 1, 1).cycles;
  EXPECT_NEAR(time_of(block, 10, 1).cycles, 10 * one, 50);
  EXPECT_NEAR(time_of(block, 100'000, 1).cycles, 100'000 * one, 1000 * one);  // not all are replayed
}

// Catches blocks that are served in turn, and so end together. On an H200 older ones go first (ladders/served.cu; of eight blocks in step one ends
// after the other): four warps with a chain each fill a scheduler, and the last two of six are by themselves.
TEST(Replay, OlderBlocksGoFirst) {
  const std::vector<Step> steps = steps_of(Unit::fp32, 2000, true);
  EXPECT_NEAR(time_of(block_of(24, steps), 1, 1).cycles, 6 * 2000, 100);
  EXPECT_NEAR(time_of(block_of(4, steps), 6, 6).cycles, (4 + 4) * 2000, 800);
}

// Catches last blocks, which have the SM for themselves, taken for all of a launch.
TEST(Replay, TheLastBlocksAreNotLikeAll) {
  constexpr std::uint32_t kSteps = 2000;  // that a block keeps each scheduler for
  const BlockTrace block = block_of(4, steps_of(Unit::fp32, kSteps, true));
  EXPECT_NEAR(time_of(block, 10'000, 6).cycles, 10'000.0 * kSteps, 200.0 * kSteps);
}

// Catches a branch that is as any other instruction: turns of seven of them take an H100's scheduler eight slots.
TEST(Replay, ABranchBackLosesPartOfASlot) {
  std::vector<Step> steps;
  for (std::uint32_t n = 1; n <= 700; ++n) {
    steps.push_back({n, {}, 0, Unit::fp32, 4, 1});
    steps.back().turns_back = n % 7 == 0;
  }
  EXPECT_NEAR(time_of(block_of(32, steps), 1, 1).cycles, 8 * 100 * (7 + kBehindBranch), 20);
}

// Catches a root that takes a slot and no more, and an exact one whose way already has what is lost: a root among sixteen instructions of a warp.
TEST(Replay, WhatTheSpecialUnitDoesCostsOthersSlots) {
  const auto cycles = [](std::uint8_t issues) {
    std::vector<Step> steps;
    for (std::uint32_t n = 1; n <= 800; ++n) {
      const bool special = n % 16 == 0;
      steps.push_back(
          {n, {}, 0, special ? Unit::special : Unit::fp32, 4, special ? issues : std::uint8_t{1}});
      if (special) steps.back().keeps = 8;
    }
    return time_of(block_of(32, steps), 1, 1).cycles / 8 / 50;
  };
  EXPECT_NEAR(cycles(1), 16 + kBehindSpecial, 0.5);
  EXPECT_NEAR(cycles(8), 15 + 8, 0.5);
}

TEST(Replay, NothingWasTraced) {
  EXPECT_EQ(replay({}).cycles, 0);
}

}  // namespace
