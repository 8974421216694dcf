/// @file
/// One fat binary of the program: read when a kernel or variable of it is first needed, parsed once, prepared per device.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/lower/program.hpp"
#include "simgpu/memory/device_memory.hpp"
#include "simgpu/ptx/module.hpp"
#include "simgpu/runtime/state.hpp"
#include "simgpu/timing/resources.hpp"

namespace simgpu::runtime {

/// Device code in one compilation unit of the program.
class Module {
 public:
  /// @param wrapper the argument of __cudaRegisterFatBinary; its address also tells which shared object holds it.
  explicit Module(const void* wrapper);
  /// A module from PTX text (cudaLibraryLoadData). @param text NUL-terminated or not.
  explicit Module(std::string text);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Parses and lowers, if that has not happened yet.
  /// @return cudaSuccess, or why this code cannot run; then problem() says it in a sentence.
  cudaError_t load(Runtime& runtime, int device);
  /// Bytes of `__constant__` variables. 0 if nothing is loaded.
  std::size_t constant_bytes() const;
  const std::string& problem() const noexcept { return problem_; }

  /// @pre load() succeeded. @return nullptr if there is no such kernel.
  const lower::Kernel* kernel(int device, const std::string& name) const;
  const std::vector<observe::Site>& sites(int device) const;
  /// A kernel's names in the queue.
  struct Loaded {
    queue::Id module = 0;
    std::uint32_t kernel = 0;
  };
  /// @pre @p kernel is this module's, on @p device.
  Loaded loaded(int device, const lower::Kernel& kernel) const;
  /// @pre load() succeeded. @return nullptr if there is no such variable.
  const memory::Allocation* variable(int device, const std::string& name) const;

  /// @return whether a device with this index or a higher one has loaded it.
  bool loaded_from(int device) const { return instances_.lower_bound(device) != instances_.end(); }
  /// What ptxas says of a kernel; nothing if no report can be had.
  std::optional<timing::KernelResources> resources(const std::string& kernel);

  /// Names of the kernels. @pre load() succeeded.
  std::vector<std::string> kernel_names(int device) const;

  /// Forgets what @p device holds of this module (cudaDeviceReset).
  void reset(Runtime& runtime, int device);

  /// Managed variables are handed to host code when they are first used.
  std::vector<VariableEntry> managed;

 private:
  struct Instance {
    queue::Id id = 0;
    lower::Program program;
    std::map<std::string, const memory::Allocation*, std::less<>> variables;
  };

  cudaError_t parse();
  cudaError_t prepare(Runtime& runtime, int device);
  cudaError_t fail(cudaError_t error, std::string problem);

  const void* wrapper_ = nullptr;
  std::string text_;
  bool parsed_ = false;
  cudaError_t error_ = cudaSuccess;
  std::string problem_;
  std::optional<ptx::Module> ptx_;
  std::map<int, Instance> instances_;
  bool resources_read_ = false;
  std::optional<timing::ResourceReport> resources_;
};

}  // namespace simgpu::runtime
