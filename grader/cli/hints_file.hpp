/// @file
/// An exercise's hints.md: numbered steps from a nudge to almost the answer, and sections that fit one verdict or cause.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace course::cli {

/// One section of the page.
struct hint_section {
  std::string title;  ///< of a step: the heading without its number
  std::vector<std::string>
      words;  ///< of "## if race, bank_conflicts": those verdicts and causes; empty for a step
  std::string text;

  bool is_step() const { return words.empty(); }
};

/// What the page holds, in its order.
struct hints_file {
  std::vector<hint_section> steps;
  std::vector<hint_section> on_verdicts;

  /// @return nothing in it if there is no such file.
  static hints_file read(const std::filesystem::path& file);

  /// The section for a last verdict: one that names its cause before one that names the verdict. nullptr if there is none.
  const hint_section* fitting(const std::string& verdict, const std::string& cause) const;
};

}  // namespace course::cli
