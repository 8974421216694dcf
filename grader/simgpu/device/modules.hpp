/// @file
/// Device code that devices have loaded: from PTX to kernels that can run, and variables in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/lower/program.hpp"
#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/timing/resources.hpp"

namespace simgpu::device {

class Gpu;
using queue::Footprint;

/// What one device holds of it.
struct LoadedModule {
  lower::Program program;
  std::vector<std::uint64_t> variables;              ///< their base addresses
  std::vector<std::optional<Footprint>> footprints;  ///< of its kernels, as far as anybody asked
  std::string text, file;  ///< its PTX, and the file that it came from, until ptxas is asked
  bool resources_read = false;
  std::optional<timing::ResourceReport> resources;
};

/// Parses and lowers the code, and gives its variables memory and values.
/// @return Loaded. Status no_kernel_image, invalid_ptx or memory_allocation, with a problem and nothing loaded.
queue::Answer load(Gpu& gpu, const queue::Load& command);
void unload(Gpu& gpu, queue::Id module);

/// A kernel of a module, with what it needs. @return nullptr for both if there is none.
struct FoundKernel {
  const lower::Kernel* kernel = nullptr;
  const Footprint* footprint = nullptr;
};
/// Asks ptxas about the module if nobody has yet, and nothing is kept beside the file.
FoundKernel find_kernel(Gpu& gpu, queue::Id module, std::uint32_t number);

}  // namespace simgpu::device
