/// @file
/// The mismatch report: what counts as wrong, and what it says about where.
#include "judge/mismatch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#include "judge/case_data.hpp"
#include "judge/oracle.hpp"
#include "judge/problem.hpp"

extern "C" void nobodys_run(const float* in, float* out, CUstream_st* stream);

namespace {

using namespace course;

// Compares an output of @p count ones of which those that @p wrong names hold @p value.
struct compared : mismatches {
  using mismatches::mismatches;
  compared(const output_geometry& geometry, const std::vector<float>& actual,
           const std::vector<double>& expected, const tolerance& within,
           const poison_pattern& poison = make_poison(element_of<float>::value, 1))
      : mismatches(geometry) {
    compare({element_of<float>::value, actual.data(), 0, actual.size(), element_of<double>::value,
             expected.data()},
            within, host_inputs({}), poison);
  }
};

compared compare_ones(const output_geometry& geometry, const std::function<bool(std::size_t)>& wrong,
                      float value = 3) {
  std::vector<float> actual(geometry.count, 1);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (wrong(i)) actual[i] = value;
  }
  const std::vector<double> expected(geometry.count, 1);
  return {geometry, actual, expected, relative(1e-5)};
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
TEST(mismatch, poison_has_a_name) {
  const auto& type = element_of<std::int32_t>::value;
  const auto poison = make_poison(type, 7);
  std::int32_t held = 0;
  std::memcpy(&held, poison.data(), sizeof held);
  // One that nobody wrote, one to which somebody added, one that is merely wrong.
  const std::vector<std::int32_t> actual{held,
                                         static_cast<std::int32_t>(static_cast<std::uint32_t>(held) + 5u), 4};
  const std::vector<std::int32_t> expected{5, 5, 5};
  mismatches found({3, 0, 256});
  found.compare({type, actual.data(), 0, 3, type, expected.data()}, exact(), host_inputs({}), poison);
  std::string all;
  for (const auto& line : found.lines("sum")) all += line + "\n";
  EXPECT_SAYS(all, "sum[0]: expected 5, got memory that nobody wrote (poison)");
  EXPECT_SAYS(all, "the right value added to memory that nobody wrote (poison)");
  EXPECT_SAYS(all, "sum[2]: expected 5, got 4");
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
  EXPECT_FALSE((tolerance{.relative = 1e30, .absolute = 1e30}.accepts(1, NAN)));
}

// Pieces that are right altogether are passed over by a loop of their own: one wrong number anywhere must stop that, whatever the types.
TEST(mismatch, one_wrong_number_among_many_is_found_in_every_type) {
  constexpr std::size_t kCount = 1003;
  const auto found = [&]<class Is, class Wanted>(Is, Wanted, const tolerance& within, std::size_t wrong,
                                                 Is value) {
    std::vector<Is> actual(kCount, Is(3));
    const std::vector<Wanted> expected(kCount, Wanted(3));
    if (wrong < kCount) actual[wrong] = value;
    mismatches seen({kCount, 0, 0});
    const auto& type = element_of<Is>::value;
    seen.compare({type, actual.data(), 0, kCount, element_of<Wanted>::value, expected.data()}, within,
                 host_inputs({}), make_poison(type, 1));
    return seen.count();
  };
  for (const std::size_t at : {0, 255, 256, 1002}) {
    for (const auto& within : {relative(1e-5), absolute(1e-5), exact()}) {
      EXPECT_EQ(found(float{}, float{}, within, at, 3.001f), 1u);
      EXPECT_EQ(found(float{}, double{}, within, at, 3.001f), 1u);
      EXPECT_EQ(found(double{}, double{}, within, at, 3.001), 1u);
      EXPECT_EQ(found(float{}, double{}, within, at, NAN), 1u);
      EXPECT_EQ(found(std::int32_t{}, std::int32_t{}, within, at, std::int32_t{4}), 1u);
    }
  }
  EXPECT_EQ(found(float{}, double{}, relative(1e-5), kCount, 0.0f), 0u);
  EXPECT_EQ(found(double{}, double{}, exact(), kCount, 0.0), 0u);
  EXPECT_EQ(found(float{}, float{}, relative(1e-3), 7, 3.001f), 0u);
}

TEST(mismatch, poison_is_unwritten) {
  std::vector<float> actual(8, 1);
  const auto poison = make_poison(element_of<float>::value, 5);
  fill_poison(poison, actual.data() + 6, 2);
  const compared found({8, 0, 0}, actual, std::vector<double>(8, 1), relative(1e-5), poison);
  EXPECT_EQ(found.unwritten(), 2u);
  EXPECT_EQ(found.non_finite(), 0u);
}

TEST(mismatch, bitwise_tells_zeros_apart) {
  EXPECT_EQ(compared({1, 0, 0}, {-0.0f}, {0}, exact()).count(), 1u);
  // Where bits are compared, an expected infinity is a value like any other.
  EXPECT_EQ(compared({1, 0, 0}, {-INFINITY}, {-INFINITY}, exact()).count(), 0u);
}

// 2^53 + 1 is no double: compared through one, this mistake passed.
TEST(mismatch, wide_integers_are_compared_in_their_own_type) {
  const std::uint64_t expected = (1ull << 53) + 1, actual = 1ull << 53;
  const auto& type = element_of<std::uint64_t>::value;
  mismatches found({1, 0, 0});
  found.compare({type, &actual, 0, 1, type, &expected}, exact(), host_inputs({}), make_poison(type, 1));
  EXPECT_EQ(found.count(), 1u);
}

struct pair_of {
  float x, y;
};

}  // namespace

