/// @file
/// Launching a kernel: checks, run, counts, time, report.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <optional>
#include <vector>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// What a launch call asks for.
struct LaunchRequest {
  dim3 grid, block;
  std::optional<dim3> cluster;
  std::size_t dynamic_shared = 0;
  bool cooperative = false;
  /// Hints about scheduling and caching, which change no result: a graph's node can be asked about them.
  std::map<int, cudaLaunchAttributeValue> hints = {};
  const void* function = nullptr;  ///< as the program named the kernel
};

/// Checks a launch as the hardware's runtime does, copies the arguments and submits it to @p stream.
/// @param args one pointer for each kernel parameter; read before this returns.
/// @return errors of the configuration. A fault while the kernel runs is reported by a later call, as on hardware.
cudaError_t launch(Runtime& runtime, KernelEntry& entry, const LaunchRequest& request, void** args,
                   Stream& stream);

/// What @p entry needs of an SM. @return nothing if the kernel cannot be loaded.
std::optional<Footprint> footprint(Runtime& runtime, KernelEntry& entry);

/// @p window as the device takes it.
queue::Window window_of(const cudaAccessPolicyWindow& window, queue::Window::SetBy set_by);

/// Largest dynamic shared memory that a launch of @p entry may ask for now.
std::size_t max_dynamic_shared(const Runtime& runtime, const KernelEntry& entry, const Footprint& footprint);

}  // namespace simgpu::runtime
