/// @file
/// All cases of an exercise on one device: the verdict about right and wrong.
#pragma once

#include <cstdint>
#include <functional>

#include "judge/contestant.hpp"
#include "judge/exercise.hpp"
#include "judge/result.hpp"

namespace course {

/// Who runs in a grading of correctness.
struct correctness_run {
  const exercise& what;
  contestant& student;  ///< started, its plugin loaded
  std::uint64_t seed = 0;
  /// Starts one more of the student's: what is wrong in a later call is tried there as a first call, so that only what depends on the
  /// call before is blamed on it.
  std::function<std::optional<judgement>(contestant&)> start_another;
  /// Starts the reference on the same device, where a case asks for its answer.
  std::function<std::optional<judgement>(contestant&)> start_reference;
};

/// Runs every case twice with fresh data, so that a second call must not remember the first; on the simulated GPU a third time with
/// blocks and warps in reverse order; the hidden one once. Stops at the first decisive case. Adds a case_result for each to @p cases, and
/// keeps in @p printed what the deciding case printed, else what the first one did that printed anything.
/// @return nullopt when all is right.
std::optional<judgement> run_cases(const correctness_run& run, std::vector<case_result>& cases,
                                   printed_output& printed);

/// True if the program did nothing: no kernel that touches memory, no copy, no allocation.
bool nothing_tried(const device_report& report, const device_report& before);

}  // namespace course
