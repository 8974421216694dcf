/// @file
/// What reaches DRAM: granules, write-back, data that fit and data that do not.
#include "simgpu/observe/caches.hpp"

#include <gtest/gtest.h>

namespace simgpu::observe {
namespace {

constexpr std::uint64_t kL2Bytes = 5 * 1024 * 1024;

std::uint64_t read_bytes_of(L2Cache& l2, std::uint64_t bytes, std::uint64_t stride) {
  DramTraffic dram;
  for (std::uint64_t at = 0; at < bytes; at += stride) {
    l2.load(line_tag(at / kLineBytes), static_cast<std::uint8_t>(1u << (at / kSectorBytes % kSectorsPerLine)),
            false, dram);
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
  read_bytes_of(l2, 4 << 20, 32);
  EXPECT_EQ(read_bytes_of(l2, 4 << 20, 32), 0u);
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
      l2->load(line_tag(line), 0xF, l2 == &kept, dram);  // a stream, with and without the hint
    }
  }
  EXPECT_LT(read_bytes_of(kept, 2 << 20, 32), 100u * 1024);
  EXPECT_EQ(read_bytes_of(lost, 2 << 20, 32), 2ull << 20);
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
