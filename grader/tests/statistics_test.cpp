/// @file
/// The arithmetic behind bandwidth verdicts.
#include "judge/statistics.hpp"

#include <gtest/gtest.h>

#include <random>

namespace {

using namespace course::statistics;

// Blocks of noisy pairs with a true ratio, an outlier now and then, and a bias for each block.
std::vector<block> noisy_blocks(double ratio, double noise, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<block> blocks(static_cast<std::size_t>(count));
  for (auto& one : blocks) {
    const double bias = 0.3 * normal(random);
    for (int pair = 0; pair < 31; ++pair) {
      one.reference_seconds.push_back(1e-3 * (1 + normal(random) + (uniform(random) < 0.01 ? 0.3 : 0)));
      one.student_seconds.push_back(1e-3 / ratio *
                                    (1 + normal(random) + bias + (uniform(random) < 0.01 ? 0.3 : 0)));
    }
  }
  return blocks;
}

TEST(statistics, median_of_none_one_even_odd) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({9, 1, 5}), 5);
}

TEST(statistics, outliers_do_not_move_the_ratio) {
  const auto found = estimate_ratio(noisy_blocks(0.8, 0.01, 5, 1));
  EXPECT_NEAR(found.ratio, 0.8, 0.01);
  EXPECT_EQ(found.pairs, 5 * 31);
}

TEST(statistics, clear_cases_are_decided_and_close_ones_are_not) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(decide(estimate_ratio(noisy_blocks(0.90, 0.01, 5, seed)), 0.80), std::optional(true)) << seed;
    EXPECT_EQ(decide(estimate_ratio(noisy_blocks(0.70, 0.01, 5, seed)), 0.80), std::optional(false)) << seed;
  }
  int undecided = 0;
  for (unsigned seed = 0; seed < 50; ++seed)
    undecided += !decide(estimate_ratio(noisy_blocks(0.80, 0.01, 5, seed)), 0.80).has_value();
  EXPECT_GE(undecided, 40);
}

TEST(statistics, reference_agrees_with_itself_unless_it_does_not) {
  auto blocks = noisy_blocks(1.0, 0.005, 3, 7);
  EXPECT_NEAR(self_ratio(blocks), 1, 0.01);
  for (auto& one : blocks) {
    for (std::size_t i = 0; i < one.reference_seconds.size(); ++i)
      if (i % 4 > 1) one.reference_seconds[i] *= 1.1;
  }
  EXPECT_GT(self_ratio(blocks), 1.05);
}

// Pairs are AB, BA, AB, ...: what comes first may take longer, whoever it is.
TEST(statistics, being_first_in_a_pair_costs_nobody_anything) {
  auto blocks = noisy_blocks(0.9, 0.005, 5, 3);
  for (auto& one : blocks)
    for (std::size_t i = 0; i < one.reference_seconds.size(); ++i)
      (i % 2 ? one.reference_seconds : one.student_seconds)[i] *= 1.3;
  const auto found = estimate_ratio(blocks);
  EXPECT_NEAR(found.ratio, 0.9, 0.01);
  EXPECT_LT(found.high - found.low, 0.03);
  EXPECT_NEAR(self_ratio(blocks), 1, 0.01);
}

TEST(statistics, zero_times_are_left_out) {
  const std::vector<block> blocks{{{0, 1}, {1, 0.5}}};
  EXPECT_NEAR(estimate_ratio(blocks).ratio, 0.5, 1e-9);
}

}  // namespace
