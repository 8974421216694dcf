/// @file
/// Writes a report where SIMGPU_REPORT wants it.
#pragma once

#include <cstddef>
#include <string_view>

#include "simgpu/report/report.hpp"

namespace simgpu::report {

/// @param wishes "text", "json" or "trace", with ":path" behind it if not for standard error; several with commas between. What is none
/// of these, or cannot be written, costs a sentence on standard error. Empty: nothing is written.
void write_files(const Report& report, std::string_view wishes);

/// @return how many of its findings are errors, not warnings
std::size_t errors_of(const Report& report);

}  // namespace simgpu::report
