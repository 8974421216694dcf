/// @file
/// Reads of bytes that nobody wrote, and reads that are fine.
#include "simgpu/observe/uninitialised.hpp"

#include <gtest/gtest.h>

#include "warp_access.hpp"

namespace simgpu::observe {
namespace {

using namespace testing_support;

const Site kLoad = site(0, "ld.global.f32", 30);
const Site kStore = site(1, "st.global.f32", 31);
const Site kSharedRead = site(2, "ld.shared.f32", 32);
const Site kSharedWrite = site(3, "st.shared.f32", 33);
const Site kLocalRead = site(4, "ld.local.f32", 34);

class UninitialisedTest : public testing::Test {
 protected:
  memory::DeviceMemory memory{1ull << 30};
  Findings findings;
  Uninitialised check{memory, findings};
  Machine machine{{&check}};
  const memory::Allocation* array = memory.allocate(1 << 20, memory::AllocationKind::device);

  void SetUp() override { machine.begin(); }
  void read(std::uint64_t base, std::uint64_t stride = 4, std::uint32_t bytes = 4) {
    machine.access(kLoad, machine.warp(0, 0), Memory::global, AccessKind::load, strided(base, stride), bytes);
  }
  void write(std::uint64_t base, std::uint64_t stride = 4, std::uint32_t bytes = 4) {
    machine.access(kStore, machine.warp(0, 0), Memory::global, AccessKind::store, strided(base, stride),
                   bytes);
  }
  std::size_t finish() {
    machine.end();
    return findings.all().size();
  }
};

TEST_F(UninitialisedTest, FreshDeviceMemoryIsReportedWithItsPlace) {
  read(array->base + 4096);
  ASSERT_EQ(finish(), 1u);
  const Finding& f = findings.all()[0];
  EXPECT_EQ(f.kind, FindingKind::uninitialised_read);
  EXPECT_FALSE(f.warning);
  EXPECT_EQ(f.occurrences, 32u);
  EXPECT_EQ(f.message,
            "Thread (0,0,0) of block (0,0,0) reads device memory that nobody wrote (line 30): byte 4096 of "
            "an allocation of "
            "1048576 bytes. cudaMalloc does not clear memory; fill it with cudaMemset, cudaMemcpy or a "
            "kernel first.");
}

TEST_F(UninitialisedTest, WhatACopyOrAKernelWroteIsFine) {
  check.mark_initialised(array->base, 10000);
  read(array->base);
  read(array->base + 8192 - 64);
  write(array->base + 20000, 8, 4);
  write(array->base + 20004, 8, 4);
  read(array->base + 20000, 8, 8);
  write(array->base + 40000, 16, 16);
  read(array->base + 40000, 16, 16);
  EXPECT_EQ(finish(), 0u);
}

TEST_F(UninitialisedTest, OneMissingByteIsEnough) {
  check.mark_initialised(array->base, 127);
  read(array->base);
  ASSERT_EQ(finish(), 1u);
  EXPECT_EQ(findings.all()[0].address, array->base + 127);
  EXPECT_EQ(findings.all()[0].thread.x, 31u);
}

TEST_F(UninitialisedTest, HolesBetweenStridedStoresAreSeen) {
  write(array->base, 8, 4);
  read(array->base, 8, 8);
  EXPECT_EQ(finish(), 1u);
}

TEST_F(UninitialisedTest, VariablesAndHostMemoryAreNot) {
  read(memory.allocate(4096, memory::AllocationKind::global, 256, "table")->base);
  read(memory.allocate(4096, memory::AllocationKind::managed)->base);
  read(memory.allocate(4096, memory::AllocationKind::pinned)->base);
  EXPECT_EQ(finish(), 0u);
}

TEST_F(UninitialisedTest, WrittenStaysWrittenAcrossLaunches) {
  write(array->base);
  machine.end();
  machine.begin();
  read(array->base);
  EXPECT_EQ(finish(), 0u);
}

TEST_F(UninitialisedTest, SharedMemoryStartsAnewWithEachBlock) {
  const WarpId warp = machine.warp(0, 0);
  machine.access(kSharedWrite, warp, Memory::shared, AccessKind::store, strided(0, 4));
  machine.access(kSharedRead, warp, Memory::shared, AccessKind::load, strided(0, 4));
  machine.end();
  EXPECT_EQ(findings.all().size(), 0u);
  machine.begin();
  machine.access(kSharedRead, warp, Memory::shared, AccessKind::load, strided(0, 4));
  ASSERT_EQ(finish(), 1u);
  EXPECT_FALSE(findings.all()[0].warning);
}

// Of a request whose shape is known, 64 bytes are looked at together wherever they begin: wrong where either end is left out.
TEST_F(UninitialisedTest, BothEndsOfAStretchOfSharedMemoryAreLookedAt) {
  const auto finds = [&](std::uint64_t written_from, std::uint32_t lanes) {
    Findings found;
    Uninitialised fresh{memory, found};
    Machine one{{&fresh}};
    one.begin();
    const WarpId warp = one.warp(0, 0);
    const Lanes written = strided(written_from, 4), read = strided(32, 4);
    Access a;
    a.warp = &warp;
    a.memory = Memory::shared;
    a.site = &kSharedWrite;
    a.kind = AccessKind::store;
    a.shape = 1;
    a.mask = lanes;
    a.address = written.data();
    fresh.access(a);
    a.site = &kSharedRead;
    a.kind = AccessKind::load;
    a.shape = 2;
    a.mask = 0xFFFF;
    a.address = read.data();
    fresh.access(a);
    one.end();
    return found.all().size();
  };
  EXPECT_EQ(finds(32, 0xFFFF), 0u);
  EXPECT_EQ(finds(32, 0x7FFF), 1u);  // without the last word
  EXPECT_EQ(finds(36, 0x7FFF), 1u);  // without the first
}

TEST_F(UninitialisedTest, LocalMemoryIsChecked) {
  machine.end();
  machine.info.local_bytes = 16;
  machine.begin();
  machine.access(kLocalRead, machine.warp(1, 2), Memory::local, AccessKind::load, strided(8, 0));
  ASSERT_EQ(finish(), 1u);
  EXPECT_FALSE(findings.all()[0].warning);
}

TEST_F(UninitialisedTest, CopiesOnTheDeviceCarryTheStateAlong) {
  check.mark_initialised(array->base, 100);
  check.mark_initialised(array->base + 200, 100);
  const std::uint64_t to = array->base + 65536 + 7;
  check.mark_initialised(to, 1000);
  check.copy_state(to, array->base, 300);
  EXPECT_EQ(check.first_uninitialised(to, 300), to + 100);
  EXPECT_EQ(check.first_uninitialised(to + 200, 800), std::nullopt);
}

TEST_F(UninitialisedTest, CopyingWhatNobodyWroteUndoesEarlierWrites) {
  const std::uint64_t to = array->base + (512 << 10);
  check.mark_initialised(to, 300000);
  check.copy_state(to, array->base, 300000);
  EXPECT_EQ(check.first_uninitialised(to, 1), to);
  EXPECT_EQ(check.first_uninitialised(to + 299999, 1), to + 299999);
  const memory::Allocation* variable = memory.allocate(4096, memory::AllocationKind::global, 256, "table");
  check.copy_state(to, variable->base, 4096);
  EXPECT_EQ(check.first_uninitialised(to, 4096), std::nullopt);
}

TEST_F(UninitialisedTest, UnwrittenOutputIsFoundByWhoCopiesIt) {
  EXPECT_EQ(check.first_uninitialised(array->base, 10), array->base);
  write(array->base);
  EXPECT_EQ(check.first_uninitialised(array->base, 128), std::nullopt);
  EXPECT_EQ(check.first_uninitialised(array->base, 129), array->base + 128);
}

}  // namespace
}  // namespace simgpu::observe
