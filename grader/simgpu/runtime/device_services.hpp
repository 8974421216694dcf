/// @file
/// What running kernels ask of the runtime: printf, malloc, notes about assertions and progress.
#pragma once

#include "simgpu/exec/executor.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// Services for one launch of @p kernel on @p device.
/// @param blocks of the launch
exec::Services device_services(Runtime& runtime, int device, const std::string& kernel, std::uint64_t blocks);

}  // namespace simgpu::runtime
