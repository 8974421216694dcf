/// @file
/// From what the benchmarks showed to gates that are met or missed, and to a verdict.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "judge/bandwidth.hpp"
#include "records/no_teeth.hpp"

namespace course {

/// Evaluates @p gates on all @p runs, in the order of writing, and notes each in @p into.gates.
/// @param exercise its name, for metrics that ask whose line it is.
/// @param without_teeth pass gates that do not count on the card at hand (records/no_teeth.hpp), when its time was measured: they are
/// noted, and nobody is refused by them.
/// @return too_slow, wasteful or inconclusive; nothing when all is well.
std::optional<judgement> check_gates(const exercise& what, const std::vector<gate>& gates,
                                     const std::vector<benchmark_run>& runs, std::string_view exercise,
                                     result& into, const std::vector<toothless_gate>& without_teeth = {});

}  // namespace course
