/// @file
/// What the fuzzers found and kept, through the same doors as in the fuzzers, without a sanitizer: nothing crashes or
/// hangs, and every error says where it is. The folder corpus/ holds packed files (see corpus.py).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "simgpu/tests/fuzz/drive_front.hpp"
#include "simgpu/tests/fuzz/read_bytes.hpp"
#include "simgpu/tests/fuzz/read_records.hpp"
#include "simgpu/tests/fuzz/run_ptx.hpp"

namespace simgpu::fuzz {
namespace {

std::vector<std::string> unpack(const std::string& name) {
  std::ifstream file(std::string(SIMGPU_FUZZ_CORPUS) + "/" + name, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}}, mark = "\n//=== next input\n";
  std::vector<std::string> inputs;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = all.find(mark, begin);
    inputs.push_back(all.substr(begin, end - begin));
    if (end == std::string::npos) break;
    begin = end + mark.size();
  }
  return inputs;
}

TEST(Corpus, Containers) {
  const std::vector<std::string> inputs = unpack("container");
  EXPECT_GT(inputs.size(), 20u);
  for (const std::string& input : inputs) read_bytes(input);
}

TEST(Corpus, RecordsOfTheQueue) {
  const std::vector<std::string> inputs = unpack("queue");
  EXPECT_GT(inputs.size(), 20u);
  std::size_t most = 0;
  for (const std::string& input : inputs) most = std::max(most, read_records(input));
  EXPECT_GT(most, 20u) << "no input is a whole conversation any more";
}

/// Each conversation, and each with a byte of it changed, in an order that is the same in each run.
TEST(Corpus, RecordsThatADeviceCarriesOut) {
  std::size_t most = 0, launches = 0;
  std::uint32_t next = 1;
  for (std::string input : unpack("queue")) {
    const Driven done = drive_front(input);
    most = std::max(most, done.records);
    launches += done.launches;
    if (input.empty()) continue;
    next = next * 1664525 + 1013904223;
    input[next % input.size()] = static_cast<char>(next >> 24);
    drive_front(input);
  }
  EXPECT_GT(most, 3u) << "no input says anything that is carried out any more";
  EXPECT_GT(launches, 10u) << "no input loads the module by its length any more: nothing is executed";
}

TEST(Corpus, TextsThatAreLowered) {
  const std::vector<std::string> inputs = unpack("lower");
  EXPECT_GT(inputs.size(), 100u);
  for (const std::string& input : inputs) lower_text(input);
}

TEST(Corpus, ModulesThatAreRun) {
  const std::vector<std::string> inputs = unpack("execute");
  EXPECT_GT(inputs.size(), 100u);
  std::size_t ran = 0;
  for (const std::string& input : inputs) ran += execute_text(input).empty();
  EXPECT_GT(ran, inputs.size() / 3) << "most inputs no longer reach the interpreter";
}

/// Texts that once crashed or hung something, by their first line, and the sentence that they get now.
TEST(Corpus, WhatWasOnceWrong) {
  for (const std::string& input : unpack("found")) execute_text(input);
}

std::string repeated(std::size_t count, auto&& piece) {
  std::string text;
  for (std::size_t n = 0; n < count; ++n) text += piece(n);
  return text;
}
std::string module_of(const std::string& globals, const std::string& body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + globals + ".entry k()\n{\n" + body + "ret;\n}\n";
}
std::string numbered(const char* before, std::size_t n, const char* after) {
  return before + std::to_string(n) + after;
}

struct Hostile {
  const char* what;
  std::string text, answer;  ///< the answer holds this; "" for a text that is good
};

