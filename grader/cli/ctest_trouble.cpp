/// @file
/// Implementation of ctest_trouble.hpp.
#include "cli/ctest_trouble.hpp"

#include <fmt/format.h>

namespace course::cli {
namespace {

std::string_view stripped(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

/// Takes the first line off a text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// CMake's first complaint in one line: its heading, and the paragraph that follows it indented, or the system's reason.
std::string first_complaint(std::string_view output) {
  constexpr std::string_view kMark = "CMake Error", kReason = "CMake Error: : ";
  while (!output.empty()) {
    const std::string_view line = take_line(output);
    if (!line.starts_with(kMark)) continue;
    std::string complaint(stripped(line));
    const std::string_view next = take_line(output);
    if (next.starts_with("  ")) complaint += " " + std::string(stripped(next));
    if (next.starts_with(kReason)) complaint += ": " + std::string(stripped(next.substr(kReason.size())));
    while (complaint.ends_with('.') || complaint.ends_with(':')) complaint.pop_back();
    return complaint;
  }
  return {};
}

}  // namespace

std::string why_no_test_ran(std::string_view output, const build_folder& build) {
  const std::string configure =
      fmt::format("run `cmake --preset {}` and try again", build.root().filename().string());
  const std::string complaint = first_complaint(output);
  if (complaint.find("for write") != std::string::npos)
    return fmt::format(
        "ctest cannot write its log ({}): make {} writable, or free some space, and try again.", complaint,
        build.root().string());
  if (!complaint.empty()) return fmt::format("ctest cannot read its tests ({}): {}.", complaint, configure);
  if (output.find("No tests were found") != std::string_view::npos)
    return fmt::format("The build folder {} has no tests of these exercises: {}.", build.root().string(),
                       configure);
  std::string_view said = stripped(output);
  return fmt::format("ctest ended before its first test{}{}: {}.",
                     said.empty() ? "" : ", and its last words were: ",
                     stripped(said.substr(said.rfind('\n') + 1)), configure);
}

std::string last_words(std::string_view log, std::string_view test) {
  const std::size_t begin = log.rfind(fmt::format("\n\"{}\" start time", test));
  if (begin == std::string_view::npos) return {};
  log.remove_prefix(begin + 1);
  constexpr std::string_view kRule = "-----";
  while (!log.empty() && !take_line(log).starts_with(kRule)) {
  }
  std::string words;
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    // What comes behind GoogleTest's first mark of a failure only counts the failures.
    if (line.starts_with("<end of output>") || line.starts_with("[  FAILED")) break;
    if (!stripped(line).empty() && !line.starts_with('[')) words = stripped(line);
  }
  return words;
}

}  // namespace course::cli
