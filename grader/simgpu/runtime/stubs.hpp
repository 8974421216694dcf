/// @file
/// What a stub of an API function that is not simulated does.
#pragma once

namespace simgpu::runtime {

/// Records @p name for the report, prints one line to stderr the first time, and sets the last error.
/// @return cudaErrorNotSupported, as an int.
int unsupported_call(const char* name);

}  // namespace simgpu::runtime
