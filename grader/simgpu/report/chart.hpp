/// @file
/// The timeline as a picture of characters: a row for each stream, so that overlap can be seen at a glance.
#pragma once

#include <string>

#include "simgpu/report/report.hpp"

namespace simgpu::report {

/// @return lines that end in a newline; empty if there is no more than one stream, where nothing can overlap.
std::string timeline_chart(const TimelineReport& timeline);

}  // namespace simgpu::report
