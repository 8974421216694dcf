/// @file
/// What an exercise's result files say together: one verdict per exercise. Correctness comes first; bandwidth
/// only speaks where the answer is right.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "records/tree.hpp"
#include "reports/result.hpp"

namespace course::reports {

/// An exercise, graded.
struct outcome {
  exercise_id exercise;
  std::optional<result> correctness;  ///< or, of a drill, its answers
  std::optional<result> bandwidth;
  std::string verdict;  ///< empty: not graded
  std::string cause;
  std::string headline;
  place location;
  bool at_the_limit = false;
  bool complete = false;  ///< false: right, but bandwidth was not part of this run

  /// The result that decided; nullptr if there is none.
  const result* decisive() const;
  /// What the program printed, by the deciding result, else by the other one; an empty `where` if nothing.
  const printed_output& printed() const;
};

/// Joins an exercise's results.
/// @param[in] run only results of this ctest run count; empty = any.
outcome join_results(const exercise_id& exercise, const std::vector<result>& results, const std::string& run);

/// The gate to show in one cell: the first pass or idea gate that is missed, else the pass gate; of several benchmarks' speeds the worst.
/// nullptr if there is none.
const gate* telling_gate(const result& r);

/// The speed to show beside it: of the same benchmark, where that gate is one of speed; else the slowest. nullptr if nothing was timed.
const measurement* telling_measurement(const result& r);

/// Takes back a verdict that rests on a speed which was modelled and not measured: it becomes inconclusive, with a sentence. What
/// is wrong, or wasteful by counts, stays decided.
/// @return true if it did.
bool refuse_modelled_speed(outcome& graded);

/// Summary of a whole grading for other programs, schema course.grade/1 (docs/result_schema.md).
nlohmann::json grade_summary(const std::vector<outcome>& outcomes, const tree& graded);

}  // namespace course::reports
