/// @file
/// A unit's days: nobody waits while there is room, all wait when there is none, and who asks late for early cycles still gets them.
#include "simgpu/exec/calendar.hpp"

#include <gtest/gtest.h>

namespace simgpu::exec {
namespace {

TEST(Calendar, WhoComesAloneDoesNotWait) {
  Calendar unit;
  for (int n = 0; n < 1000; ++n) EXPECT_EQ(unit.take(n, 1), n + 1);
}

TEST(Calendar, EightTimesTheWorkTakesEightTimesAsLong) {
  Calendar unit;
  double end = 0;
  for (int warp = 0; warp < 8; ++warp)
    for (int n = 0; n < 1024; ++n) end = std::max(end, unit.take(n, 1));
  EXPECT_NEAR(end, 8 * 1024, 64);
}

// Catches a unit that only knows when it is free next.
TEST(Calendar, EarlyCyclesAreFreeThoughLaterOnesAreTaken) {
  Calendar unit;
  EXPECT_EQ(unit.take(5000, 64), 5064);
  EXPECT_EQ(unit.take(100, 4), 104);
}

TEST(Calendar, WorkOfManyDaysFillsThem) {
  Calendar unit;
  EXPECT_EQ(unit.take(32, 320), 352);
  EXPECT_EQ(unit.take(64, 1), 353) << "all days until then are full";
}

TEST(Calendar, WhatIsLongPastIsFree) {
  Calendar unit;
  unit.take(1e9, 64);
  unit.take(100, 64);
  EXPECT_EQ(unit.take(100, 2), 102);
}

}  // namespace
}  // namespace simgpu::exec
