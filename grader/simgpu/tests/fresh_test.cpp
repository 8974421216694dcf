/// @file
/// The modelled clock against kernels that were measured once (ladders/fresh.cu, fixtures/h200_fresh.csv as `fresh --csv` writes it
/// on a card): what the model said when nothing had been set on them, and what it is meant to reach. Those bounds were written down before anything
/// was measured: they may not be raised to what it does. The kernels have been looked at since; clock_test.cpp holds their classes. Running all takes
/// minutes, so that test is run by hand (--gtest_filter=Fresh.Model*).
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "ladders/compare.hpp"

namespace {

using ladder::compare, ladder::Errors;

const auto& read = ladder::read_rates;

// The figures themselves: what is exact gives no error, what is twice too fast and in another order is seen.
TEST(Fresh, ComparisonSeesWhatIsOff) {
  const std::map<std::string, double> card{{"a", 1}, {"b", 2}, {"c", 3}};
  const Errors same = compare(card, card);
  EXPECT_EQ(same.mean, 0);
  EXPECT_NEAR(same.rank_correlation, 1, 1e-12);
  const Errors off = compare(card, {{"a", 6}, {"b", 2}, {"c", 1.5}});
  EXPECT_NEAR(off.mean, 550.0 / 3, 1e-9);
  EXPECT_EQ(off.above_35, 2u);
  EXPECT_EQ(off.above_60, 1u);
  EXPECT_NEAR(off.rank_correlation, -1, 1e-12);
}

// A kernel that faults takes its context with it: it is named, as is one of wrong values, and the others are measured.
TEST(Fresh, AFaultCostsNoOtherKernel) {
  const std::string base = std::string(SCRATCH) + "/fresh_faulty";
  const std::string command = "LD_LIBRARY_PATH='" DROPIN_FOLDER "' '" LADDERS "/faulty' --csv '" + base +
                              ".csv' > '" + base + ".txt' 2> /dev/null";
  EXPECT_NE(std::system(command.c_str()), 0) << command;
  const auto measured = read(base + ".csv");
  EXPECT_EQ(measured.size(), 2u);
  EXPECT_TRUE(measured.contains("before"));
  EXPECT_TRUE(measured.contains("after"));
  std::ifstream in(base + ".txt");
  const std::string said((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(said.find("wrong values"), std::string::npos) << said;
  EXPECT_NE(said.find("cudaErrorIllegalAddress"), std::string::npos) << said;
}

// The table of calibration.md, from what was recorded when both ran once.
TEST(Fresh, ComparisonOfWhatWasRecorded) {
  const Errors all = compare(read(FIXTURES "/h200_fresh.csv"), read(FIXTURES "/model_fresh.csv"));
  EXPECT_EQ(all.kernels, 73u);
  EXPECT_NEAR(all.mean, 28.7, 0.05);
  EXPECT_NEAR(all.worst, 893, 0.5);
  EXPECT_EQ(all.above_35, 10u);
  EXPECT_EQ(all.above_60, 4u);
  EXPECT_NEAR(all.rank_correlation, 0.917, 0.0005);
}

TEST(Fresh, ModelIsAsNearAsItIsMeantToBe) {
  const std::string base = std::string(SCRATCH) + "/fresh_model";
  const std::string command =
      "LD_LIBRARY_PATH='" DROPIN_FOLDER "' '" LADDERS "/fresh' --csv '" + base + ".csv' > '" + base + ".txt'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const auto card = read(FIXTURES "/h200_fresh.csv");
  EXPECT_GE(card.size(), 46u);
  const Errors all = compare(card, read(base + ".csv"));
  EXPECT_LE(all.mean, 10);
  EXPECT_LE(all.above_35, 2u);
  EXPECT_EQ(all.above_60, 0u);
  EXPECT_GE(all.rank_correlation, 0.985);
}

}  // namespace
