/// @file
/// One table of device attributes for everybody who asks.
#pragma once

#include <optional>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// @return attribute number @p attribute (cudaDeviceAttr) of @p device, or nothing if there is no such attribute.
std::optional<int> device_attribute(const Runtime& runtime, int attribute, int device);

}  // namespace simgpu::runtime
