/// @file
/// Numbers as people read them. Inside, everything is in seconds, bytes and bytes per second.
#pragma once

#include <cstdint>
#include <string>

namespace simgpu::report {

/// "12.3 us". Three significant digits.
std::string time_text(double seconds);
/// "1.50 MB", powers of 1000.
std::string bytes_text(double bytes);
/// "349 GB/s", powers of 1000.
std::string rate_text(double bytes_per_second);
/// "14.2 %" of a ratio; none behind the point from 20 % on, two below 1 %.
std::string percent_text(double ratio);

}  // namespace simgpu::report
