/// @file
/// What the simulated GPU has to say about a program, as plain data, and its two written forms.
///
/// The structs mirror schema.md key by key, so that whoever fills them (the runtime) and whoever writes them
/// out need to agree on nothing else. They hold no pointers into a running simulation: a report outlives what
/// it describes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/observe/observer.hpp"

namespace simgpu::report {

/// The simulated device. Rates and sizes are the slice's own, not the whole card's.
struct DeviceReport {
  std::string name;
  std::uint32_t sm_count = 0;
  std::uint32_t slice = 1;  ///< the device is one part in this many of a whole card
  double clock_hz = 0;
  std::uint64_t l2_bytes = 0;
  double dram_bytes_per_second = 0;  ///< peak
  double copy_bytes_per_second =
      0;  ///< what the best copy kernel reaches, reads and writes added: the roof in texts
};

/// One counter by its Nsight Compute name (or `simgpu__...` where there is no such metric).
using Counter = std::pair<std::string, std::uint64_t>;

/// Modelled time of a launch, and what it is made of. All in seconds.
struct TimingReport {
  double seconds = 0;
  std::string bound_by;  ///< "dram", "l2", "l1tex", "issue", "latency", "launch", "block launch", "atomics",
                         ///< "host link"
  double launch_seconds = 0, dram_seconds = 0, l2_seconds = 0, l1tex_seconds = 0, issue_seconds = 0,
         latency_seconds = 0;
  double occupancy = 0;  ///< resident warps over the most an SM can hold, 0 to 1
  std::uint32_t resident_blocks_per_sm = 0;
  std::string occupancy_limiter;  ///< "threads", "blocks", "registers", "shared memory", "grid"
};

/// One load, store or atomic instruction of a kernel, summed over the launch.
struct SiteReport {
  std::string file;         ///< source path, empty if unknown
  std::uint32_t line = 0;   ///< 0 if unknown
  std::string instruction;  ///< "ld.global.f32"
  observe::Memory memory = observe::Memory::global;
  observe::AccessKind kind = observe::AccessKind::load;
  std::uint64_t requests = 0;  ///< warp instructions
  std::uint64_t lanes = 0;     ///< threads that took part, summed
  std::uint64_t bytes_requested = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0;        ///< 32 bytes each; global and local memory
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;  ///< shared memory (constant memory: passes)
};

/// One kernel launch.
struct LaunchReport {
  std::string mangled;  ///< the kernel's symbol; to_json() and to_text() demangle it
  observe::Dim3 grid, block;
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::optional<std::uint32_t> registers;  ///< per thread; unset: no resource report is known
  std::optional<std::uint32_t>
      spill_bytes;                ///< spill stores + spill loads of one thread's code; unset as above
  std::uint32_t local_bytes = 0;  ///< per thread, as the PTX declares it
  bool ok = true;
  std::uint64_t warp_instructions = 0;
  std::vector<Counter> counters;  ///< written in this order
  TimingReport timing;
  std::vector<SiteReport> sites;  ///< any order: sorted when written
};

/// A call counted by name.
struct ApiCall {
  std::string name;
  std::uint64_t calls = 0;
};

/// Bytes that copies moved, by direction.
struct CopyReport {
  std::uint64_t host_to_device_bytes = 0, device_to_host_bytes = 0, device_to_device_bytes = 0;
};

/// What the program has not freed.
struct AllocationReport {
  std::uint64_t live_count = 0, live_bytes = 0;
};

/// Something that occupied an engine of a device for a while.
struct OperationReport {
  std::uint32_t device = 0;
  std::uint64_t stream = 0;  ///< 0: the legacy default stream
  std::string engine;        ///< "kernel", "copy to device", "copy to host", "copy within device"
  std::string name;          ///< a kernel's symbol, or "copy", "memset", "prefetch"
  std::uint64_t bytes = 0;   ///< of a copy
  double begin_seconds = 0, end_seconds = 0;  ///< modelled, since the report's begin
};

/// When everything ran: streams and copy engines on one modelled clock, so that overlap can be seen.
struct TimelineReport {
  std::vector<OperationReport> operations;  ///< by device, then in order of issue
  std::uint64_t omitted = 0;                ///< operations beyond what a device remembers
};

/// Everything between two calls of simgpu_take_report().
struct Report {
  DeviceReport device;
  std::vector<LaunchReport> launches;      ///< in order of issue
  std::vector<observe::Finding> findings;  ///< in order of discovery
  std::vector<ApiCall> api;                ///< in order of first call
  CopyReport copies;
  AllocationReport allocations;
  std::vector<std::string> unsupported;  ///< API names, in order of first call
  double elapsed_seconds = 0;            ///< modelled
  TimelineReport timeline;
};

/// Words of the enums as schema.md writes them ("global", "load").
const char* name_of(observe::Memory memory) noexcept;
/// @copydoc name_of(observe::Memory)
const char* name_of(observe::AccessKind kind) noexcept;

/// Readable name of a C++ symbol, @p mangled itself if it is none.
std::string demangle(const std::string& mangled);

/// Writes schema `simgpu.report/1` (schema.md).
/// @param indent spaces per level; negative: one line.
/// @return UTF-8 text; the same bytes for the same report. Bytes that are not UTF-8 are replaced.
std::string to_json(const Report& report, int indent = 2);

/// How to_text() looks.
struct TextOptions {
  bool colour = false;               ///< ANSI colours
  std::size_t lines_per_launch = 8;  ///< source lines shown of each kernel, the most wasteful first
  std::size_t kernels = 12;          ///< kernels shown whole, the longest; the others are counted
};

/// A report for a person: for each kernel its modelled time, what bounds it, how near the roof it is, its
/// occupancy and what limits that, the source lines that waste, and then the findings. Equal launches of one
/// kernel are folded into one entry.
/// @return UTF-8 text that ends in a newline.
std::string to_text(const Report& report, const TextOptions& options = {});

/// The timeline in the Trace Event Format of Chrome, which Perfetto and chrome://tracing show: one process a device, one thread a stream,
/// microseconds. @see https://ui.perfetto.dev
std::string to_trace(const Report& report);

}  // namespace simgpu::report
