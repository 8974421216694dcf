/// @file
/// The kernel model on hand-made work: each resource is named when it is the one that is short.
#include "simgpu/timing/model.hpp"

#include <gtest/gtest.h>

using namespace simgpu::timing;

namespace {

/// A float4 copy of two arrays of @p bytes, as the counters would say.
Work copy_work(double bytes) {
  Work work;
  work.blocks = static_cast<std::uint64_t>(bytes / 4096);
  work.warps_per_block = 8;
  work.resident_blocks_per_sm = 8;
  work.dram_read_bytes = bytes;
  work.dram_write_bytes = bytes;
  work.l2_read_sectors = work.l2_write_sectors = bytes / 32;
  work.data_wavefronts_max_sm = 2 * bytes / 128 / 11;
  work.load_lines_max_sm = work.store_lines_max_sm = bytes / 128 / 11;
  work.instructions = bytes / 512 * 12;
  work.instructions_max_sm = work.instructions / 11;
  work.samples = {{80, 300, 650}};
  return work;
}

TEST(KernelTime, AFloat4CopyReachesTheCopyCeiling) {
  const Device device;
  const double bytes = 42e6;
  const KernelTime time = kernel_time(device, copy_work(bytes));
  EXPECT_EQ(time.bound, Bound::dram);
  EXPECT_NEAR(2 * bytes / time.total / device.copy_ceiling(), 1.0, 0.06);
}

TEST(KernelTime, OneElementAThreadIsBoundByLatency) {
  const Device device;
  Work work = copy_work(42e6);
  work.blocks *= 4;  // a quarter of the bytes each
  const KernelTime time = kernel_time(device, work);
  EXPECT_EQ(time.bound, Bound::latency);
  EXPECT_NEAR(2 * 42e6 / time.total / device.copy_ceiling(), 0.633, 0.08);
}

TEST(KernelTime, ALoopReachesALittleLess) {
  const Device device;
  Work once = copy_work(42e6), loop = once;
  loop.blocks = 88;
  loop.samples = {{4500, 32500, 74100}};
  EXPECT_GT(kernel_time(device, loop).total, 1.01 * kernel_time(device, once).total);
}

// Catches atomics that are taken to be spread over all of a launch: where one wave of blocks ends with them, the rest is done by then. On an H200 sums of
// 64 columns by four blocks an SM, which end with 4096 atomics each, took 44 % longer than the longer of the two parts.
TEST(KernelTime, AtomicsAtTheEndOfAWaveComeAfterTheRest) {
  const Device device;
  Work work = copy_work(42e6);
  work.blocks = 88;  // one wave
  work.samples = {{4500, 32500, 74100}};
  const double without = kernel_time(device, work).total;
  work.atomic_sectors = 1;
  work.atomic_line_cycles = without * device.clock_hz / device.slice;
  const double spread = kernel_time(device, work).total;
  work.before_atomics = 0.95;
  const double at_the_end = kernel_time(device, work).total;
  EXPECT_LT(spread, 1.1 * without);
  EXPECT_GT(at_the_end, 1.4 * without);
  work.resident_blocks_per_sm = 1;  // of eight waves only the first has nobody's atomics beside it
  const double waves = kernel_time(device, work).total;
  work.before_atomics = 0;
  EXPECT_LT(waves, 1.1 * kernel_time(device, work).total);
}

TEST(KernelTime, HitsInACacheShortenTheWait) {
  const Device device;
  Work cold = copy_work(42e6), warm = cold;
  cold.blocks *= 4, warm.blocks *= 4;
  warm.l2_miss_share = warm.l2_miss_sites = 0;
  EXPECT_LT(kernel_time(device, warm).latency, 0.8 * kernel_time(device, cold).latency);
}

// h200_probes_single.csv, "gather in L2, 32 lanes", all SMs: 51.8 cycles a request, where a warp's 32 neighbours would take 3.5 of the L2.
TEST(KernelTime, LoneSectorsOfTheL2TakeLonger) {
  const Device device;
  Work work;
  work.blocks = 11;
  work.instructions = work.instructions_max_sm = 1;
  work.l2_read_sectors = 32.0 * 16384 * 11;
  const double whole = kernel_time(device, work).l2;
  work.l2_lone_sectors = work.l2_read_sectors;
  const double lone = kernel_time(device, work).l2 * device.clock_hz / 16384;
  EXPECT_GT(lone, 1.6 * whole * device.clock_hz / 16384);
  EXPECT_NEAR(lone, 51.8, 6);
}

// One SM of an H200 alone takes a half of a line a cycle: "gather in L2, 32 lanes", one block of 1024 threads, 31.8 cycles a request.
// What it has in its L1 comes four lines at once.
TEST(KernelTime, LinesOfTheL1ComeByPassesAndThoseOfTheL2ByHalves) {
  const Device device;
  Work work;
  work.blocks = 1;
  work.instructions = work.instructions_max_sm = 1;
  work.load_lines_max_sm = 32.0 * 16384;
  work.load_tags_max_sm = 11.5 * 16384;
  work.line_passes_max_sm = 1;
  EXPECT_NEAR(kernel_time(device, work).l1tex * device.clock_hz / 16384, 11.5, 0.1);
  work.fill_halves_max_sm = 32.0 * 16384;
  EXPECT_NEAR(kernel_time(device, work).l1tex * device.clock_hz / 16384, 31.8, 0.5);
}

// Lanes on lines of their own: 3.2 to 3.5 cycles each (h200_probes_more.csv, "33 words apart"). A whole line takes 9.7 of two blocks that read
// each other's lines (held_out_3, "lines of two blocks crossed": 512 loads of a block in 19 thousand cycles of four at once).
TEST(KernelTime, WholeLinesOfOtherBlocksTakeTheirSectors) {
  const Device device;
  EXPECT_NEAR(remote_load_cycles(device, 32, 32) / 32, 3.4, 0.2);
  EXPECT_NEAR(remote_load_cycles(device, 1, 4), 9.7, 0.4);
}

// Catches a line that takes as long with a wavefront of its own as without: 32 lines took 44.8 cycles, and 38 on a card.
TEST(KernelTime, LinesWithAWavefrontOfTheirOwnTakeLess) {
  EXPECT_NEAR(line_cycles_of({0.4}, 1, 1), 0.4, 1e-9);
  EXPECT_NEAR(line_cycles_of({0.4}, 2, 1), 0.8, 1e-9);
  EXPECT_NEAR(line_cycles_of({0.32}, 2, 1), 0.72, 1e-9) << "only the first is cheaper if the L1 has it";
  EXPECT_NEAR(32 + line_cycles_of({0.4}, 32, 32), 37, 0.5);
  EXPECT_NEAR(1 + line_cycles_of({0.32, 0.4, 0.25}, 32, 1), 8.8, 0.5) << "four at a time";
}

// Catches a clock that sees no spills, one that sees them where there are none, and one to which all of them are near.
TEST(KernelTime, SpillsThatTheL1CannotHoldGoToTheL2) {
  const Device device;
  const Work plain = copy_work(42e6);
  const auto seconds = [&](double bytes, double frame) {
    Work work = plain;
    add_spills(work, device, {bytes, frame, 2, 248.0 * 1024, 256});
    return kernel_time(device, work).total;
  };
  const double without = kernel_time(device, plain).total;
  EXPECT_EQ(seconds(0, 232), without);
  EXPECT_GT(seconds(832, 16), 1.05 * without);
  EXPECT_GT(seconds(832, 232), 1.5 * seconds(832, 16));
}

// Catches spills that stay in the L2 whatever streams through it: of spectra in 32 registers a thread an H200's DRAM got 114 MB of 140.
TEST(KernelTime, WhatStreamsThroughTheL2TakesSpillsAlong) {
  const Device device;
  const auto written = [&](double bytes) {
    Work work = copy_work(bytes);
    work.blocks = 4 * device.sm_count * work.resident_blocks_per_sm;
    const double before = work.dram_write_bytes;
    add_spills(work, device, {272, 40, 1, 200.0 * 1024, 256});
    return work.dram_write_bytes - before;
  };
  const double l2 = static_cast<double>(device.l2_bytes);
  EXPECT_EQ(written(0.1 * l2), 0);
  EXPECT_GT(written(8 * l2), 0);
}

TEST(KernelTime, PartsOfLocalMemoryBindTheL2) {
  const Device device;
  Work work = copy_work(42e6);
  const double before = kernel_time(device, work).total;
  work.local_parts_max_sm = 1e6;
  const KernelTime time = kernel_time(device, work);
  EXPECT_EQ(time.bound, Bound::l2);
  EXPECT_GT(time.total, std::max(before, device.seconds(2.2e6)));
}

TEST(KernelTime, SumsAreSharedOutToIntegerUnitsAndMultipliers) {
  const Device device;
  Work work;
  work.blocks = 11;
  work.instructions = 1e6 * 11;
  work.instructions_max_sm = 1e6;
  const auto cycles = [&](double integer, double adder, double multiply) {
    work.integer = integer * 11, work.adder = adder * 11, work.multiply = multiply * 11;
    return kernel_time(device, work).issue * device.clock_hz;
  };
  const double slots = 2.5e5;
  EXPECT_NEAR(cycles(1e6, 0, 0), 5e5, 1);
  EXPECT_NEAR(cycles(0, 1e6, 0), slots, 1);
  EXPECT_NEAR(cycles(5e5, 5e5, 0), slots, 1);
  EXPECT_NEAR(cycles(2e5, 4e5, 4e5), slots, 1);
  EXPECT_NEAR(cycles(0, 1e5, 9e5), 4.5e5, 1);
}

TEST(KernelTime, BankConflictsBindL1) {
  const Device device;
  Work work = copy_work(42e6);
  work.data_wavefronts_max_sm += 31.0 * 42e6 / 128 / 11;
  EXPECT_EQ(kernel_time(device, work).bound, Bound::l1tex);
}

TEST(KernelTime, PipesOfAnSmOverlap) {
  const Device device;
  Work one = copy_work(1e6);
  one.constant_passes_max_sm = 1e6;
  Work both = one;
  both.texture_cycles_max_sm = 0.55e6;  // less than the constant cache
  EXPECT_EQ(kernel_time(device, one).bound, Bound::constant);
  EXPECT_LT(kernel_time(device, both).total, 1.05 * kernel_time(device, one).total);
}

TEST(KernelTime, AtomicsOnOneLineWaitForEachOther) {
  const Device device;
  Work work = copy_work(1e6);
  work.atomic_line_cycles = 1e6;
  const KernelTime time = kernel_time(device, work);
  EXPECT_EQ(time.bound, Bound::atomics);
  EXPECT_NEAR(time.atomics, device.seconds(1e6) * device.slice, 1e-9)
      << "a line is a line on the smallest slice";
}

// A table that has shrunk with the slice has more lines on the card, each as busy as here.
TEST(KernelTime, AtomicsOnManyLinesAlikeAreNotSlowerOnASlice) {
  const Device device;
  Work work = copy_work(1e6);
  work.atomic_line_cycles = work.atomic_line_mean_cycles = 1e5;
  work.atomic_lines = 64;
  const double few = kernel_time(device, work).atomics;
  EXPECT_NEAR(few, device.seconds(1e5) * device.slice, 1e-9);
  work.atomic_lines = 64 * 12;
  EXPECT_NEAR(kernel_time(device, work).atomics, few / device.slice, 1e-9);
  work.atomic_line_cycles = 2e5;  // one of them is hot: it is one on the card, too
  EXPECT_NEAR(kernel_time(device, work).atomics, few + few / device.slice, 1e-9);
}

// Catches atomics all over a table beside which the L2 answers loads as if they were not there (held_out_3: ways made shorter, a table
// filled by compare and swap).
TEST(KernelTime, AtomicsAndLoadsOfTheL2TakeTurns) {
  const Device device;
  Work work;
  work.blocks = 88;
  work.instructions = work.instructions_max_sm = 1;
  work.l2_read_sectors = work.l2_lone_sectors = 2e5;
  const double loads = kernel_time(device, work).total - device.launch_seconds;
  work.l2_read_sectors = work.l2_lone_sectors = 0;
  work.atomic_sectors = 1e5;
  work.atomic_cycles = 1.27e5;
  const double atomics = kernel_time(device, work).total - device.launch_seconds;
  EXPECT_NEAR(atomics, 1e5 / device.l2_atomic_sectors(), 0.01 * atomics);
  work.l2_read_sectors = work.l2_lone_sectors = 2e5;
  EXPECT_NEAR(kernel_time(device, work).total - device.launch_seconds, loads + atomics, 0.01 * loads);
  // What is answered comes back.
  work.l2_read_sectors = work.l2_lone_sectors = 0;
  work.atomic_replies = 1e5;
  EXPECT_NEAR(kernel_time(device, work).total - device.launch_seconds,
              atomics + device.seconds(0.43 * 1e5 / device.sm_count), 0.01 * loads);
}

TEST(KernelTime, TinyBlocksAreBoundByTheirLaunch) {
  const Device device;
  Work work = copy_work(42e6);
  work.blocks = static_cast<std::uint64_t>(42e6 / 64);
  work.samples.clear();
  const KernelTime time = kernel_time(device, work);
  EXPECT_EQ(time.bound, Bound::block_launch);
}

// Catches a kernel that waits by its own clock for longer than the time line says it ran.
TEST(KernelTime, IsNoShorterThanTheKernelsClock) {
  const Device device;
  Work work;
  work.blocks = 1;
  work.clock_cycles = 1.98e6;
  const KernelTime time = kernel_time(device, work);
  EXPECT_EQ(time.bound, Bound::latency);
  EXPECT_NEAR(time.total, device.launch_seconds + 1e-3, 1e-9);
  Work busy = copy_work(42e6);
  const double before = kernel_time(device, busy).total;
  busy.clock_cycles = 1000;
  EXPECT_EQ(kernel_time(device, busy).total, before);
}

// Each barrier of a grid takes 0.97 to 1.05 us on an H200; what its instructions take is counted with the others.
TEST(KernelTime, BarriersOfTheGridAndFaultsAreWaitedForOneByOne) {
  const Device device;
  Work work = copy_work(42e6);
  const double before = kernel_time(device, work).total;
  work.grid_barriers = 10;
  EXPECT_NEAR(kernel_time(device, work).total, before + 10 * device.host.grid_barrier, 1e-12);
  work.grid_barriers = 0;
  work.fault_bytes = 4096;
  const double faults = kernel_time(device, work).total - before;
  EXPECT_GT(faults, device.host.fault_start);
  work.fault_bytes = 8192;
  EXPECT_LT(kernel_time(device, work).total - before - faults, device.host.fault_start / 2)
      << "the next page comes along";
}

TEST(KernelTime, WhatAKernelKeepsBusyIsItsPartOfTheTime) {
  const Device device;
  Work work = copy_work(42e6);
  const KernelTime time = kernel_time(device, work);
  const Use use = use_of(device, time, work.blocks);
  EXPECT_GT(use[0], 0.9) << "a copy needs nearly all of DRAM";
  EXPECT_LE(use[0], 1);
  EXPECT_NEAR(use[3], time.issue / time.total, 1e-9);
  EXPECT_NEAR(use_of(device, time, 1)[3], use[3] / device.sm_count, 1e-9) << "one block is on one SM";
}

TEST(KernelTime, AnEmptyKernelCostsItsLaunch) {
  const Device device;
  Work work;
  work.blocks = 1;
  const KernelTime time = kernel_time(device, work);
  EXPECT_EQ(time.bound, Bound::launch);
  EXPECT_LT(time.total, 2.5e-6);
}

TEST(KernelTime, UniformConstantsCostWhatTheirCacheDoesNotKeep) {
  const auto constant = [](double bytes) {
    Work work = copy_work(1 << 20);
    work.uniform_pieces_max_sm = 1e6;
    work.uniform_bytes = bytes;
    return kernel_time(Device(), work).constant;
  };
  EXPECT_EQ(constant(256), 0);
  EXPECT_GT(constant(768), 0);
  EXPECT_GT(constant(4096), 1.2 * constant(768));
}

TEST(KernelTime, FewBlocksThatBeginTogetherFindUniformConstants) {
  const auto constant = [](std::uint64_t blocks_per_sm, std::uint32_t resident) {
    const Device device;
    Work work = copy_work(1 << 20);
    work.blocks = blocks_per_sm * device.sm_count;
    work.resident_blocks_per_sm = resident;
    work.uniform_pieces_max_sm = 1e6;
    work.uniform_bytes = 4096;
    return kernel_time(device, work).constant;
  };
  EXPECT_LT(constant(4, 8), 0.2 * constant(8, 8));
  EXPECT_EQ(constant(4, 2), constant(8, 8)) << "a second wave begins when others are on their way";
}

}  // namespace
