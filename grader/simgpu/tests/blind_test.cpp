/// @file
/// The modelled clock against kernels that nothing was set on and that nobody has looked at yet
/// (ladders/blind/, then ladders/held_out_2/ to ladders/held_out_20/, each written when the one before had
/// been seen). On a card they are measured once, after the model was frozen (fixtures/CARD_SET.csv, as `SET
/// --csv` writes it; an H200, and an H100 for held_out_4 to held_out_9), and run once on that model
/// (model_SET.csv). Both comparisons skip until these files are there. The bounds are what the clock is
/// meant to reach; they were written down before anything was measured, and may not be raised to what it
/// does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "ladders/compare.hpp"

namespace {

constexpr char kCard[] = FIXTURES "/" CARD "_" SET ".csv", kModel[] = FIXTURES "/model_" SET ".csv";
constexpr std::size_t kAtLeast = 43;

bool exists(const char* path) {
  return std::ifstream(path).good();
}

struct Said {
  int status = 0;
  std::size_t right = 0, wrong = 0;
  std::string names;  ///< of what was right
};
/// Runs all kernels once, on a twelfth of their data; times are not shown then.
Said try_out(const std::string& environment, const std::string& name) {
  const std::string text = std::string(SCRATCH) + "/" SET "_" + name + ".txt";
  const std::string command = "LADDER_PART=12 " + environment +
                              " LD_LIBRARY_PATH='" DROPIN_FOLDER "' '" LADDERS "/" SET "' > '" + text + "'";
  Said said{.status = std::system(command.c_str()), .right = 0, .wrong = 0, .names = {}};
  std::ifstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with(" right")) ++said.right, said.names += line.substr(0, line.find("   ")) + "; ";
    if (line.find(" FAILED: ") != std::string::npos) ++said.wrong, std::printf("%s\n", line.c_str());
  }
  return said;
}

TEST(Blind, EachKernelIsRight) {
  const Said said = try_out("", "right");
  EXPECT_EQ(said.status, 0);
  EXPECT_GE(said.right, kAtLeast);
  EXPECT_EQ(said.wrong, 0u);
}

// Kernels that do nothing are right nowhere: each check looks at something that its kernel does.
TEST(Blind, ChecksSeeThatNothingWasDone) {
  const Said said = try_out("BLIND_IDLE=1", "idle");
  EXPECT_NE(said.status, 0);
  EXPECT_GE(said.wrong, kAtLeast);
  EXPECT_EQ(said.right, 0u) << said.names;
}

// The figures as they were recorded, for calibration.md.
TEST(Blind, ComparisonOfWhatWasRecorded) {
  if (!exists(kCard) || !exists(kModel)) GTEST_SKIP() << "not measured yet";
  const auto card = ladder::read_rates(kCard), model = ladder::read_rates(kModel);
  EXPECT_EQ(card.size(), model.size());
  EXPECT_GE(ladder::compare(card, model).kernels, kAtLeast);
}

// By hand (--gtest_filter=Blind.Model*): it takes minutes, and is to be seen once.
TEST(Blind, ModelIsAsNearAsItIsMeantToBe) {
  if (!exists(kCard)) GTEST_SKIP() << "not measured yet";
  const std::string base = std::string(SCRATCH) + "/" SET "_model";
  const std::string command = "SIMGPU_CARD=" CARD " LD_LIBRARY_PATH='" DROPIN_FOLDER "' '" LADDERS "/" SET
                              "' --csv '" +
                              base + ".csv' > '" + base + ".txt'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const ladder::Errors all = ladder::compare(ladder::read_rates(kCard), ladder::read_rates(base + ".csv"));
  EXPECT_GE(all.kernels, kAtLeast);
  EXPECT_LE(all.mean, 10);
  EXPECT_LE(all.above_35, 2u);
  EXPECT_EQ(all.above_60, 0u);
  EXPECT_GE(all.rank_correlation, 0.985);
}

}  // namespace
