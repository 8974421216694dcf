/// @file
/// Implementation of ctest_runner.hpp.
#include "cli/ctest_runner.hpp"

#include <sched.h>

#include <algorithm>
#include <regex>

#include "build/process.hpp"
#include "records/files.hpp"
#include "records/run_id.hpp"
#include "reports/text.hpp"

namespace course::cli {

bool parse_ctest_line(std::string_view line, ctest_event& event) {
  // "    Start 1: name", "1/9 Test #1: name ......   Passed    0.01 sec", "2/9 Test #2: name ......***Failed
  // 0.01 sec"
  static const std::regex kStart(R"(^\s*Start\s+\d+: (\S+)\s*$)");
  static const std::regex kDone(R"(^\s*(\d+)/(\d+) Test\s+#\d+: (\S+) \.*(.*?)\s+([0-9.]+) sec\s*$)");
  if (line.size() > 1000) return false;
  const std::string text(line);
  std::smatch match;
  if (std::regex_match(text, match, kStart)) {
    event = {ctest_event::kind::started, match[1], 0, 0, 0};
    return true;
  }
  if (!std::regex_match(text, match, kDone)) return false;
  const std::string word = match[4];
  event.name = match[3];
  event.finished = std::stoi(match[1]);
  event.total = std::stoi(match[2]);
  event.seconds = std::stod(match[5]);
  event.what = ctest_event::kind::failed;
  if (word.find("Passed") != std::string::npos) event.what = ctest_event::kind::passed;
  if (word.find("***Skipped") != std::string::npos) event.what = ctest_event::kind::skipped;
  if (word.find("***Timeout") != std::string::npos) event.what = ctest_event::kind::timeout;
  if (word.find("***Not Run") != std::string::npos) event.what = ctest_event::kind::not_run;
  return true;
}

std::string test_seconds_text(double seconds) {
  return seconds < 0.01 ? "< 10 ms" : reports::seconds_text(seconds);
}

ctest_outcome run_ctest(const build_folder& build, const ctest_request& request) {
  std::string ctest = build.config().ctest;
  if (find_program(ctest).empty()) ctest = "ctest";
  if (find_program(ctest).empty())
    throw environment_error("ctest is missing: install CMake 3.25 or newer (apt-get install cmake).");

  ctest_outcome outcome;
  process_request process;
  process.command = {ctest, "--test-dir", build.root().string(), "--no-label-summary"};
  process.command.insert(process.command.end(), request.arguments.begin(), request.arguments.end());
  process.set_variables = request.set_variables;
  process.output_limit_bytes = 8 << 20;
  process.on_start = [&](int child) {
    outcome.run = run_id_of(child);
    if (request.on_start) request.on_start(outcome.run);
  };
  bool in_tests = false;
  process.on_line = [&](std::string_view line) {
    ctest_event event;
    if (parse_ctest_line(line, event)) {
      in_tests = true;
      if (request.on_event) request.on_event(event);
      return;
    }
    if (line.find("% tests passed") != std::string_view::npos) in_tests = false;
    if (in_tests && request.on_output) request.on_output(line);
  };
  const process_result result = run_process(process);
  outcome.exit_code = result.exit_code;
  outcome.output = result.output;
  return outcome;
}

int available_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace course::cli
