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
  waste
    transpose.cu:12 shared load   32.0 wavefronts per request where 1.0 would do: 31.0 excess, from bank conflicts
    transpose.cu:14 global store  32.0 sectors per request where 4.0 would do: 12.5 % of the bytes moved are used
    transpose.cu:20 local load    2.56 kB through local memory: an array that does not fit registers

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