/// Texts that ask for more than there is are refused with a sentence that says what and where, soon.
TEST(Limits, AreSentences) {
  constexpr auto kMany = 100'000;
  const std::vector<Hostile> all = {
      {"a huge shared array", module_of("", ".shared .b8 x[1099511627776];\nst.shared.u32 [x], 1;\n"),
       "PTX line 4: kernel k has more than 232448 bytes of shared"},
      {"shared arrays whose sum passes 32 bits",
       module_of("", repeated(5, [](auto n) { return numbered(".shared .b8 x", n, "[1073741824];\n"); })),
       "shared"},
      {"a huge local array", module_of("", ".local .b8 x[1099511627776];\n"),
       "PTX line 6: function k needs 1099511627776 bytes of local memory"},
      {"a local array of four gigabytes",
       module_of("", ".local .b8 x[4294967296];\n.reg .b64 %d; mov.u64 %d, x; st.local.u32 [%d], 1;\n"),
       "local memory"},
      {"a huge call argument", module_of("", ".param .b8 x[4294967296];\nst.param.u32 [x+4000000000], 1;\n"),
       "call parameters"},
      {"huge kernel parameters",
       ".version 8.0\n.target sm_90\n.entry k(.param .b8 p[4294967296])\n{\nret;\n}\n", "32764"},
      {"huge variables", ".version 8.0\n.target sm_90\n.global .b8 x[1099511627776];\n",
       "No room for the variable x"},
      {"many registers", module_of("", ".reg .b32 %r<4000000>;\nmov.u32 %r3999999, 1;\n"), ""},
      {"more registers", module_of("", ".reg .b32 %r<4000000000>;\n"), "too many registers"},
      {"a register with a name of digits",
       module_of("", ".reg .b32 %r<9>;\nmov.u32 %r" + std::string(1'000'000, '0') + ", 1;\n"), ""},
      {"registers that are all in use at once",
       module_of("", ".reg .b64 %d<20000>; .reg .b64 %s;\n" +
                         repeated(20'000, [](auto n) { return numbered("mov.u64 %d", n, ", %clock64;\n"); }) +
                         repeated(20'000, [](auto n) { return numbered("add.u64 %s, %s, %d", n, ";\n"); })),
       "registers of a thread in use at once"},
      {"a chain of calls",
       module_of(repeated(kMany,
                          [](auto n) {
                            return numbered(".func f", n, "()\n{\n") +
                                   (n ? numbered("call f", n - 1, ", ();\n") : "") + "ret;\n}\n";
                          }),
                 numbered("call f", kMany - 1, ", ();\n")),
       ""},
      {"kernels that each call everything",
       repeated(1, [](auto) { return std::string(".version 8.0\n.target sm_90\n.address_size 64\n"); }) +
           ".func f()\n{\n" + repeated(10'000, [](auto) { return std::string("membar.gl;\n"); }) +
           "ret;\n}\n" +
           repeated(2'000, [](auto n) { return numbered(".entry k", n, "()\n{\ncall f, ();\nret;\n}\n"); }),
       "more than 8000000 instructions"},
      {"jumps that all go back",
       module_of("", "bra.uni L0;\n" +
                         repeated(kMany,
                                  [](auto n) {
                                    return numbered("L", n + 1, ":\n") + numbered("bra L", n, ";\n");
                                  }) +
                         "L0:\n"),
       ""},
      {"jumps that all go to the start",
       module_of("", "L:\n" + repeated(kMany, [](auto) { return std::string("@%p bra L;\n"); }) +
                         ".reg .pred %p;\n"),
       ""},
      {"loads that nobody waits for",
       module_of("", ".reg .pred %p; .reg .b32 %r<" + std::to_string(kMany) + ">; .reg .b64 %d;\n" +
                         repeated(kMany,
                                  [](auto n) {
                                    return numbered("@%p ld.global.u32 %r", n, ", [%d];\n") +
                                           numbered("@%p bra M", n, ";\n") + numbered("M", n, ":\n");
                                  })),
       ""},
      {"labels of one list by the million",
       module_of(
           "",
           "L0:\n" + repeated(100, [](auto n) { return numbered("T", n, ": .branchtargets L<65536>;\n"); })),
       "too many targets"},
      {"a printf that asks for a gigabyte of digits",
       module_of(
           ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
           ".global .b8 s[14] = {37, 46, 57, 57, 57, 57, 57, 57, 57, 57, 57, 102, 10, 0};\n",  // %.999999999f
           ".param .b64 a; .param .b64 b; .param .b32 r; .reg .b64 %d;\nmov.u64 %d, s;\ncvta.global.u64 %d, "
           "%d;\n"
           "st.param.b64 [a], %d;\nst.param.b64 [b], %d;\ncall.uni (r), vprintf, (a, b);\n"),
       ""},
      {"brackets", module_of("", "mov.b32 %r1, " + std::string(1'000'000, '(') + "1;\n"),
       "nested too deeply"},
      {"blocks", module_of("", std::string(1'000'000, '{')), "nested too deeply"},
      {"an initialiser of gigabytes", ".version 8.0\n.target sm_90\n.global .b8 x[1000000000] = {1};\n",
       "too large"},
      {"text without an end", ".version 8.0\n.target sm_90\n.entry k()\n{\nmov.b32 %r1,", "PTX line 5: "},
      {"nothing", "", "does not begin with .version"},
      {"32-bit code", ".version 8.0\n.target sm_90\n.address_size 32\n.entry k() { ret; }\n",
       "only 64-bit code"},
  };
  for (const Hostile& hostile : all) {
    SCOPED_TRACE(hostile.what);
    const std::clock_t begin = std::clock();  // of this process: others may keep the machine busy
    const std::string answer = execute_text(hostile.text);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 10.0);  // well below a second each; quadratic work takes minutes
    if (hostile.answer.empty())
      EXPECT_EQ(answer, "");
    else
      EXPECT_NE(answer.find(hostile.answer), std::string::npos) << answer;
  }
}

}  // namespace
}  // namespace simgpu::fuzz
