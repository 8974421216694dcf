/// @file
/// Broken PTX, made from good PTX by chance that is the same in every run. Whatever comes out, parse()
/// returns, and says where. Meant to be run under the address and undefined-behaviour sanitizers too.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "simgpu/ptx/module.hpp"

namespace simgpu::ptx {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SIMGPU_PTX_FIXTURES)) {
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    // Pieces of the large ones: the same grammar, more rounds a second.
    for (std::size_t begin = 0; begin < text.size() && texts.size() < 40; begin += 12000) {
      const std::string piece = begin == 0 ? "" : ".version 9.0\n.target sm_90\n.entry k()\n{\n";
      std::size_t line = begin == 0 ? 0 : text.find('\n', begin);
      if (line == std::string::npos) break;
      texts.push_back(piece + text.substr(line, 12000));
    }
  }
  return texts;
}

void expect_an_answer(const std::string& text) {
  const ParseResult result = parse(text);
  ASSERT_NE(result.module.has_value(), result.error.has_value());
  if (result.error) {
    EXPECT_GE(result.error->line, 1u);
    EXPECT_LE(result.error->line,
              1u + static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')));
    EXPECT_GE(result.error->column, 1u);
    EXPECT_FALSE(result.error->message.empty());
  }
}

TEST(Mutation, BrokenTextGetsALocatedError) {
  const std::vector<std::string> texts = seeds();
  ASSERT_FALSE(texts.empty());
  const std::string vocabulary[] = {"{",
                                    "}",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    "<",
                                    ">",
                                    ";",
                                    ":",
                                    ",",
                                    "\"",
                                    "/*",
                                    "//",
                                    "@",
                                    "!",
                                    "|",
                                    "%",
                                    "-",
                                    "+",
                                    "0x",
                                    "0f",
                                    "0d",
                                    "99999999999999999999",
                                    "<4294967295>",
                                    "[4294967295]",
                                    ".reg .b32 %r<9>;",
                                    ".loc 1 1 1",
                                    ".file 1 \"",
                                    ".section",
                                    ".global .b8 x[] = {",
                                    ".callprototype",
                                    ".branchtargets",
                                    "call",
                                    "generic(",
                                    "$scope1",
                                    "_",
                                    ".",
                                    "::",
                                    "\0"};
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  // More rounds, for an evening with sanitizers on: SIMGPU_MUTATION_ROUNDS=1000000.
  const char* const asked = std::getenv("SIMGPU_MUTATION_ROUNDS");
  const int rounds = asked == nullptr ? 6000 : std::atoi(asked);
  for (int round = 0; round < rounds; ++round) {
    std::string text = texts[below(texts.size())];
    for (std::size_t change = 0; change <= below(4) && !text.empty(); ++change) {
      const std::size_t at = below(text.size());
      switch (below(6)) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
          break;
        case 2:
          text.resize(std::max<std::size_t>(at, 1));
          break;
        case 3:
          text.erase(at, 1 + below(40));
          break;
        case 4:
          text.insert(at, vocabulary[below(std::size(vocabulary))]);
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(200)));
          break;
      }
    }
    expect_an_answer(text);
  }
}

TEST(Mutation, NestingAndSizesAreBounded) {
  const std::string head = ".version 9.0\n.target sm_90\n.entry k()\n{\n";
  const auto many = [](const std::string& piece, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += piece;
    return text;
  };
  for (const std::string& text : std::vector<std::string>{
           head + many("{", 1000000),
           head + "mov.b32 %r1, " + many("(", 1000000),
           head + "mov.b32 %r1, " + many("-", 1000000),
           head + "mov.b32 %r1, " + many("1 + (", 1000000),
           head + "mov.b32 " + many("{", 1000000),
           head + "tex.1d " + many("[t, ", 1000000),
           head + ".reg .b32 %r<4294967295>;",
           head + many(".reg .b32 %r<4000000>;\n{\n", 60),
           ".version 9.0\n.global .b8 x[4000000000] = {1};",
           ".version 9.0\n.global .b8 x[1000000][1000000][1000000];",
           ".version 9.0\n.global .b8 x[0][1099511627776][1099511627776] = {{{1},{2}}};",
           ".version 9.0\n.global .b8 x" + many("[2]", 1000) + ";",
           ".version 9.0\n.global .b8 x[] = " + many("{", 1000000),
           ".version 9.0\n.global .align 3 .b8 x;",
           head + "mov.b32 %r1, 1 / 0;",
           head + "mov.b32 %r1, (-9223372036854775807 - 1) / -1; ",
       }) {
    const ParseResult result = parse(text);
    EXPECT_TRUE(result.error) << text.substr(0, 100);
  }
}

TEST(Mutation, TimeGrowsWithTheTextOnly) {
  // A hundred thousand scopes that all use one label name, and one register name.
  std::string text = ".version 9.0\n.target sm_90\n.entry k()\n{\n.reg .pred p;\n";
  for (int i = 0; i < 100000; ++i) text += "{ .reg .pred p; L: @p bra L; }\n";
  text += "}\n";
  const auto begin = std::chrono::steady_clock::now();
  const ParseResult result = parse(text);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(result.module);
  EXPECT_LT(seconds.count(), 20.0);  // a fraction of a second; minutes if anything is quadratic
}

}  // namespace
}  // namespace simgpu::ptx
