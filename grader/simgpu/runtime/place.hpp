/// @file
/// What a pointer handed to the API points to.
#pragma once

#include <cstddef>

#include "simgpu/device/place.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// Looks up @p bytes bytes at @p pointer.
Place place(Runtime& runtime, const void* pointer, std::size_t bytes);

}  // namespace simgpu::runtime
