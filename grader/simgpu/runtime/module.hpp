/// @file
/// One fat binary of the program: read when a kernel or variable of it is first needed, and loaded by each device that needs it.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/queue/answer.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// Device code in one compilation unit of the program.
class Module {
 public:
  /// @param wrapper the argument of __cudaRegisterFatBinary; its address also tells which shared object holds it.
  explicit Module(const void* wrapper);
  /// A module from PTX text (cudaLibraryLoadData). @param text NUL-terminated or not.
  explicit Module(std::string text);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Has @p device load it, if that has not happened yet.
  /// @return cudaSuccess, or why this code cannot run; then problem() says it in a sentence.
  cudaError_t load(Runtime& runtime, int device);
  const std::string& problem() const noexcept { return problem_; }

  // --- @pre load() succeeded ---
  /// @return nullptr if there is no such kernel.
  const queue::Loaded::Kernel* kernel(int device, const std::string& name) const;
  /// A kernel's names in the queue.
  struct KernelName {
    queue::Id module = 0;
    std::uint32_t kernel = 0;
  };
  /// @pre @p kernel is this module's, on @p device.
  KernelName name_of(int device, const queue::Loaded::Kernel& kernel) const;
  /// What it takes of an SM. @return nothing if there is no such kernel.
  std::optional<Footprint> footprint(Runtime& runtime, int device, const std::string& name);
  /// @return nullptr if there is no such variable.
  const memory::Allocation* variable(int device, const std::string& name) const;
  /// Names of the kernels.
  std::vector<std::string> kernel_names(int device) const;
  /// Bytes of `__constant__` variables. 0 if nothing is loaded.
  std::size_t constant_bytes() const;

  /// @return whether a device with this index or a higher one has loaded it.
  bool loaded_from(int device) const { return instances_.lower_bound(device) != instances_.end(); }

  /// Has @p device unload it, or forget it (cudaDeviceReset).
  void reset(Runtime& runtime, int device);

  /// Managed variables are handed to host code when they are first used.
  std::vector<VariableEntry> managed;

 private:
  struct Instance {
    queue::Id id = 0;
    queue::Loaded code;
    std::map<std::string, const memory::Allocation*, std::less<>> variables;
    std::map<std::uint32_t, Footprint> footprints;  ///< of kernels, as far as anybody asked
  };

  cudaError_t read(const Runtime& runtime);
  cudaError_t fail(cudaError_t error, std::string problem);

  const void* wrapper_ = nullptr;
  std::string text_;
  bool read_ = false;
  cudaError_t error_ = cudaSuccess;
  std::string problem_;
  std::map<int, Instance> instances_;
};

}  // namespace simgpu::runtime
