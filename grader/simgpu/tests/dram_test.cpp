/// @file
/// L2 and DRAM traffic of kernels that do not fit the L2, on a slice with a slice of the data, against what the profiler read of
/// the same sources on a whole H200 (fixtures/h200_dram_l2.csv): within 5 % for the same number of sectors asked for. Only
/// some kernels are run here; timing/calibration.md has all, and names those that are further off.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <ostream>
#include <string>

#include "ladders/run.hpp"

namespace {

constexpr double kTolerance = 0.05;
constexpr double kSizeTolerance =
    0.005;  // of what L1 counts: a twelfth of the data is rounded to whole blocks

// The card's name of a metric and the simulator's. On the card, `lts__t_sectors_op_*` also count what its two halves of the L2 send
// each other.
struct Metric {
  const char *card, *simulator;
};
constexpr Metric kLoads = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"};
constexpr Metric kStores = {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"};
constexpr std::array kFar = {Metric{"lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_op_read.sum"},
                             Metric{"lts__t_sectors_srcunit_tex_op_write.sum", "lts__t_sectors_op_write.sum"},
                             Metric{"dram__bytes_read.sum", "dram__bytes_read.sum"},
                             Metric{"dram__bytes_write.sum", "dram__bytes_write.sum"}};

using ladder::Values;

bool near(double value, double expected, double tolerance) {
  return std::abs(value - expected) <= tolerance * expected;
}

struct Selection {
  const char *ladder, *filter;
  std::size_t cases;
};
void PrintTo(const Selection& s, std::ostream* out) {
  *out << s.ladder << ", " << s.filter;
}

class FarTraffic : public testing::TestWithParam<Selection> {};

TEST_P(FarTraffic, IsWhatAnH200Moves) {
  const auto fixture = ladder::read_fixture(FIXTURE);
  const auto cases = ladder::simulate(GetParam().ladder, GetParam().filter);
  ASSERT_EQ(cases.size(), GetParam().cases);
  for (const auto& [name, rate, mine] : cases) {
    ASSERT_TRUE(fixture.contains(name)) << name;
    const Values& card = fixture.at(name);
    const auto asked = [](const Values& v, const char* loads, const char* stores) {
      return v.at(loads) + v.at(stores);
    };
    const double scale =
        asked(card, kLoads.card, kStores.card) / asked(mine, kLoads.simulator, kStores.simulator);
    EXPECT_TRUE(near(mine.at(kLoads.simulator) * scale, card.at(kLoads.card), kSizeTolerance)) << name;
    for (const Metric& metric : kFar) {
      const double simulated = mine.at(metric.simulator) * scale, measured = card.at(metric.card);
      EXPECT_TRUE(near(simulated, measured, kTolerance)) << name << ": " << metric.card << " is " << measured
                                                         << " on the card, and " << simulated << " here";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ladders, FarTraffic,
                         testing::Values(Selection{"copy", "misaligned source", 1},
                                         Selection{"stencil", "window global r=3", 1},
                                         Selection{"stencil", "textbook, blocks of 64", 1},
                                         Selection{"transpose", "32x8 padded", 1},
                                         Selection{"walk", "stride", 5}, Selection{"held_out", "random", 2},
                                         Selection{"held_out", "daxpy", 1}));

// What the comparison is there to find: a read that is fetched twice, a store that is not written back, a granule of 32 bytes.
TEST(FarTrafficComparison, FindsWrongRules) {
  EXPECT_TRUE(near(1.04, 1, kTolerance));
  for (const double wrong : {2.0, 0.0, 0.5, 1.06}) EXPECT_FALSE(near(wrong, 1, kTolerance)) << wrong;
}

}  // namespace
