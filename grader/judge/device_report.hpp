/// @file
/// What the simulated GPU saw, in the judge's words: read from a report of schema simgpu.report/1. A report
/// comes out of a worker, so every field may be missing or of the wrong type; reading never throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "records/verdict.hpp"

namespace course {

/// One load, store or atomic of a kernel, summed over a launch.
struct access_site {
  std::string file, instruction, memory, kind;
  unsigned line = 0;
  double requests = 0, lanes = 0, bytes_requested = 0, sectors = 0, ideal_sectors = 0, wavefronts = 0,
         ideal_wavefronts = 0;
};

/// One kernel launch.
struct kernel_launch {
  std::string kernel, bound_by, occupancy_limiter;
  std::size_t grid = 0, block = 0;  ///< blocks, threads of a block
  bool ok = true;
  double seconds = 0, occupancy = 0, registers = 0, spill_bytes = 0, resident_blocks = 0;
  nlohmann::json counters;
  std::vector<access_site> sites;
};

/// Something wrong that was seen while a kernel ran.
struct device_finding {
  std::string kind, severity, message, instruction;
  location at;
  std::uint64_t address = 0;  ///< of the access; 0 if the finding has none
  bool is_error() const { return severity == "error"; }
};

/// See the file's head.
class device_report {
 public:
  device_report() = default;
  /// @param text a report; an empty or unreadable one gives a report that is not present().
  explicit device_report(const std::string& text);

  bool present() const { return present_; }
  /// Sum of a counter over all launches, by its Nsight Compute name.
  double counter(std::string_view name) const;
  const std::vector<kernel_launch>& launches() const { return launches_; }
  const std::vector<device_finding>& findings() const { return findings_; }
  /// The first error of kind @p kind; null if there is none.
  const device_finding* error(std::string_view kind) const;
  std::size_t blocks() const;  ///< blocks of all launches
  double modelled_seconds() const { return elapsed_seconds_; }
  double device_to_host_bytes() const { return device_to_host_bytes_; }
  double live_bytes() const { return live_bytes_; }
  const std::vector<std::string>& unsupported() const { return unsupported_; }
  double dram_bytes_per_second() const { return dram_bytes_per_second_; }
  double copy_bytes_per_second() const { return copy_bytes_per_second_; }
  double slice() const { return slice_; }
  const std::string& device_name() const { return device_name_; }
  const nlohmann::json& findings_json() const { return findings_json_; }

 private:
  bool present_ = false;
  std::vector<kernel_launch> launches_;
  std::vector<device_finding> findings_;
  nlohmann::json findings_json_ = nlohmann::json::array();
  std::vector<std::string> unsupported_;
  std::string device_name_;
  double elapsed_seconds_ = 0, device_to_host_bytes_ = 0, live_bytes_ = 0, dram_bytes_per_second_ = 0,
         copy_bytes_per_second_ = 0, slice_ = 1;
};

}  // namespace course
