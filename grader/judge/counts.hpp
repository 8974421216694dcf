/// @file
/// What one benchmark's timed run counted, as result files keep it for reports: totals beside the fewest possible, source lines, kernels, the
/// time line, and every metric. Written by the judge only: what a hand-in says of itself is not asked.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "judge/bandwidth.hpp"

namespace course {

/// Source lines that a result file keeps: those that cost most.
inline constexpr std::size_t kMostLines = 64;

/// One element of a result file's `counts` (docs/pages/result_schema.md).
/// @param exercise its name, as metrics want it.
nlohmann::json counts_json(const exercise& what, const benchmark& of, const benchmark_run& run,
                           std::string_view exercise);

/// Bytes over the memory bus for each byte that the contract needs, of one benchmark; 0 if it was not counted.
/// @param counts a result's.
double bus_per_needed(const nlohmann::json& counts, std::string_view benchmark);

}  // namespace course
