/// @file
/// Sectors of a request, against what the profiler counted on an H200 for the same address patterns.
#include "simgpu/observe/coalescing.hpp"

#include <gtest/gtest.h>

#include "warp_access.hpp"

namespace simgpu::observe {
namespace {

using testing_support::kAll;
using testing_support::kBase;
using testing_support::lanes;
using testing_support::strided;

// Mean sectors over the warps of a row of @p warps warps whose lanes are @p stride bytes apart.
double mean_sectors(std::uint64_t base, std::uint64_t stride, std::uint32_t bytes, std::uint32_t warps) {
  double sum = 0;
  for (std::uint32_t w = 0; w < warps; ++w)
    sum += sectors_of(strided(base + 32ull * stride * w, stride).data(), kAll, bytes);
  return sum / warps;
}

TEST(Sectors, CoalescedAccessesOfEveryWidth) {
  EXPECT_EQ(sectors_of(strided(kBase, 1).data(), kAll, 1), 1u);
  EXPECT_EQ(sectors_of(strided(kBase, 2).data(), kAll, 2), 2u);
  EXPECT_EQ(sectors_of(strided(kBase, 4).data(), kAll, 4), 4u);  // copy, 4 B: 4.00
  EXPECT_EQ(sectors_of(strided(kBase, 8).data(), kAll, 8), 8u);
  EXPECT_EQ(sectors_of(strided(kBase, 16).data(), kAll, 16), 16u);  // copy, float4: 16.00
  EXPECT_EQ(sectors_of(strided(kBase, 32).data(), kAll, 32), 32u);
}

TEST(Sectors, MisalignedCopyTakesOneMore) {
  EXPECT_DOUBLE_EQ(mean_sectors(kBase + 4, 4, 4, 64), 5.0);  // both misaligned by 4 B: 5.00
}

TEST(Sectors, StencilOfSevenLoads) {
  // Radius 3, the input moved so that output i reads i .. i + 6 of it: 1 load in 8 is aligned.
  // Measured: 4.86.
  double sum = 0;
  for (std::uint64_t k = 0; k < 7; ++k) sum += mean_sectors(kBase + 4 * k, 4, 4, 8);
  EXPECT_NEAR(sum / 7, 4.86, 0.005);
}

TEST(Sectors, StencilInRegistersWithFloat4) {
  // Three float4 a thread: own, and those on either side, which begin 16 bytes before a sector.
  // Measured: 16.67.
  const double sum = mean_sectors(kBase - 16, 16, 16, 8) + mean_sectors(kBase, 16, 16, 8) +
                     mean_sectors(kBase + 16, 16, 16, 8);
  EXPECT_NEAR(sum / 3, 16.67, 0.005);
}

TEST(Sectors, ChunkWalkTouchesASectorALane) {
  EXPECT_EQ(sectors_of(strided(kBase, 512).data(), kAll, 4), 32u);  // 32.00
}

TEST(Sectors, StructsOf24Bytes) {
  EXPECT_EQ(sectors_of(strided(kBase, 24).data(), kAll, 8), 24u);  // AoS to SoA, struct load: 24.00
  EXPECT_EQ(sectors_of(strided(kBase + 16, 24).data(), kAll, 8), 24u);
}

TEST(Sectors, RowsOfOddWidth) {
  // Rows of 4097 floats: each row begins 4 bytes further. 129 warps a row, the last with one lane.
  // Measured: 4.84.
  double sectors = 0;
  std::uint64_t requests = 0;
  for (std::uint64_t row = 0; row < 8; ++row) {
    for (std::uint64_t warp = 0; warp < 129; ++warp) {
      const std::uint32_t mask = warp < 128 ? kAll : 1u;
      sectors += sectors_of(strided(kBase + 4 * (row * 4097 + 32 * warp), 4).data(), mask, 4);
      ++requests;
    }
  }
  EXPECT_NEAR(sectors / static_cast<double>(requests), 4.84, 0.01);
}

TEST(Sectors, BroadcastAndInactiveLanes) {
  EXPECT_EQ(sectors_of(strided(kBase + 100, 0).data(), kAll, 4), 1u);
  EXPECT_EQ(sectors_of(strided(kBase, 128).data(), 0x8001u, 4), 2u);
}

TEST(Footprint, KnowsPartlyTouchedSectorsAndTheIdeal) {
  Footprint f;
  footprint_of(strided(kBase, 24).data(), kAll, 8, f);
  EXPECT_EQ(f.distinct_bytes, 256u);
  EXPECT_EQ(f.ideal_sectors(), 8u);
  EXPECT_EQ(f.line_count, 6u);
  EXPECT_EQ(f.lines[0].partial, 0xF) << "8 of every 24 bytes fill no sector";
  footprint_of(strided(kBase, 4).data(), kAll, 4, f);
  EXPECT_EQ(f.lines[0].partial, 0);
  EXPECT_EQ(f.lines[0].sectors, 0xF);
}

TEST(Footprint, OverlappingLanesCountOnce) {
  Footprint f;
  footprint_of(lanes([](std::uint32_t lane) { return kBase + 4 * (lane / 2); }).data(), kAll, 8, f);
  EXPECT_EQ(f.distinct_bytes, 68u);
}

TEST(TagWavefronts, FewerThanFiveLinesInARowPassTogether) {
  Footprint f;
  footprint_of(strided(kBase, 16).data(), kAll, 16, f);
  EXPECT_EQ(tag_wavefronts_of(f), 1u);
  // Published counters for float strides (gpu-strides), averaged over many bases. The rule is approximate,
  // hence the band.
  const std::pair<std::uint64_t, double> published[] = {{1, 1.00}, {2, 1.22},  {3, 1.62}, {4, 1.84},
                                                        {8, 2.72}, {12, 3.62}, {15, 4.59}};
  for (const auto& [stride, expected] : published) {
    double sum = 0;
    for (std::uint64_t i = 0; i < 8192; ++i) {
      footprint_of(strided(kBase + 4 * i, 4 * stride).data(), kAll, 4, f);
      sum += tag_wavefronts_of(f);
    }
    EXPECT_NEAR(sum / 8192, expected, 0.08 * expected) << "stride " << stride;
  }
}

}  // namespace
}  // namespace simgpu::observe
