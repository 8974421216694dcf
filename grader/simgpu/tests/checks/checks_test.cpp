/// @file
/// What the checks say of wrong programs, through the door that a user takes: the program runs on the drop-in
/// runtime, and its report and the error that it sees are held against the tables of expectations.hpp and
/// order_expectations.hpp. Each wrong program must give one finding, of the right kind, at the marked line, and no others; each
/// sound one none, and those that check their results must find them right.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "order_expectations.hpp"
#include "stream_expectations.hpp"

namespace {

std::string read(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Lines of a program that end with `//! mark`, or with `//~ mark`.
std::set<int> marked(const std::string& program, const std::string& mark, char kind) {
  std::ifstream in(std::string(SOURCES) + "/" + program + ".cu");
  std::set<int> lines;
  const std::string ending = std::string("//") + kind + " " + mark;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.size() >= ending.size() && line.compare(line.size() - ending.size(), ending.size(), ending) == 0)
      lines.insert(number);
  }
  return lines;
}

class Checks : public testing::TestWithParam<Expectation> {};

TEST_P(Checks, SayWhatIsWrong) {
  const Expectation& e = GetParam();
  const std::string scratch = testing::TempDir() + "simgpu_checks_" + e.name + "_" + std::to_string(getpid());
  const std::string command = std::string("LD_LIBRARY_PATH='" DROPIN_FOLDER "' SIMGPU_REPORT='json:") +
                              scratch + ".json' timeout 60 '" PROGRAMS "/" + e.program + "' " + e.name +
                              " > '" + scratch + ".txt' 2> /dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const std::string output = read(scratch + ".txt");
  const auto report = nlohmann::json::parse(read(scratch + ".json"));
  std::remove((scratch + ".txt").c_str());
  std::remove((scratch + ".json").c_str());

  EXPECT_NE(output.find("error " + std::to_string(e.error) + "\n"), std::string::npos)
      << "the program saw: " << output << "\nexpected: error " << e.error;
  if (e.call != 0) {
    EXPECT_NE(output.find("call " + std::to_string(e.call) + "\n"), std::string::npos)
        << "the program saw: " << output;
  }

  const std::string kind = e.kind == nullptr ? "" : e.kind;
  nlohmann::json findings = nlohmann::json::array();
  for (const auto& f : report.at("findings"))
    if (f.at("kind") != "leak" || kind == "leak") findings.push_back(f);
  if (e.kind == nullptr) {
    EXPECT_TRUE(findings.empty()) << findings.dump(2);
    return;
  }
  ASSERT_EQ(findings.size(), 1u) << findings.dump(2);
  const auto& f = findings[0];
  SCOPED_TRACE(f.dump(2));
  EXPECT_EQ(f.at("kind"), kind);
  EXPECT_EQ(f.at("severity"), e.warning ? "warning" : "error");
  const std::string message = f.at("message");
  EXPECT_NE(message.find(e.says), std::string::npos) << "does not say: " << e.says;
  if (e.mark == nullptr) return;
  const std::set<int> here = marked(e.program, e.mark, '!'), there = marked(e.program, e.mark, '~');
  ASSERT_FALSE(here.empty()) << "no line is marked " << e.mark;
  const int line = f.at("line");
  const std::string file = f.at("file");
  EXPECT_NE(file.find(std::string(e.program) + ".cu"), std::string::npos);
  if (kind != "race" && kind != "same_value_race") {
    EXPECT_TRUE(here.count(line)) << "line " << line;
    return;
  }
  // Which of the two comes first is the schedule's affair.
  const int other = f.at("other_line");
  if (other == 0) {  // a copy stands in no kernel
    EXPECT_TRUE(here.count(line) || there.count(line)) << "line " << line;
    return;
  }
  const auto is = [&](int a, int b) { return here.count(a) && (there.empty() ? here : there).count(b); };
  EXPECT_TRUE(is(line, other) || is(other, line)) << "lines " << line << " and " << other;
}

std::string name_of(const testing::TestParamInfo<Expectation>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(All, Checks, testing::ValuesIn(kExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Order, Checks, testing::ValuesIn(kOrderExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Streams, Checks, testing::ValuesIn(kStreamExpectations), name_of);

}  // namespace
