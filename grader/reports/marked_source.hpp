/// @file
/// A student's file with what a grading has to say about its lines: which one is at fault, which one is the other half of it, and what each
/// one asked of memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/outcome.hpp"

namespace course::reports {

/// What a line has to do with the verdict.
enum class line_role { plain, fault, other };

/// One line.
struct marked_line {
  int number = 0;    ///< 1-based
  std::string text;  ///< printable
  line_role role = line_role::plain;
  std::vector<std::string> notes;  ///< one sentence each: the fault, then counts
};

/// A file.
struct marked_source {
  std::string name;  ///< without folders
  std::vector<marked_line> lines;
  bool is_current =
      true;  ///< false: the student's file has changed since it was graded; this is what was graded

  /// 1-based; nullptr if the file is not that long.
  const marked_line* line(int number) const;
};

/// Marks a file with what the deciding result of an exercise says.
/// @param[in] text of the file as it was graded.
marked_source mark_source(const outcome& o, const std::string& text, bool is_current);

/// What a line asked of one memory: "load: 187,501 requests, 24.0 MB; 4 sectors each, the fewest".
std::string counts_text(const line_counts& of);

/// What a line costs on its data path, in bytes: to find the lines that matter.
double cost_of(const line_counts& of);

}  // namespace course::reports
