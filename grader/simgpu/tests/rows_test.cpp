/// @file
/// Rows that each thread has for itself, arrays of a thread's own, branches, fences, plain loops, warps that share a scheduler, phases between
/// barriers and texels, against what they took on an H100 (ladders/rows.cu, fixtures/h100_rows.csv); and steps of arithmetic, against an H200
/// (ladders/steps.cu, fixtures/h200_steps.csv). A bound says how far the model is off today; timing/calibration.md says why.
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
class Rows : public ::testing::TestWithParam<Kind> {};

TEST_P(Rows, TakeAsLongAsOnAnH100) {
  const Kind& kind = GetParam();
  const std::string csv = std::string(SCRATCH) + "/rows_" + kind.name + ".csv";
  const std::string command = "SIMGPU_CHECKS=off SIMGPU_CARD=h100 LD_LIBRARY_PATH='" DROPIN_FOLDER
                              "' '" LADDERS "/rows' '" +
                              std::string(kind.beginning) + "' --csv '" + csv + "' > '" + csv + ".txt'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto card = ladder::read_rates(FIXTURES "/h100_rows.csv"), model = ladder::read_rates(csv);
  double sum = 0;
  for (const auto& [name, cycles] : model) {
    const auto measured = card.find(name);
    ASSERT_NE(measured, card.end()) << name << " was never measured";
    const double error = 100 * std::abs(cycles / measured->second - 1);
    EXPECT_LE(error, kind.worst) << name << ": " << cycles << " cycles, " << measured->second << " measured";
    sum += error;
  }
  EXPECT_EQ(model.size(), kind.rows);
  EXPECT_LE(sum / kind.rows, kind.mean);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Rows,
    ::testing::Values(Kind{"stores", "stores of", 11, 6, 10}, Kind{"copies", "copies of", 5, 4, 8},
                      Kind{"own_arrays", "own array", 6, 9, 27}, Kind{"branches", "turn ", 8, 12, 22},
                      Kind{"phases", "phases: ", 39, 9, 26}, Kind{"loops", "loops: ", 40, 6, 18},
                      Kind{"meetings", "meeting at ", 12, 25, 46}, Kind{"texels", "texels ", 17, 8, 18},
                      Kind{"warps", "warps: ", 32, 8, 22}),
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
