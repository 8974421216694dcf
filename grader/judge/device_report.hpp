/// @file
/// What the simulated GPU saw, in the judge's words: read from a report of schema simgpu.report/2. A report
/// comes out of a worker, so every field may be missing or of the wrong type; reading never throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json_box.hpp"
#include "records/verdict.hpp"

namespace course {

/// One load, store or atomic of a kernel, summed over a launch.
struct access_site {
  std::string file, instruction, memory, kind;
  unsigned line = 0;
  double requests = 0, lanes = 0, bytes_requested = 0, sectors = 0, ideal_sectors = 0, wavefronts = 0,
         ideal_wavefronts = 0;
  double l1_hit_sectors = 0, l2_hit_sectors = 0, hinted_bytes = 0;
  /// Adds another site's counts.
  access_site& operator+=(const access_site& other);
};

/// What one launch did to one allocation, by all roads.
struct buffer_traffic {
  std::string memory;                ///< "device", "mapped" (host memory, over the link) or "managed"
  double allocation = 0, bytes = 0;  ///< its number, and how large it is
  double loaded_bytes = 0, loaded_sectors = 0, stored_bytes = 0, stored_sectors = 0, atomic_lanes = 0,
         hinted_bytes = 0;
  double fetched_bytes = 0;  ///< of loaded_bytes: through textures
};

/// One kernel launch.
struct kernel_launch {
  std::string kernel, bound_by, occupancy_limiter;
  std::size_t grid = 0, block = 0;  ///< blocks, threads of a block
  double warp_instructions = 0;     ///< executed
  bool ok = true;
  double seconds = 0, occupancy = 0, resident_blocks = 0;
  std::optional<double> registers, spill_bytes, stack_frame_bytes;  ///< as ptxas says; none: it was not asked
  double shared_bytes = 0;                                          ///< static and dynamic, of a block
  protocol::json_box counters;
  std::vector<access_site> sites;
  std::vector<buffer_traffic> buffers;
  double counter(std::string_view name) const;
  bool touches_data() const;  ///< any byte of global memory, by any road
};

/// Something that occupied an engine of a device for a while, on the modelled clock.
struct device_operation {
  std::string engine;  ///< "kernel", "copy to device", "copy to host", "copy within device"
  std::string name;    ///< a kernel's, without its arguments, or "copy", "memset", "prefetch"
  unsigned device = 0;
  double stream = 0;  ///< 0: the legacy default stream
  double bytes = 0, begin_seconds = 0, end_seconds = 0;
};

/// Operations of the time line that are read: more than a picture can show.
inline constexpr std::size_t kMostOperations = 240;

/// Something wrong that was seen while a kernel ran.
struct device_finding {
  std::string kind, severity, message, instruction;
  location at;
  std::uint64_t address = 0;  ///< of the access; 0 if the finding has none
  std::uint64_t allocation =
      0;  ///< where the allocation begins that the message tells by its number; 0 if it tells none
  bool is_error() const { return severity == "error"; }
};

/// Copies by the API of one kind: the same direction, from and to the same kind of memory.
struct copy_group {
  std::string from, to;          ///< "pageable", "pinned", "device", ...
  double copies = 0, bytes = 0;  ///< of all of them
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
  /// True if the report knows this counter: false is no zero.
  bool knows(std::string_view name) const;
  /// A number elsewhere in the report: {"host_waits", "between_copies"}; none if there is no such member.
  std::optional<double> figure(std::initializer_list<const char*> path) const;
  const nlohmann::json& raw() const { return json_; }

  /// Bytes that kernels asked to load from or store to global memory, textures and surfaces: by any road.
  double bytes_loaded_by_kernels() const;
  double bytes_stored_by_kernels() const;
  /// Sectors that kernels loaded, by any road.
  double sectors_loaded_by_kernels() const;
  /// Bytes copied by the API: "host_to_device", "device_to_host", "device_to_device".
  double copied_bytes(std::string_view direction) const;
  std::vector<copy_group> copy_groups() const;
  /// How often an API function was called.
  double calls_of(std::string_view function) const;
  const std::vector<kernel_launch>& launches() const { return launches_; }
  const std::vector<device_finding>& findings() const { return findings_; }
  /// The time line's first operations, and how many more there were.
  const std::vector<device_operation>& operations() const { return operations_; }
  double operations_omitted() const { return operations_omitted_; }
  /// The first error of kind @p kind; null if there is none.
  const device_finding* error(std::string_view kind) const;
  std::size_t blocks() const;  ///< blocks of all launches
  double modelled_seconds() const { return elapsed_seconds_; }
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
  std::vector<device_operation> operations_;
  double operations_omitted_ = 0;
  protocol::json_box findings_json_ = protocol::json_box::list();
  std::vector<std::string> unsupported_;
  std::string device_name_;
  protocol::json_box json_;  // all but launches and findings, which have types
  double elapsed_seconds_ = 0, dram_bytes_per_second_ = 0, copy_bytes_per_second_ = 0, slice_ = 1;
};

}  // namespace course
