/// @file
/// All cases of an exercise on one device: the verdict about right and wrong.
#pragma once

#include <cstdint>
#include <functional>

#include "judge/contestant.hpp"
#include "judge/exercise.hpp"
#include "judge/result.hpp"

namespace course {

/// Runs every case twice with fresh data, so that a second call must not remember the first; on the simulated
/// GPU a third time with blocks and warps in reverse order. Stops at the first decisive case. Adds a
/// case_result for each case to @p into.
/// @param who a contestant that has been started and has loaded its plugin.
/// @param start_another starts one more of the same: what is wrong in a later call is tried there as a first call, so that
///        only what depends on the call before is blamed on it.
/// @return nullopt when all is right.
std::optional<judgement> run_cases(const exercise& what, contestant& who, std::uint64_t seed, result& into,
                                   const std::function<std::optional<judgement>(contestant&)>& start_another);

/// True if no kernel of the report touched any memory: nothing has been tried yet.
bool nothing_tried(const device_report& report);

}  // namespace course
