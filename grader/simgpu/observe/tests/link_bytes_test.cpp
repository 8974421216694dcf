/// @file
/// What the link to the host takes for a line, against an H200 on 2026-11-29 (driver 580.159.04, CUDA 13.0.88): kernels that read or write
/// one word of mapped memory every so many bytes, a quarter of a million of them.
#include "simgpu/observe/link_bytes.hpp"

#include <gtest/gtest.h>

using namespace simgpu::observe;

namespace {

constexpr double kBytesPerNanosecond = 51;  // ModelConstants::host_link_hz

/// The line that 4-byte words each @p apart bytes touch, from its begin to @p end.
TouchedLine words(std::uint32_t apart, std::uint32_t end = kLineBytes) {
  TouchedLine line;
  for (std::uint32_t at = 0; at < end; at += apart) {
    line.sectors |= static_cast<std::uint8_t>(1u << at / kSectorBytes);
    line.bytes[at / kSectorBytes] |= 0xFu << at % kSectorBytes;
  }
  for (std::uint32_t s = 0; s < kSectorsPerLine; ++s)
    if (line.bytes[s] != 0 && line.bytes[s] != ~0u) line.partial |= static_cast<std::uint8_t>(1u << s);
  return line;
}

TEST(LinkBytes, ReadsOfFewSectorsTakeNearlyAsLongAsLines) {
  EXPECT_NEAR(link_read_bytes(1) / kBytesPerNanosecond, 1.5, 0.1);
  EXPECT_NEAR(link_read_bytes(2) / kBytesPerNanosecond, 2.0, 0.3) << "1.7 side by side, 2.2 apart";
  EXPECT_NEAR(link_read_bytes(4) / kBytesPerNanosecond, 2.75, 0.3);
}

TEST(LinkBytes, WhatIsStoredInPartsGoesPieceByPiece) {
  for (const std::uint32_t apart : {8u, 16u, 32u}) {
    const double each = link_write_bytes(words(apart)) / (128.0 / apart) / kBytesPerNanosecond;
    EXPECT_NEAR(each, 2.03, 0.1) << apart << " bytes apart";
  }
  EXPECT_NEAR(link_write_bytes(words(4)) / 32 / kBytesPerNanosecond, 0.083, 0.01) << "side by side";
  EXPECT_NEAR(link_write_bytes(words(4, 64)) / kBytesPerNanosecond, 1.42, 0.1)
      << "half a line, whole sectors";
}

TEST(LinkBytes, RunsGoOnFromSectorToSector) {
  EXPECT_EQ(runs_of(words(4)), 1u);
  EXPECT_EQ(runs_of(words(64)), 2u);
  TouchedLine across;
  across.bytes[0] = 0xF000'0000u, across.bytes[1] = 0xFu;
  EXPECT_EQ(runs_of(across), 1u);
}

}  // namespace
