/// @file
/// Rows that each thread has for itself, arrays of a thread's own, branches, fences, plain loops, warps that share a scheduler, phases between
/// barriers and texels, against what they took on an H100 (ladders/rows.cu, fixtures/h100_rows.csv). A bound says how far the model is off today;
/// timing/calibration.md says why.
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
                      Kind{"phases", "phases: ", 39, 9, 26}, Kind{"loops", "loops: ", 40, 6, 17},
                      Kind{"meetings", "meeting at ", 12, 25, 46}, Kind{"texels", "texels ", 17, 8, 18},
                      Kind{"warps", "warps: ", 32, 8, 21}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