COURSE_RECORD(pair_of, COURSE_FIELD(pair_of, x), COURSE_FIELD(pair_of, y));

namespace {

TEST(mismatch, a_record_names_the_field_that_is_wrong) {
  const pair_of expected[2] = {{1, 2}, {3, 4}}, actual[2] = {{1, 2}, {3, 5}};
  const auto& type = element_of<pair_of>::value;
  mismatches found({2, 0, 0});
  found.compare({type, actual, 0, 2, type, expected}, exact(), host_inputs({}), make_poison(type, 1));
  ASSERT_EQ(found.count(), 1u);
  EXPECT_EQ(found.first().front().field, "y");
  EXPECT_SAYS(found.lines("out")[1], "out[1].y: expected 4, got 5");
}

TEST(mismatch, an_element_can_have_a_tolerance_of_its_own) {
  const auto first_only =
      within([](const host_inputs&, std::size_t index) { return index == 0 ? 0.5 : 0.0; });
  EXPECT_EQ(compared({2, 0, 0}, {1.4f, 1.4f}, {1, 1}, first_only).count(), 1u);
}

// An output whose elements cost so much that only some are compared. Nothing is called.
TEST(compare_some, sees_the_last_element_and_whatever_is_as_long_as_two_stretches) {
  constexpr std::size_t kCount = 1'000'003;
  problem asked;
  const auto in = asked.input<float>("in", 1, {});
  const auto out = asked.output<float>("out", kCount, {});
  asked.timed(COURSE_FUNCTION(nobodys_run), in, out, stream);
  asked.expects(out,
                each_element([](const host_inputs&, std::size_t) { return 1.0; },
                             [](std::size_t) -> index_range {
                               return {0, kCount};
                             },
                             {.operations = 1e4}),
                relative(1e-5));
  const case_data data(asked, {0}, 1);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto seen = [&](std::size_t first, std::size_t count) {
      std::vector<float> actual(kCount, 1);
      std::fill_n(actual.begin() + static_cast<std::ptrdiff_t>(first), count, 2.0f);
      mismatches wrong({kCount, 0, 0});
      data.compare_some(0, actual.data(), seed, wrong);
      EXPECT_LT(wrong.checked(), kCount);
      return wrong.count();
    };
    EXPECT_EQ(seen(0, 0), 0u);
    EXPECT_EQ(seen(kCount - 1, 1), 1u);
    EXPECT_GE(seen(kCount / 3, 10'000), 64u);
  }
}

}  // namespace
