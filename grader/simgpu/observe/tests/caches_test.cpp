/// @file
/// What reaches DRAM: granules, write-back, data that fit and data that do not.
#include "simgpu/observe/caches.hpp"

#include <gtest/gtest.h>

namespace simgpu::observe {
namespace {

constexpr std::uint64_t kL2Bytes = 5 * 1024 * 1024;

// Each 4 KiB are read by SMs of one half.
std::uint64_t read_bytes_of(L2Cache& l2, std::uint64_t bytes, std::uint64_t stride) {
  DramTraffic dram;
  for (std::uint64_t at = 0; at < bytes; at += stride) {
    l2.load(line_tag(at / kLineBytes), static_cast<std::uint8_t>(1u << (at / kSectorBytes % kSectorsPerLine)),
            false, static_cast<std::uint32_t>(at / 4096), dram);
  }
  return dram.read_bytes;
}

TouchedLine whole_line() {
  return {0, 0xF, 0, {~0u, ~0u, ~0u, ~0u}};
}

TEST(L2, StreamingReadsEachByteOnce) {
  L2Cache l2(kL2Bytes);
  EXPECT_EQ(read_bytes_of(l2, 64 << 20, 32), 64ull << 20);
}

TEST(L2, IsolatedSectorsCost64Bytes) {
  L2Cache l2(kL2Bytes);
  EXPECT_EQ(read_bytes_of(l2, 64 << 20, 64), 64ull << 20) << "every second sector brings its neighbour";
  EXPECT_EQ(read_bytes_of(l2, 64 << 20, 128), 32ull << 20);
}

TEST(L2, KeepsWhatFits) {
  L2Cache l2(kL2Bytes);
  read_bytes_of(l2, 3 << 20, 32);
  EXPECT_EQ(read_bytes_of(l2, 3 << 20, 32), 0u);
}

TEST(L2, LosesWhatDoesNotFit) {
  L2Cache l2(kL2Bytes);
  read_bytes_of(l2, 10 << 20, 32);
  EXPECT_GT(read_bytes_of(l2, 10 << 20, 32), 9ull << 20);
}

TEST(L2, WritesBackOnceAndWithoutFetching) {
  L2Cache l2(kL2Bytes);
  DramTraffic dram;
  for (std::uint64_t line = 0; line < (16 << 20) / kLineBytes; ++line)
    l2.store(line_tag(line), whole_line(), false, dram);
  EXPECT_GT(dram.write_bytes, 10ull << 20);
  l2.flush(dram);
  EXPECT_EQ(dram.write_bytes, 16ull << 20);
  EXPECT_EQ(dram.read_bytes, 0u);
  l2.flush(dram);
  EXPECT_EQ(dram.write_bytes, 16ull << 20) << "flushed lines are clean";
}

TEST(L2, PartsOfASectorMergeBeforeTheyAreWritten) {
  L2Cache l2(kL2Bytes);
  DramTraffic dram;
  for (std::uint32_t part = 0; part < 8; ++part) {
    TouchedLine line{0, 1, 1, {}};
    line.bytes[0] = 0xFu << (4 * part);
    l2.store(7, line, false, dram);
  }
  l2.flush(dram);
  EXPECT_EQ(dram.write_bytes, 32u);
  EXPECT_EQ(dram.read_bytes, 0u) << "all 32 bytes came from stores";
  TouchedLine line{0, 1, 1, {}};
  line.bytes[0] = 0xF;
  l2.store(8, line, false, dram);
  l2.flush(dram);
  EXPECT_EQ(dram.read_bytes, 32u) << "the rest of the sector had to be fetched";
}

TEST(L2, EvictFirstLinesLeaveBeforeOthers) {
  L2Cache kept(kL2Bytes), lost(kL2Bytes);
  for (auto* l2 : {&kept, &lost}) {
    DramTraffic dram;
    read_bytes_of(*l2, 2 << 20, 32);  // a table
    for (std::uint64_t line = 1 << 20; line < (1 << 20) + (64 << 20) / kLineBytes; ++line) {
      l2->load(line_tag(line), 0xF, l2 == &kept, static_cast<std::uint32_t>(line / 32),
               dram);  // a stream, with and without the hint
    }
  }
  EXPECT_LT(read_bytes_of(kept, 2 << 20, 32), 100u * 1024);
  EXPECT_EQ(read_bytes_of(lost, 2 << 20, 32), 2ull << 20);
}

// An H200 keeps 60 MB that each SM reads for itself, but not 40 MB that all of them read.
TEST(L2, WhatBothHalvesReadTakesTwoPlaces) {
  const auto second_pass = [](std::uint64_t bytes, bool by_all) {
    L2Cache l2(kL2Bytes);
    std::uint64_t before = 0;
    DramTraffic dram;
    for (int pass = 0; pass < 2; ++pass) {
      before = dram.read_bytes;
      for (std::uint64_t line = 0; line < bytes / kLineBytes; ++line)
        for (std::uint32_t side = 0; side < 2; ++side)
          if (by_all || side == line / 32 % 2) l2.load(line_tag(line), 0xF, false, side, dram);
    }
    return dram.read_bytes - before;
  };
  EXPECT_LT(second_pass(7 * kL2Bytes / 10, false), kL2Bytes / 20);
  EXPECT_GT(second_pass(7 * kL2Bytes / 10, true), kL2Bytes / 2);
  EXPECT_LT(second_pass(4 * kL2Bytes / 10, true), kL2Bytes / 20);
  EXPECT_EQ(second_pass(4 * kL2Bytes, true), 4 * kL2Bytes)
      << "the home has what the other half asks for a moment later";
}

// Written again and again: long before the L2 is full, it begins to write back, and keeps the lines.
TEST(L2, WritesBackEarlyWhenMuchIsDirty) {
  for (const auto [share, least, most] : {std::array{0.4, 0.0, 0.02}, {0.75, 0.1, 0.5}, {1.2, 0.5, 0.9}}) {
    L2Cache l2(kL2Bytes);
    const auto lines = static_cast<std::uint64_t>(share * kL2Bytes / kLineBytes);
    DramTraffic dram;
    constexpr int kPasses = 4;
    for (int pass = 0; pass < kPasses; ++pass)
      for (std::uint64_t line = 0; line < lines; ++line) l2.store(line_tag(line), whole_line(), false, dram);
    const double written =
        static_cast<double>(dram.write_bytes) / static_cast<double>(kPasses * lines * kLineBytes);
    EXPECT_GE(written, least) << share;
    EXPECT_LE(written, most) << share;
    EXPECT_EQ(dram.read_bytes, 0u);
  }
}

// Chunk walks: the lines that are written push out those that are read.
TEST(L1, StoresTakeLinesPlaces) {
  L1Cache l1;
  l1.reset(128 * 1024);
  for (const bool stores : {false, true}) {
    std::uint32_t hits = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (std::uint32_t line = 0; line < 100 * 1024 / kLineBytes; ++line) {
        hits += l1.load(line, 1, false) != 0;
        if (stores) l1.store(line + (1u << 20), false);
      }
    if (stores)
      EXPECT_LT(hits, 100u);
    else
      EXPECT_EQ(hits, 800u);
    l1.reset(128 * 1024);
  }
  l1.store(7, false);
  EXPECT_EQ(l1.load(7, 1, false), 0) << "what was stored is not there to be read";
}

TEST(L1, HoldsSectorsNotLines) {
  L1Cache l1;
  l1.reset(128 * 1024);
  EXPECT_EQ(l1.load(5, 0b0011, false), 0);
  EXPECT_EQ(l1.load(5, 0b0110, false), 0b0010);
  l1.drop(5, 0b0001);
  EXPECT_EQ(l1.load(5, 0b1111, false), 0b0110);
  l1.reset(128 * 1024);
  EXPECT_EQ(l1.load(5, 0b1111, false), 0);
  l1.reset(0);
  EXPECT_EQ(l1.load(5, 0b1111, false), 0) << "no cache at all";
}

}  // namespace
}  // namespace simgpu::observe
