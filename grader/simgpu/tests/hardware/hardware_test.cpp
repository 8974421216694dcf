/// @file
/// Instructions on the simulated GPU against what an H200 printed (folder h200), and whether every operation of the opcode
/// table takes part.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "comparison.hpp"

namespace hardware {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  EXPECT_NE(pipe, nullptr) << command;
  char buffer[4096];
  for (std::size_t n; pipe && (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  if (pipe) pclose(pipe);
  return text;
}

class Instructions : public testing::TestWithParam<const char*> {};

TEST_P(Instructions, GiveWhatTheCardGives) {
  const std::string name = GetParam(), cases = std::string(HARDWARE_FOLDER) + "/cases/" + name + ".txt";
  const auto card = read_output(text_of(std::string(HARDWARE_FOLDER) + "/h200/" + name + ".txt"));
  const auto ours = read_output(
      output_of("LD_LIBRARY_PATH=" DROPIN_FOLDER " " INSTRUCTIONS_PROGRAM " " + cases + " 2>/dev/null"));
  for (const Case& c : read_cases(cases)) {
    const auto a = ours.find(c.text), b = card.find(c.text);
    ASSERT_NE(b, card.end()) << cases << ":" << c.line << ": " << c.text << " never ran on the card";
    ASSERT_NE(a, ours.end()) << cases << ":" << c.line << ": " << c.text << " did not run here";
    EXPECT_EQ(difference(c, a->second, b->second), "") << cases << ":" << c.line << ": " << c.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Instructions,
                         testing::Values("integers", "floats", "conversions", "memory", "warps", "calls",
                                         "faults", "video"),
                         [](const auto& info) { return std::string(info.param); });

// The comparison itself: what it must catch.
TEST(Comparison, TellsAWrongBitAndAWrongNaN) {
  Case exact{"add", 0, 0, 1, {{"f32", true}}}, approximate{"ex2", 2, 0, 1, {{"f32", true}}};
  EXPECT_EQ(difference(exact, "3f800000 #1", "3f800000 #1"), "");
  EXPECT_NE(difference(exact, "3f800001 #1", "3f800000 #1"), "");
  EXPECT_NE(difference(exact, "3f800000 #1", "3f800000 #2"), "");
  EXPECT_EQ(difference(approximate, "3f800002", "3f800000"), "");
  EXPECT_NE(difference(approximate, "3f800003", "3f800000"), "");
  EXPECT_NE(difference(approximate, "7fc00000", "7fffffff"), "");
  EXPECT_EQ(difference(approximate, "80000001", "1"), "");  // either side of zero
  EXPECT_NE(difference(exact, "refused: operation not supported", "0"), "");
}

}  // namespace
}  // namespace hardware
