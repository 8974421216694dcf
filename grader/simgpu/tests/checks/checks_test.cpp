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

#include "handles_expectations.hpp"
#include "order_expectations.hpp"
#include "stream_expectations.hpp"
#include "telling_expectations.hpp"
#include "waiting_expectations.hpp"

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

/// Copies by the copy engine with wrong addresses: whoever waits for them would wait in vain.
bool ends_all_the_same(const std::string& name) {
  return name == "bulk_beyond" || name == "bulk_source_misaligned";
}

class Checks : public testing::TestWithParam<Expectation> {};

struct Run {
  std::string output;
  nlohmann::json findings = nlohmann::json::array();  ///< without leaks, unless they are expected
};

/// Runs a case. @param environment further variables: "NAME=value ".
Run run(const Expectation& e, const std::string& environment = "") {
  const std::string scratch = testing::TempDir() + "simgpu_checks_" + e.name + "_" + std::to_string(getpid());
  const std::string devices = e.program == std::string("order_devices") ? "SIMGPU_DEVICES=2 " : "";
  const std::string command = environment + devices +
                              "LD_LIBRARY_PATH='" DROPIN_FOLDER "' SIMGPU_REPORT='json:" + scratch +
                              ".json' timeout 60 '" PROGRAMS "/" + e.program + "' " + e.name + " > '" +
                              scratch + ".txt' 2> /dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  Run result{.output = read(scratch + ".txt")};
  const auto report = nlohmann::json::parse(read(scratch + ".json"));
  std::remove((scratch + ".txt").c_str());
  std::remove((scratch + ".json").c_str());
  for (const auto& f : report.at("findings"))
    if (f.at("kind") != "leak" || (e.kind != nullptr && e.kind == std::string("leak")))
      result.findings.push_back(f);
  return result;
}

