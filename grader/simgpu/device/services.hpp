/// @file
/// What running kernels ask of the device: printf, malloc, notes about assertions and progress.
#pragma once

#include <cstdint>
#include <string>

#include "simgpu/device/gpu.hpp"
#include "simgpu/device/unasked.hpp"
#include "simgpu/exec/executor.hpp"

namespace simgpu::device {

/// What somebody who waits is told of a kernel that still runs.
/// @param limit of @p instructions, 0 for none
/// @param begun of its @p blocks
std::string still_running(const std::string& kernel, double seconds, std::uint64_t instructions,
                          std::uint64_t limit, std::uint64_t begun, std::uint64_t blocks);

/// Services for one launch of @p kernel on @p device.
/// @param unasked hears what the kernel prints, and outlives it
/// @param blocks of the launch
exec::Services services(Gpu& gpu, const Unasked& unasked, int device, const std::string& kernel,
                        std::uint64_t blocks);

}  // namespace simgpu::device
