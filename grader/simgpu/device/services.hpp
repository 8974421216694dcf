/// @file
/// What running kernels ask of the device: printf, malloc, notes about assertions and progress.
#pragma once

#include "simgpu/device/gpu.hpp"
#include "simgpu/device/unasked.hpp"
#include "simgpu/exec/executor.hpp"

namespace simgpu::device {

/// Services for one launch of @p kernel on @p device.
/// @param unasked hears what the kernel prints, and outlives it
/// @param blocks of the launch
exec::Services services(Gpu& gpu, const Unasked& unasked, int device, const std::string& kernel,
                        std::uint64_t blocks);

}  // namespace simgpu::device
