/// @file
/// Starts the device's process.
#pragma once

#include <optional>
#include <string>

namespace simgpu::runtime {

struct DeviceProcess {
  int door = -1;    ///< socket to the device
  int grader = -1;  ///< socket on which the grader speaks to it
};

/// @return nothing, and @p problem is a sentence, if it cannot be started.
std::optional<DeviceProcess> start_device_process(std::string& problem);

}  // namespace simgpu::runtime
