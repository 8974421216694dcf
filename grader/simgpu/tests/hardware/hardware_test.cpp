/// @file
/// Instructions, textures and asynchronous copies on the simulated GPU against what an H200 printed (folder h200).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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
                         testing::Values("integers", "floats", "products", "conversions", "memory", "warps",
                                         "calls", "faults", "video", "async"),
                         [](const auto& info) { return std::string(info.param); });

/// Results of a program that differ from the card's by no more than this are alike; the others are alike to the bit.
struct Approximate {
  const char* part;   ///< of the case's name
  double difference;  ///< of values as f32; negative: not compared
  const char* reason;
};
constexpr Approximate kApproximate[] = {
    {"3d f32x1", 0.13,
     "products of three weights are rounded in an order that is not known: a 256th of texels up to 8"},
    {"3d u8x4", 0.016, "likewise"},
    {"srgb", -1, "the card's table of the sRGB curve is not known"},
    {"gradient", -1, "how the card estimates the length of a gradient is not known"},
    {"between", 0.3, "products of weights within and between levels, as in 3D"},
    {"f16", 0.008, "filters of halves round in steps that are not known"},
    {"s8x4 border linear", 1e-4, "the least value, -128, is rounded otherwise beside others"},
    {"seamless", 0.6, "beyond a corner of a cube the card takes a mean that is not known"}};

/// Lines "name : a,b,c,d a,b,c,d ... #hash" of both.
void expect_alike(const std::string& ours_text, const std::string& card_text) {
  const auto ours = read_output(ours_text), card = read_output(card_text);
  EXPECT_GE(card.size(), 3u);
  for (const auto& [name, expected] : card) {
    const auto it = ours.find(name);
    ASSERT_NE(it, ours.end()) << name << " did not run here";
    const Approximate* approximate = nullptr;
    for (const Approximate& a : kApproximate)
      if (name.find(a.part) != std::string::npos && !approximate) approximate = &a;
    if (!approximate) {
      EXPECT_EQ(it->second, expected) << name;
      continue;
    }
    if (approximate->difference < 0) continue;
    std::stringstream a(it->second), b(expected);
    for (std::string x, y; a >> x && b >> y && x[0] != '#';) {
      std::stringstream values(x), wanted(y);
      for (std::string v, w; std::getline(values, v, ',') && std::getline(wanted, w, ',');) {
        const auto number = [](const std::string& hex) {
          return std::bit_cast<float>(static_cast<std::uint32_t>(std::strtoul(hex.c_str(), nullptr, 16)));
        };
        if (v == w) continue;
        EXPECT_LE(std::fabs(double{number(v)} - double{number(w)}), approximate->difference)
            << name << ": " << x << ", the card says " << y;
      }
    }
  }
}

class Programs : public testing::TestWithParam<const char*> {};

TEST_P(Programs, GiveWhatTheCardGives) {
  const std::string what = GetParam(), program = what.substr(0, what.find('_'));
  const std::string argument = what.find('_') == std::string::npos ? "" : what.substr(what.find('_') + 1);
  expect_alike(output_of("LD_LIBRARY_PATH=" DROPIN_FOLDER " " PROGRAMS_FOLDER "/" + program + " " + argument),
               text_of(std::string(HARDWARE_FOLDER) + "/h200/" + what + ".txt"));
}

INSTANTIATE_TEST_SUITE_P(Files, Programs,
                         testing::Values("textures", "tensors_clusters", "tensors_loads", "tensors_stores",
                                         "expressions"),
                         [](const auto& info) { return std::string(info.param); });

// The comparison itself: what it must catch.
TEST(Comparison, TellsAWrongBitAndAWrongNaN) {
  Case exact{"add", false, 0, 0, 1, {{"f32", true}}}, approximate{"ex2", false, 2, 0, 1, {{"f32", true}}};
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
