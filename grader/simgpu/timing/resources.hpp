/// @file
/// Registers, spills and static shared memory of kernels, which PTX does not know: they are decided by ptxas.
///
/// They are taken from what `ptxas -v` prints, as a student would read it: from a file that the builder kept
/// beside the program, or by running ptxas (which needs no GPU) once and keeping its answer. Without ptxas
/// they stay unknown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace simgpu::timing {

/// What one kernel takes of an SM. [bytes, except registers]
struct KernelResources {
  std::uint32_t registers = 0;  ///< per thread
  std::uint32_t spill_store_bytes =
      0;  ///< of the kernel's code, per thread; functions that it calls not included
  std::uint32_t spill_load_bytes = 0;     ///< as above
  std::uint32_t stack_bytes = 0;          ///< per thread, calls included where ptxas can tell
  std::uint32_t static_shared_bytes = 0;  ///< per block
  bool operator==(const KernelResources&) const = default;
};

/// The kernels of one module, by mangled name.
struct ResourceReport {
  std::map<std::string, KernelResources, std::less<>> kernels;

  /// @return nullptr if nothing is known of @p kernel.
  const KernelResources* find(std::string_view kernel) const;
};

/// Reads what `ptxas -v` (or `nvcc -Xptxas -v`) printed. Lines that say nothing about kernels are skipped.
/// @param architecture entries for other architectures are left out ("sm_90" also takes "sm_90a").
/// @return an empty report if there is none for that architecture.
ResourceReport parse_resource_report(std::string_view text, std::string_view architecture = "sm_90");

/// Where a builder keeps the report of the program or plugin @p binary: the same path with ".resources.txt"
/// behind it.
std::filesystem::path resource_report_path(const std::filesystem::path& binary);

/// Reads a kept report. @return nothing if there is no such file, or no kernel in it.
std::optional<ResourceReport> read_resource_report(const std::filesystem::path& file);

/// Asks ptxas about a PTX text, or the cache of earlier answers ($XDG_CACHE_HOME/simgpu, ~/.cache/simgpu).
/// Takes as long as ptxas does, at most a minute.
/// @return nothing if there is no ptxas ($CUDA_HOME, $CUDA_PATH, $PATH, /usr/local/cuda), or it rejects the
/// text.
std::optional<ResourceReport> compile_resource_report(std::string_view ptx);

}  // namespace simgpu::timing
