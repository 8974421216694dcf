/// @file
/// The questions that a worker may ask when its CUDA runtime is the simulated one. Looked up by name, so
/// that the same source serves both devices, and before the plugin is loaded, so that a plugin cannot answer
/// in its place.
#pragma once

#include <string>

namespace course::worker {

/// Looks the functions up. Call once, first.
void find_simulator();

/// True if the runtime in this process simulates.
bool simulated();

/// True if the simulated device is a process of the judge's, which speaks to it past this one (protocol/messages.md, "In steps").
bool device_is_judges();

/// Passes @p text to simgpu_configure. @return false if it refuses; true on a real device.
bool configure_simulator(const std::string& text);

/// @return the report since the last call, or the part of it that this process knows where the device is the judge's; empty on a real
/// device.
std::string take_report();

}  // namespace course::worker
