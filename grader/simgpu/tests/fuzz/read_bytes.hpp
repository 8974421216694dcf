/// @file
/// What the fuzzer of the container does with one input; the test of its corpus does the same.
#pragma once

#include <string_view>

namespace simgpu::fuzz {

/// Reads @p bytes as a container, directly and through a wrapper. Aborts if the answer is neither a text nor a reason.
void read_bytes(std::string_view bytes);

}  // namespace simgpu::fuzz
