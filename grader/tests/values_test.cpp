/// @file
/// What inputs are made of: properties that the checks rely on.
#include "judge/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace course;

std::vector<float> floats(const values& with, std::size_t count, std::uint64_t seed,
                          std::uint64_t first = 0) {
  std::vector<float> data(count);
  with.fill(data.data(), element::f32, first, count, seed);
  return data;
}

TEST(values, the_same_however_the_range_is_cut) {
  for (const auto* with : {&one_sided, &distinct, &uniform}) {
    const auto whole = floats(*with, 1000, 42);
    const auto part = floats(*with, 300, 42, 500);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 500));
    std::vector<float> parallel(1000);
    fill_parallel(*with, element::f32, parallel.data(), parallel.size(), 42);
    EXPECT_EQ(parallel, whole);
    EXPECT_NE(floats(*with, 1000, 43), whole);
  }
}

TEST(values, half_precision_rounds_every_one_sided_value_down) {
  double lost = 0;
  for (const float value : floats(one_sided, 100'000, 7)) {
    EXPECT_GE(value, 1);
    EXPECT_LT(value, 2);
    const float half = std::floor(value * 1024) / 1024;  // half precision keeps ten bits here
    EXPECT_GT(value, half);
    EXPECT_LT(value - half, 0x1p-11f);  // less than half of its last: rounded down
    lost += value - half;
  }
  EXPECT_NEAR(lost / 100'000, 0x1p-12, 0x1p-19);
}

// What a plain loop over some thousand elements does is no mistake: a fixed low part of 2^-12 made this sum
// 5e-5 too small.
TEST(values, a_long_sum_in_single_precision_is_near_the_true_one) {
  float single = 0;
  double exact = 0;
  for (const float value : floats(one_sided, 5'000, 11)) {
    single += value;
    exact += value;
  }
  EXPECT_NEAR(single / exact, 1, 1e-5);
}

TEST(values, distinct_ones_are) {
  auto data = floats(distinct, 1 << 20, 3);
  EXPECT_TRUE(
      std::all_of(data.begin(), data.end(), [](float value) { return std::isfinite(value) && value != 0; }));
  std::sort(data.begin(), data.end());
  EXPECT_EQ(std::adjacent_find(data.begin(), data.end()), data.end());
}

}  // namespace
