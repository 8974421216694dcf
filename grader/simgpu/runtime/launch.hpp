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

/// Occupancy of @p entry with the given block.
/// @return nothing if the kernel cannot be loaded.
struct Footprint {
  std::uint32_t registers = 0;  ///< per thread, as reported or assumed
  std::optional<std::uint32_t> known_registers;
  std::uint32_t spill_bytes = 0;
  std::uint32_t stack_bytes = 0;  ///< known if the registers are
  std::uint32_t static_shared = 0;
  std::uint32_t local_bytes = 0;
  std::uint32_t max_threads = 1024;  ///< a block of this kernel can have
};
std::optional<Footprint> footprint(Runtime& runtime, KernelEntry& entry);

/// Largest dynamic shared memory that a launch of @p entry may ask for now.
std::size_t max_dynamic_shared(const Runtime& runtime, const KernelEntry& entry, const Footprint& footprint);

}  // namespace simgpu::runtime
