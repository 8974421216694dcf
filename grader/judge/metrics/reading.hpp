/// @file
/// What metrics are made of: a reading with its cause, sentence and place; sums over launches and lines that more than one of them needs.
#pragma once

#include <string>
#include <string_view>

#include "judge/device_report.hpp"
#include "judge/metrics.hpp"

namespace course::metrics {

/// There was nothing to count.
inline const reading kNothing{.counted = false};

/// Value over what is needed; a need of nothing leaves nothing to count.
reading over(double value, double needed);

/// The same reading with what is said of it: its cause, a sentence, the place.
reading with(reading found, std::string_view why, std::string sentence, location at = {});

/// Takes over sentence and place of the largest waste of a kind.
reading with_waste(reading found, const evidence& seen, std::string_view kind);

/// What the task asks for: bytes to be read, bytes to be written, elements of the outputs.
double read_of(const evidence& seen);
double written_of(const evidence& seen);
double outputs_of(const evidence& seen);

/// A counter by its name.
double counted(const evidence& seen, std::string_view name);

/// Bytes that lanes move to or from shared memory. @param kind "load" or "store"
double shared_bytes_of(const evidence& seen, std::string_view kind);

/// A reading whose cause is that the idea of the exercise is not there.
reading off(reading found, std::string sentence);

/// "0.5 of what the task asks for".
std::string share_text(double value);

/// The launch that comes off worst by @p value, of those that touch data.
template <class Value>
reading worst_of_launches(const evidence& seen, bool largest, const Value& value) {
  reading found = kNothing;
  for (const auto& launch : seen.report.launches()) {
    if (!launch.touches_data()) continue;
    const double here = value(launch);
    if (!found.counted || (largest ? here > found.value : here < found.value)) found = {.value = here};
  }
  return found;
}

}  // namespace course::metrics
