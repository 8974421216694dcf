/// @file
/// When copies and kernels ran: a row for each stream, time to the right.
#pragma once

#include <string>

#include "reports/counts.hpp"

namespace course::reports {

/// SVG of a run's operations on the modelled clock.
/// @param[in] id unique in the page.
/// @return empty if there are fewer than two kernels and copies over the link: nothing could overlap.
std::string timeline_chart(const run_counts& run, const std::string& id);

}  // namespace course::reports
