/// @file
/// The text form, whole: what a student sees.
#include <string>

#include "gtest/gtest.h"
#include "simgpu/report/report.hpp"
#include "simgpu/report/tests/sample.hpp"
#include "simgpu/report/units.hpp"

namespace simgpu::report {
namespace {

TEST(Text, ReadsWithoutAManual) {
  EXPECT_EQ(
      to_text(testing::sample()),
      R"(Simulated H200, 1/12 slice: 11 SMs; rates in [brackets] are for the whole card, 12 times as large. Times are modelled, counts are exact.

transpose(float const*, float*, int)   2 launches
  shape      grid 128 x 128, block 32 x 8, 4096 B shared memory per block, 18 registers per thread
  time       40.0 us in all, 20.0 us each, bound by device memory (DRAM)
  DRAM       100 GB/s [1200 GB/s], 29 % of the roof (what the best copy reaches)
  each alone DRAM 90 %, L2 20 %, L1 and shared 50 %, issue 5.0 %, latency 25 %, launch 10.0 %
  occupancy  75 %: 6 blocks on each SM at a time, limited by shared memory
  lines, the most wasteful first  requests   each (the fewest possible)
    transpose.cu:12 shared load       2000  32.0 wavefronts (1.0)      bank conflicts: 31.0 excess wavefronts a request
    transpose.cu:14 global store      8192  32.0 sectors    (4.0)      12.5 % of the bytes moved are used
    transpose.cu:20 local load          20   4.0 sectors    (4.0)      2.56 kB through local memory: an array that does not fit registers
    transpose.cu:9 global load        8192   4.0 sectors    (4.0)

Timeline of 40.0 us; a column is 500 ns; # kernel, > copy to device, < copy to host, = within the device
  stream 1                 >>>>>>>>>>>>>>>>>>>>########################################....................
  stream 2                 ....................>>>>>>>>>>>>>>>>>>>>########################################
  something ran 100 % of the time, two or more operations at once 50 %

Findings: 1 error, 0 warnings
  error: race at transpose.cu:12 in transpose(float const*, float*, int), 12 times
    Thread (33,0,0) reads shared word 0x104 at line 12 that thread (65,0,0) wrote at line 10, and no __syncthreads lies between them.

Copies: 1.05 MB to the device, 0 B back, 0 B within it.
Not simulated, answered with cudaErrorNotSupported: cudaGraphAddNode.
Modelled time in all: 41.5 us.
)");
}

TEST(Text, SaysSoWhenNothingIsWasted) {
  Report report = testing::sample();
  for (LaunchReport& launch : report.launches) launch.sites = {launch.sites[2]};
  EXPECT_NE(to_text(report).find("waste      none"), std::string::npos);
  // One odd sector in a thousand is not a lesson.
  report.launches[0].sites[0].sectors += 8;
  EXPECT_NE(to_text(report).find("waste      none"), std::string::npos);
  EXPECT_NE(to_text(Report{}).find("No kernel was launched."), std::string::npos);
}

TEST(Text, ShortensNamesOfTemplateLibraries) {
  Report report = testing::sample();
  report.launches.resize(1);
  report.launches[0].mangled =
      "_ZN3cub17CUB_300001_SM_9006detail6reduce28DeviceReduceSingleTileKernelINS2_10policy_hubIfyN4cuda3std3_"
      "_44plusIfEEE10"
      "Policy1000EPfSC_iS9_ffNS7_10__identityEEEvT0_T1_T2_T3_T4_T6_";
  EXPECT_NE(to_text(report).find("DeviceReduceSingleTileKernel<...>(...)\n"), std::string::npos)
      << to_text(report);
}

TEST(Text, OfManyKernelsShowsTheLongest) {
  Report report = testing::sample();
  const LaunchReport one = report.launches[0];
  report.launches.clear();
  for (std::uint32_t n = 1; n <= 15; ++n) {
    report.launches.push_back(one);
    report.launches.back().block.x = n;  // a shape of its own
    report.launches.back().timing.seconds = n * 1e-6;
  }
  const std::string text = to_text(report);
  EXPECT_NE(text.find("Kernels by modelled time\n   12.5 %    15.0 us        1 launch"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("block 3 x 8"), std::string::npos);
  EXPECT_LT(text.find("block 4 x 8"), text.find("block 15 x 8"));  // whole ones in order of launch
  EXPECT_NE(text.find("And 3 more kernels or shapes, 5.0 % of the kernels' time"), std::string::npos) << text;
}

TEST(Text, SaysWhatASmallGridLeavesIdle) {
  Report report = testing::sample();
  report.launches.resize(1);
  report.launches[0].grid = {3, 2, 1};
  report.launches[0].timing.occupancy_limiter = "grid";
  EXPECT_NE(
      to_text(report).find("occupancy  75 %: the grid has only 6 blocks for 11 SMs; 6 would fit on each"),
      std::string::npos);
}

TEST(Text, DrawsNoTimelineOfOneStream) {
  Report report = testing::sample();
  report.timeline.operations.resize(1);
  EXPECT_EQ(to_text(report).find("Timeline"), std::string::npos);
}

TEST(Text, PaintsOnlyWhenAsked) {
  EXPECT_EQ(to_text(testing::sample()).find('\033'), std::string::npos);
  EXPECT_NE(to_text(testing::sample(), {.colour = true}).find("\033[1;31merror: race"), std::string::npos);
}

TEST(Units, KeepThreeDigits) {
  EXPECT_EQ(time_text(1.234e-8), "12.3 ns");
  EXPECT_EQ(time_text(999.96e-6), "1.00 ms");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1.5e6), "1.50 MB");
  EXPECT_EQ(rate_text(3.49e11), "349 GB/s");
  EXPECT_EQ(percent_text(0.125), "12.5 %");
  EXPECT_EQ(percent_text(0.523), "52 %");
  EXPECT_EQ(percent_text(0.00523), "0.52 %");
}

}  // namespace
}  // namespace simgpu::report
