/// @file
/// What inputs are made of: properties that the checks rely on.
#include "judge/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

using namespace course;

std::vector<float> floats(const values& with, std::size_t count, std::uint64_t seed,
                          std::uint64_t first = 0) {
  std::vector<float> data(count);
  with.fill(data.data(), scalar::f32, first, count, seed);
  return data;
}

TEST(values, the_same_however_the_range_is_cut) {
  for (const auto* with : {&one_sided, &distinct, &uniform}) {
    const auto whole = floats(*with, 1000, 42);
    const auto part = floats(*with, 300, 42, 500);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 500));
    std::vector<float> parallel(1000);
    fill_parallel(*with, element_of<float>::value, parallel.data(), parallel.size(), 42);
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

// Sums of absolute values passed on positive data, and sums of values rounded to bfloat16 on long ones: their errors averaged out.
TEST(values, signed_ones_have_both_signs_and_a_low_part_that_short_formats_lose) {
  double lost_by_half = 0, lost_by_bfloat16 = 0;
  int negative = 0;
  for (const float value : floats(signed_one_sided, 100'000, 7)) {
    negative += value < 0;
    lost_by_half += value - static_cast<float>(half(value));
    lost_by_bfloat16 += value - static_cast<float>(bfloat16(value));
  }
  EXPECT_NEAR(negative, 50'000, 1'000);
  EXPECT_NEAR(lost_by_half / 100'000, 0x1p-12, 0x1p-19);
  EXPECT_NEAR(lost_by_bfloat16 / 100'000, 0x1p-12, 0x1p-19);
}

TEST(values, sixteen_bit_floats_round_as_the_hardware_does) {
  EXPECT_EQ(half(65504.0f).bits, 0x7bff);
  EXPECT_EQ(half(65520.0f).bits, 0x7c00);  // rounds to infinity
  EXPECT_EQ(half(0x1p-24f).bits, 1);
  EXPECT_EQ(half(1.0f + 0x1p-11f).bits, 0x3c00);  // a tie goes to even
  EXPECT_EQ(bfloat16(1.0f + 0x1p-8f).bits, 0x3f80);
  EXPECT_EQ(static_cast<float>(bfloat16(3.140625f)), 3.140625f);
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    half one;
    one.bits = static_cast<std::uint16_t>(bits);
    ASSERT_EQ(half(static_cast<float>(one)).bits, bits);
  }
}

struct gappy {
  std::uint8_t kind;
  double weight;
};

}  // namespace

COURSE_RECORD(gappy, COURSE_FIELD(gappy, kind), COURSE_FIELD(gappy, weight));

namespace {

TEST(values, records_are_filled_field_by_field_the_same_however_cut) {
  const auto& type = element_of<gappy>::value;
  EXPECT_FALSE(type.is_flat());
  std::vector<gappy> whole(100), part(30);
  fill_elements(distinct, type, whole.data(), 0, 100, 5);
  fill_elements(distinct, type, part.data(), 50, 30, 5);
  EXPECT_EQ(std::memcmp(part.data(), whole.data() + 50, sizeof(gappy) * 30), 0);
  EXPECT_NE(whole[0].weight, whole[1].weight);
}

}  // namespace
