/// @file
/// Rows that each thread has for itself, arrays of a thread's own, branches, fences, plain loops, warps that share a scheduler, phases between
/// barriers and texels, against what they took on an H100 (ladders/rows.cu, fixtures/h100_rows.csv); whom schedulers serve, texels by where lanes look,
/// and steps of arithmetic, against an H200 (ladders/served.cu, texels.cu and steps.cu, fixtures/h200_served.csv, h200_texels.csv and h200_steps.csv).
/// A bound says how far the model is off today; timing/calibration.md says why.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>

#include "ladders/compare.hpp"

namespace {

struct Kind {
  const char* name;
  const char* beginning;  ///< of its rows
  int rows;
  double mean, worst;  ///< error at most [per cent]
};
void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.beginning;
}

/// Runs a ladder's rows of a kind on a simulated @p card, and holds them against fixtures/<card>_<ladder>.csv.
void expect_cycles(const Kind& kind, const std::string& card, const std::string& of_ladder) {
  const std::string csv = std::string(SCRATCH) + "/" + of_ladder + "_" + kind.name + ".csv";
  const std::string command = "SIMGPU_CHECKS=off SIMGPU_CARD=" + card +
                              " LD_LIBRARY_PATH='" DROPIN_FOLDER "' '" LADDERS "/" + of_ladder + "' '" +
                              std::string(kind.beginning) + "' --csv '" + csv + "' > '" + csv + ".txt'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto all = ladder::read_rates(FIXTURES "/" + card + "_" + of_ladder + ".csv"),
             model = ladder::read_rates(csv);
  double sum = 0;
  for (const auto& [name, cycles] : model) {
    const auto measured = all.find(name);
    ASSERT_NE(measured, all.end()) << name << " was never measured";
    const double error = 100 * std::abs(cycles / measured->second - 1);
    EXPECT_LE(error, kind.worst) << name << ": " << cycles << " cycles, " << measured->second << " measured";
    sum += error;
  }
  EXPECT_EQ(model.size(), kind.rows);
  EXPECT_LE(sum / kind.rows, kind.mean);
}

class Rows : public ::testing::TestWithParam<Kind> {};

TEST_P(Rows, TakeAsLongAsOnAnH100) {
  expect_cycles(GetParam(), "h100", "rows");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Rows,
    ::testing::Values(Kind{"stores", "stores of", 11, 6, 10}, Kind{"copies", "copies of", 5, 4, 8},
                      Kind{"own_arrays", "own array", 6, 9, 27}, Kind{"branches", "turn ", 8, 12, 25},
                      Kind{"phases", "phases: ", 39, 9, 26}, Kind{"loops", "loops: ", 40, 6, 18},
                      Kind{"meetings", "meeting at ", 12, 25, 46}, Kind{"texels", "texels ", 17, 8, 36},
                      Kind{"warps", "warps: ", 32, 8, 22}),
    [](const auto& info) { return std::string(info.param.name); });

/// Whom a scheduler serves.
class Served : public ::testing::TestWithParam<Kind> {};

TEST_P(Served, TakeAsLongAsOnAnH200) {
  expect_cycles(GetParam(), "h200", "served");
}

// ptxas puts the four and four one by one among each other; here they stay as they are written.
INSTANTIATE_TEST_SUITE_P(Kinds, Served,
                         ::testing::Values(Kind{"chains", "multiply-adds in ", 40, 3, 21},
                                           Kind{"logic", "logic in", 10, 1, 2},
                                           Kind{"both", "a chain of", 10, 4, 14},
                                           Kind{"two_of_both", "two chains", 10, 2, 5},
                                           Kind{"runs", "four multiply-adds", 10, 28, 36},
                                           Kind{"half_of_lanes", "multiply-adds by half", 20, 4, 10},
                                           Kind{"barrier", "32 multiply-adds and a barrier", 10, 4, 11},
                                           Kind{"turns", "turn of ", 80, 6, 26}),
                         [](const auto& info) { return std::string(info.param.name); });

/// What the texture unit takes by where the lanes of a warp look.
class Texels : public ::testing::TestWithParam<Kind> {};

TEST_P(Texels, TakeAsLongAsOnAnH200) {
  expect_cycles(GetParam(), "h200", "texels");
}

// Some of the ladder's 130 rows, for the time that they take here.
INSTANTIATE_TEST_SUITE_P(Kinds, Texels,
                         ::testing::Values(Kind{"planes", "plane of 4 bytes", 12, 5, 28},
                                           Kind{"lines", "line of 4 bytes", 8, 12, 32},
                                           Kind{"by_number", "by number, 4 bytes", 6, 7, 19},
                                           Kind{"surfaces", "surface of ", 24, 11, 52}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Steps of C++ as nvcc compiles them (ladders/steps.cu), by few warps and by as many as an SM holds, against an H200.
TEST(Steps, TakeAsLongAsOnAnH200) {
  constexpr std::size_t kSteps = 144, kMany = 1;  // behind those of few warps
  constexpr double kMean = 14;                    // of what an SM full of warps takes [per cent]
  constexpr std::size_t kFarOff = 26;
  const std::string csv = SCRATCH "/steps.csv";
  const std::string command = "SIMGPU_CHECKS=off SIMGPU_CARD=h200 LD_LIBRARY_PATH='" DROPIN_FOLDER
                              "' '" LADDERS "/steps' --csv '" +
                              csv + "' > '" + csv + ".txt'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto card = ladder::read_figures(FIXTURES "/h200_steps.csv"), model = ladder::read_figures(csv);
  double sum = 0;
  std::size_t far_off = 0;
  for (const auto& [name, cycles] : model) {
    ASSERT_EQ(card.count(name), 1u) << name << " was never measured";
    const double error = 100 * std::abs(cycles[kMany] / card.at(name)[kMany] - 1);
    sum += error;
    far_off += error > 20;
  }
  EXPECT_EQ(model.size(), kSteps);
  EXPECT_LE(sum / kSteps, kMean);
  EXPECT_LE(far_off, kFarOff) << "more than 20 % off";
}

}  // namespace
