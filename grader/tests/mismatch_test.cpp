/// @file
/// The mismatch report: what counts as wrong, and what it says about where.
#include "judge/mismatch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace {

using namespace course;

// Compares an output of @p count ones of which those that @p wrong names hold @p value.
struct compared : mismatches {
  using mismatches::mismatches;
  compared(const output_geometry& geometry, element type, const void* actual,
           std::span<const double> expected, const tolerance& within)
      : mismatches(geometry) {
    compare(type, actual, 0, expected, within, 0x7fffffff);
  }
};

compared compare_ones(const output_geometry& geometry, const std::function<bool(std::size_t)>& wrong,
                      float value = 3) {
  std::vector<float> actual(geometry.count, 1);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (wrong(i)) actual[i] = value;
  }
  const std::vector<double> expected(geometry.count, 1);
  return {geometry, element::f32, actual.data(), expected, relative(1e-5)};
}

std::string clusters_of(const output_geometry& geometry, const std::function<bool(std::size_t)>& wrong) {
  std::string all;
  for (const auto& line : compare_ones(geometry, wrong).clusters()) all += line + "\n";
  return all;
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << text

TEST(mismatch, one_lane) {
  EXPECT_SAYS(clusters_of({1024, 0, 256}, [](std::size_t i) { return i % 32 == 31; }), "all in lane 31");
}
TEST(mismatch, last_partial_block) {
  EXPECT_SAYS(clusters_of({1000, 0, 256}, [](std::size_t i) { return i >= 768; }),
              "last, partial block of 256 threads");
}
TEST(mismatch, block_edges) {
  EXPECT_SAYS(clusters_of({1024, 0, 128}, [](std::size_t i) { return i % 128 < 3 || i % 128 >= 125; }),
              "block's edge (blocks of 128)");
}
TEST(mismatch, one_warp) {
  EXPECT_SAYS(clusters_of({1024, 0, 128}, [](std::size_t i) { return i % 128 / 32 == 2; }), "all in warp 2");
}
TEST(mismatch, first_warp_only_is_right) {
  EXPECT_SAYS(clusters_of({1024, 0, 128}, [](std::size_t i) { return i % 128 >= 32; }),
              "none in the first warp");
}
TEST(mismatch, grid_too_small) {
  EXPECT_SAYS(clusters_of({1024, 0, 128}, [](std::size_t i) { return i >= 300; }),
              "everything from element 300 on");
}
TEST(mismatch, rows_and_columns) {
  EXPECT_SAYS(clusters_of({100 * 64, 64, 0}, [](std::size_t i) { return i / 64 >= 96; }), "guard on the row");
  EXPECT_SAYS(clusters_of({64 * 70, 70, 0}, [](std::size_t i) { return i % 70 >= 64; }),
              "guard on the column");
  EXPECT_SAYS(clusters_of({64 * 64, 64, 0}, [](std::size_t i) { return i % 64 % 32 == 31; }),
              "column % 32 == 31");
  EXPECT_SAYS(clusters_of({64 * 64, 64, 0}, [](std::size_t i) { return i / 64 % 32 != i % 64 % 32; }),
              "row and column are swapped");
}
TEST(mismatch, constant_factor) {
  EXPECT_SAYS(clusters_of({64, 0, 0}, [](std::size_t) { return true; }), "3 times what it should be");
}

TEST(mismatch, first_five_in_order_and_count) {
  const auto found = compare_ones({1000, 0, 0}, [](std::size_t i) { return i >= 10 && i < 30; });
  EXPECT_EQ(found.count(), 20u);
  ASSERT_EQ(found.first().size(), 5u);
  EXPECT_EQ(found.first().front().index, 10u);
  EXPECT_EQ(found.first().back().index, 14u);
}

TEST(mismatch, nan_and_infinity_never_pass) {
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    EXPECT_EQ(compare_ones(
                  {4, 0, 0}, [](std::size_t i) { return i == 2; }, value)
                  .non_finite(),
              1u);
  }
  // Not even where the tolerance is infinite for practical purposes.
  EXPECT_FALSE((tolerance{1e30, 1e30, false}.accepts(1, NAN)));
}

TEST(mismatch, poison_is_unwritten) {
  std::vector<float> actual(8, 1);
  const auto poison = poison_bits(element::f32, 5);
  fill_poison(element::f32, actual.data() + 6, 2, poison);
  mismatches found({8, 0, 0});
  found.compare(element::f32, actual.data(), 0, std::vector<double>(8, 1), relative(1e-5), poison);
  EXPECT_EQ(found.unwritten(), 2u);
  EXPECT_EQ(found.non_finite(), 0u);
}

TEST(mismatch, bitwise_tells_zeros_apart) {
  const float minus_zero = -0.0f;
  mismatches found({1, 0, 0});
  found.compare(element::f32, &minus_zero, 0, std::vector<double>{0}, exact(), 1);
  EXPECT_EQ(found.count(), 1u);
}

}  // namespace
