/// @file
/// Implementation of ctest_runner.hpp.
#include "cli/ctest_runner.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "build/process.hpp"
#include "records/files.hpp"
#include "records/quantities.hpp"
#include "records/run_id.hpp"
#include "reports/text.hpp"

namespace course::cli {

namespace {

/// Reads a line from its beginning, piece by piece. (std::regex would do it in a line or two, and take longer to compile than the rest of
/// this program.)
class line_reader {
 public:
  explicit line_reader(std::string_view line) : rest_(line) {}
  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool number(int& value) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  bool word(std::string& value) {
    value = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(value.size());
    return !value.empty();
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// Takes "  0.01 sec" from a line's end.
bool take_seconds(std::string_view& line, double& seconds) {
  if (!line.ends_with(" sec")) return false;
  line.remove_suffix(4);
  const std::size_t space = line.rfind(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view number = line.substr(space + 1);
  line.remove_suffix(number.size());
  return std::from_chars(number.data(), number.data() + number.size(), seconds).ec == std::errc();
}

}  // namespace

bool parse_ctest_line(std::string_view line, ctest_event& event) {
  // "    Start 1: name", "1/9 Test #1: name ......   Passed    0.01 sec", "2/9 Test #2: name ......***Failed
  // 0.01 sec"
  while (line.ends_with(' ')) line.remove_suffix(1);
  ctest_event found;
  int number = 0;
  line_reader reader(line);
  reader.skip_spaces();
  if (reader.skip("Start")) {
    reader.skip_spaces();
    if (!reader.number(number) || !reader.skip(": ") || !reader.word(found.name) || !reader.rest().empty())
      return false;
    event = found;
    return true;
  }
  if (!take_seconds(line, found.seconds)) return false;
  reader = line_reader(line);
  reader.skip_spaces();
  if (!reader.number(found.finished) || !reader.skip("/") || !reader.number(found.total) ||
      !reader.skip(" Test"))
    return false;
  reader.skip_spaces();
  if (!reader.skip("#") || !reader.number(number) || !reader.skip(": ") || !reader.word(found.name))
    return false;
  const auto says = [&](std::string_view word) { return reader.rest().find(word) != std::string_view::npos; };
  found.what = says("***Not Run")   ? ctest_event::kind::not_run
               : says("***Timeout") ? ctest_event::kind::timeout
               : says("***Skipped") ? ctest_event::kind::skipped
               : says(" Passed")    ? ctest_event::kind::passed
                                    : ctest_event::kind::failed;
  event = found;
  return true;
}

std::string test_seconds_text(double seconds) {
  return seconds < 0.01 ? "< 10 ms" : seconds_text(seconds);
}

ctest_outcome run_ctest(const build_folder& build, const ctest_request& request) {
  std::string ctest = build.config().ctest;
  if (find_program(ctest).empty()) ctest = "ctest";
  if (find_program(ctest).empty())
    throw environment_error("ctest is missing: install CMake 3.25 or newer (apt-get install cmake).");

  ctest_outcome outcome;
  process_request process;
  const auto& folder = request.folder.empty() ? build.root() : request.folder;
  process.command = {ctest, "--test-dir", folder.string(), "--no-label-summary"};
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
