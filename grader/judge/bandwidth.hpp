/// @file
/// How fast a right program is: modelled on the simulated GPU from exact counts, measured on a real one. Both
/// end in the same gates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "judge/contestant.hpp"
#include "judge/exercise.hpp"
#include "judge/result.hpp"

namespace course {

/// Calibrated error of modelled time against a real card: below a pass gate by less than this the verdict is
/// left to a GPU.
inline constexpr double kModelError = 0.12;

/// Student and reference, in this order of interest.
struct contenders {
  contestant& student;
  contestant& reference;
};

/// One modelled launch of each at the exercise's simulated size; outputs of that launch are checked.
/// @param reference null on a machine where the time is measured: then only idea gates are evaluated.
/// @param report the student's counts, for explanations.
std::optional<judgement> model_on_sim(const exercise& what, contestant& student, contestant* reference,
                                      std::uint64_t seed, result& into, device_report& report);

/// Interleaved pairs on a real device (measure.cpp).
/// @param lock_folder where the lock file of the device lies: one measurement at a time.
std::optional<judgement> measure_on_gpu(const exercise& what, contenders who, std::uint64_t seed,
                                        const std::filesystem::path& lock_folder, result& into);

/// Evaluates the idea gates from @p report. @return the judgement `wasteful` if one is missed.
std::optional<judgement> judge_ideas(const exercise& what, const problem& asked, const device_report& report,
                                     result& into);

/// Evaluates pass gate and limit mark from into.measured. @return `too_slow`, `inconclusive` or nothing.
/// @param report counts of the same program, for the reason; may be absent.
std::optional<judgement> judge_speed(const exercise& what, const problem& asked, const device_report& report,
                                     result& into);

}  // namespace course
