/// @file
/// What is said while a kernel runs.
#include "simgpu/device/services.hpp"

#include <gtest/gtest.h>

namespace simgpu::device {
namespace {

TEST(StillRunning, NamesTheKernelAsItsSourceDoes) {
  EXPECT_EQ(
      still_running("_Z5scalePfi", 10.2, 83'400'000, 4'000'000'000, 2215, 4096),
      "scale(float*, int) has been simulated for 10 s: 83 million warp instructions, 2215 of 4096 blocks "
      "begun; it is stopped after 4000 million.");
}

TEST(StillRunning, LeavesOutWhatATemplateIsMadeOf) {
  std::string longer = "_Z4sortI";
  for (int k = 0; k < 60; ++k) longer += "Pf";
  EXPECT_EQ(still_running(longer + "EvPfi", 10, 0, 0, 1, 1).substr(0, 40),
            "sort<...>(...) has been simulated for 10");
}

TEST(StillRunning, SaysNothingOfALimitThatIsNotThere) {
  EXPECT_EQ(still_running("scale", 20, 1'000'000, 0, 1, 1),
            "scale has been simulated for 20 s: 1 million warp instructions, 1 of 1 blocks begun.");
}

}  // namespace
}  // namespace simgpu::device
