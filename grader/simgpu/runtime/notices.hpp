/// @file
/// What the simulator tells the user while the program runs.
#pragma once

#include <string_view>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// Prints "simgpu: <text>" to standard error, each text once. Silent where a report is asked for, which says it all in better order.
void notice(Runtime& runtime, std::string_view text);

/// Says what stopped a kernel: the program itself sees no more than an error code. @param why may be empty
void notice_fault(Runtime& runtime, std::string_view why);

}  // namespace simgpu::runtime
