/// @file
/// All that there is to say of one exercise, as the terminal's report and the page take it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "records/attempts.hpp"
#include "reports/marked_source.hpp"
#include "reports/outcome.hpp"

namespace course::reports {

/// A number that a student wrote down before the first grading, and what was counted.
struct predicted_number {
  std::string question;  ///< in words
  std::string unit;
  std::string predicted;          ///< as it was written
  std::optional<double> counted;  ///< none: the last result does not have it
  std::string explanation = {};   ///< says the right answer
  bool after_grading = false;     ///< given when a verdict was known already
};

/// See the file's head.
struct report_parts {
  outcome graded = {};
  tree of = {};                              ///< what was graded
  std::optional<marked_source> source = {};  ///< none: the file is gone, or there is none (drills)
  std::vector<predicted_number> predicted = {};
  std::vector<attempt> attempts = {};  ///< joined, the oldest first
  std::string compiler_log = {};       ///< of a compile_error
};

/// A judging in two parts is one attempt: a speed result stands for the correctness result of the same source before it.
std::vector<attempt> joined_attempts(const std::vector<attempt>& judgings);

/// A metric of the deciding result by its name; none if it was not counted. Of several benchmarks, the first that has it.
std::optional<double> metric_of(const outcome& o, const std::string& name);

}  // namespace course::reports