TEST_P(Checks, SayWhatIsWrong) {
  const Expectation& e = GetParam();
  const auto [output, findings] = run(e);
  EXPECT_NE(output.find("error " + std::to_string(e.error) + "\n"), std::string::npos)
      << "the program saw: " << output << "\nexpected: error " << e.error;
  if (e.call != 0) {
    EXPECT_NE(output.find("call " + std::to_string(e.call) + "\n"), std::string::npos)
        << "the program saw: " << output;
  }

  const std::string kind = e.kind == nullptr ? "" : e.kind;
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

/// What is found must not depend on whether the program goes on, and what leaves nothing to go on with still ends it.
TEST_P(Checks, KeepGoing) {
  const Expectation& e = GetParam();
  const std::set<std::string> passed = {"out_of_bounds", "misaligned", "use_after_free", "missing_wait",
                                        "missing_fence"};
  const std::string kind = e.kind == nullptr ? "" : e.kind, name = e.name;
  const auto [output, findings] = run(e, "SIMGPU_KEEP_GOING=on ");
  SCOPED_TRACE(findings.dump(2));
  const bool goes_on = passed.count(kind) != 0 && !ends_all_the_same(name);
  EXPECT_NE(output.find("error " + std::to_string(goes_on ? 0 : e.error) + "\n"), std::string::npos)
      << output;
  if (kind.empty()) {
    EXPECT_TRUE(findings.empty());
    return;
  }
  ASSERT_FALSE(findings.empty());
  std::set<int> lines;
  for (const auto& f : findings) {
    if (f.at("kind") != kind) continue;  // once a write is dropped, what nobody wrote may be read
    const int line = f.at("line");
    EXPECT_EQ(f.at("severity"), e.warning ? "warning" : "error");
    if (goes_on && line != 0) {
      EXPECT_TRUE(lines.insert(line).second) << "line " << line << " is told twice";
    }
  }
  if (!goes_on || e.mark == nullptr) return;
  const std::set<int> here = marked(e.program, e.mark, '!');
  EXPECT_TRUE(std::any_of(here.begin(), here.end(), [&](int line) { return lines.count(line) != 0; }))
      << "nothing is told of the marked line";
}

/// @return the exit code of a case, with SIMGPU_ERROR_EXITCODE=@p wanted and no report asked for; what it says goes to @p said
int exit_code_of(const char* program, const char* name, const char* wanted, std::string& said) {
  const std::string file = testing::TempDir() + "simgpu_exit_code_" + std::to_string(getpid());
  const std::string command = std::string("SIMGPU_ERROR_EXITCODE=") + wanted +
                              " LD_LIBRARY_PATH='" DROPIN_FOLDER "' timeout 60 '" PROGRAMS "/" + program +
                              "' " + name + " > '" + file + "' 2>&1";
  const int status = std::system(command.c_str());
  said = read(file);
  std::remove(file.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ErrorExitCode, IsForErrorsAlone) {
  std::string said;
  EXPECT_EQ(exit_code_of("sync_mutants", "reduce_unsynced", "99", said), 99) << said;
  EXPECT_NE(said.find("an error was found, so the exit code is 99"), std::string::npos) << said;
  EXPECT_EQ(exit_code_of("memory_mutants", "sound_constant_written", "99", said), 0) << said;
  EXPECT_EQ(exit_code_of("host_mutants", "leaked_memory", "99", said), 0) << "a warning: " << said;
  EXPECT_EQ(exit_code_of("memory_mutants", "no_such_case", "99", said), 2) << said;
}

TEST(ErrorExitCode, ABadNumberCostsASentence) {
  std::string said;
  EXPECT_EQ(exit_code_of("sync_mutants", "reduce_unsynced", "256", said), 0) << said;
  EXPECT_NE(said.find("SIMGPU_ERROR_EXITCODE=256 is no whole number from 0 to 255"), std::string::npos)
      << said;
}

/// What a program frees behind a fault stays there, since each call fails: that is no leak of its own.
TEST(Leaks, AreNoneBehindAFault) {
  for (const bool faults : {true, false}) {
    const std::string file = testing::TempDir() + "simgpu_leaks_" + std::to_string(getpid()) + ".json";
    const std::string command = "LD_LIBRARY_PATH='" DROPIN_FOLDER "' SIMGPU_REPORT='json:" + file +
                                "' timeout 60 '" PROGRAMS "/host_mutants' " +
                                (faults ? "freed_behind_a_fault" : "reset_behind_a_fault") +
                                " > /dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    const auto report = nlohmann::json::parse(read(file));
    std::remove(file.c_str());
    std::size_t leaks = 0;
    for (const auto& finding : report.at("findings")) leaks += finding.at("kind") == "leak";
    EXPECT_EQ(leaks, faults ? 0u : 1u) << report.at("findings").dump(2);
    EXPECT_EQ(report.at("findings").size(), faults ? 1u : 2u);
  }
}

class Records : public testing::TestWithParam<Expectation> {};

/// As to a device in another process: each command as a record, and memory that host and device share mapped twice. A device that
/// touched the host's own mapping would be taken for the host.
TEST_P(Records, SayTheSame) {
  const Expectation& e = GetParam();
  const auto direct = run(e), records = run(e, "SIMGPU_QUEUE=records ");
  EXPECT_EQ(records.output, direct.output);
  EXPECT_EQ(records.findings.dump(2), direct.findings.dump(2));
}

std::string name_of(const testing::TestParamInfo<Expectation>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(All, Checks, testing::ValuesIn(kExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Order, Checks, testing::ValuesIn(kOrderExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Streams, Checks, testing::ValuesIn(kStreamExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Streams, Records, testing::ValuesIn(kStreamExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Waiting, Checks, testing::ValuesIn(kWaitingExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Telling, Checks, testing::ValuesIn(kTellingExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Telling, Records, testing::ValuesIn(kTellingExpectations), name_of);
INSTANTIATE_TEST_SUITE_P(Handles, Checks, testing::ValuesIn(kHandleExpectations), name_of);

}  // namespace
