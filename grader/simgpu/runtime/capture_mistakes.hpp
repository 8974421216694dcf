/// @file
/// What a program is told that spoils a capture: the error alone names neither the rule nor the way out.
#pragma once

#include <driver_types.h>

#include <string>

namespace simgpu::runtime {

/// @param call that returned @p error
/// @return a sentence or two for the report; empty if @p error has nothing to do with captures, or @p call only asks about them.
std::string capture_mistake(const char* call, cudaError_t error);

}  // namespace simgpu::runtime
