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
  std::uint64_t sectors = 0, ideal_sectors = 0;          ///< 32 bytes each; global and local memory
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;    ///< shared memory (constant memory: passes)
  std::uint64_t l1_hit_sectors = 0, l2_hit_sectors = 0;  ///< of a load's sectors, by the models of the caches
  std::uint64_t hinted_bytes = 0;                        ///< of bytes_requested: streaming or evict-first
  observe::CacheHint hint = observe::CacheHint::normal;  ///< the instruction's cache operator
  bool non_coherent = false;                             ///< ld.global.nc
};

/// What came to an allocation by one road.
struct RoadReport {
  std::uint64_t requests = 0, lanes = 0, bytes = 0, sectors = 0;
};

/// One allocation's share of a launch.
struct BufferReport {
  std::uint64_t allocation = 0;  ///< in order of allocation; simgpu_allocation_of() of its pointers
  std::optional<std::uint64_t>
      base;                  ///< unset: memory of the host's own, whose addresses differ from run to run
  std::uint64_t bytes = 0;   ///< that it has
  std::string memory;        ///< "device", "mapped" (host memory, over the link) or "managed"
  std::string kind;          ///< "device", "array", "variable", "heap", "pinned", "registered", "managed"
  std::string name;          ///< of a variable
  std::uint32_t device = 0;  ///< that owns it
  RoadReport load, store, atomic, texture, surface_store;
  RoadReport bulk_load, bulk_store, tensor_load, tensor_store;
  std::uint64_t async_bytes = 0, hinted_bytes = 0;  ///< of load.bytes (hinted: and of store.bytes)
};

/// One kernel launch.
struct LaunchReport {
  std::string mangled;  ///< the kernel's symbol; to_json() and to_text() demangle it
  observe::Dim3 grid, block;
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::optional<std::uint32_t> registers;  ///< per thread; unset: no resource report is known
  std::optional<std::uint32_t>
      spill_bytes;  ///< spill stores + spill loads of one thread's code; unset as above
  std::optional<std::uint32_t> stack_frame_bytes;  ///< per thread, as `ptxas -v` says; unset as above
  std::uint32_t local_bytes = 0;                   ///< per thread, as the PTX declares it
  std::uint32_t device = 0;                        ///< that ran it
  bool ok = true;
  std::uint64_t warp_instructions = 0;
  std::vector<Counter> counters;  ///< written in this order
  TimingReport timing;
  std::vector<SiteReport> sites;      ///< any order: sorted when written
  std::vector<BufferReport> buffers;  ///< in order of allocation
  std::uint64_t buffers_omitted = 0;  ///< beyond kMostBuffers
};

/// Allocations that a launch lists; a program may have made any number of them.
inline constexpr std::size_t kMostBuffers = 256;

/// A call counted by name.
struct ApiCall {
  std::string name;
  std::uint64_t calls = 0;
};

/// Copies of one kind, added up.
struct CopyGroupReport {
  std::string direction;  ///< "host to device", "device to host", "device to device", "peer", "host to host"
  std::string from, to;   ///< "pageable", "pinned", "managed", "device", "array", "variable"
  std::optional<std::uint32_t> from_device, to_device;  ///< unset: host memory
  bool asynchronous =
      false;  ///< by a call that returns before the copy is done, as far as its memory lets it
  std::uint64_t copies = 0, bytes = 0;
  std::uint64_t streams = 0;        ///< distinct ones
  std::uint64_t in_own_stream = 0;  ///< copies not in the legacy default stream
};

/// Bytes that copies moved, by direction.
struct CopyReport {
  std::uint64_t host_to_device_bytes = 0, device_to_host_bytes = 0, device_to_device_bytes = 0;
  std::uint64_t peer_bytes = 0;  ///< of device_to_device_bytes: from one device to another
  std::uint64_t host_to_host_bytes = 0;
  std::vector<CopyGroupReport> groups;  ///< in order of first use
};

/// cudaMemset and its kin.
struct FillReport {
  std::uint64_t calls = 0, bytes = 0;
};

/// Calls in which the host waited for a device.
struct WaitReport {
  std::uint64_t total = 0;
  std::uint64_t between_copies = 0;  ///< after the first copy was begun and before the last one was
  std::uint64_t unasked_between_copies =
      0;  ///< in calls that free, and of streams for host functions; not in total
  std::uint64_t by_copy = 0, by_stream = 0, by_event = 0, by_device = 0, by_queries = 0;
};

/// What the program said about managed memory, and what kernels did without it. [bytes]
struct ManagedReport {
  std::uint64_t prefetched_to_device = 0, prefetched_to_host = 0, advised = 0;  ///< repeats included
  std::uint64_t covered =
      0;  ///< distinct bytes that were prefetched to a device, or mapped for one by advice
  std::uint64_t faulted = 0;  ///< pages that kernels' faults brought to a device
  std::uint64_t in_place =
      0;  ///< distinct sectors of each launch that kernels reached where they are, over the link
  std::uint64_t came_home = 0;  ///< pages that devices had and the host touched, 64 kB at a time
  std::uint64_t late = 0;       ///< pages that a prefetch brought after a kernel that wanted them could begin
};

/// An event's record.
struct EventReport {
  std::uint64_t event = 0;  ///< in order of creation
  std::uint32_t device = 0;
  std::uint64_t stream = 0;
  std::uint64_t operations_before = 0;  ///< of the timeline's, issued before on that device
  double seconds = 0;                   ///< modelled, since the report's begin: what the event will read
};

struct EventsReport {
  std::uint64_t recorded = 0;
  std::vector<EventReport> records;  ///< the first of them
};

/// Allocations of one kind.
struct AllocationKindReport {
  std::string kind;  ///< as BufferReport::kind, and "pool", "graph"
  std::uint64_t made_count = 0, made_bytes = 0, freed_count = 0, freed_bytes = 0;  ///< in this report
  std::uint64_t live_count = 0, live_bytes = 0;                                    ///< at its end
};

/// What the program has not freed.
struct AllocationReport {
  std::uint64_t live_count = 0, live_bytes = 0;
  std::uint64_t page_locked_bytes = 0;      ///< of live_bytes: pinned and registered
  std::vector<AllocationKindReport> kinds;  ///< in alphabetic order
  std::uint64_t largest_live_bytes = 0;     ///< of one; for the sentence about leaks
};

/// Handles that the program has not given back.
struct LiveReport {
  std::uint64_t streams = 0, events = 0, texture_objects = 0, surface_objects = 0;
};

/// An access-policy window that was set.
struct WindowReport {
  std::string set_by;                       ///< "stream" or "launch"
  std::optional<std::uint64_t> allocation;  ///< that it lies in; unset: none
  std::uint64_t offset = 0, bytes = 0;
  double hit_ratio = 0;
  std::string hit, miss;       ///< "normal", "streaming", "persisting"
  std::uint64_t launches = 0;  ///< of kernels, with this window in force
};

/// What the program set aside of the L2.
struct PersistenceReport {
  std::uint64_t limit_bytes = 0;  ///< the largest that was in force, of any device
  std::vector<WindowReport> windows;
};

/// Calls that returned an error.
struct ErrorReport {
  std::uint64_t calls = 0;
  int largest = 0, first = 0;  ///< codes
  std::string first_call;
};

/// How long copies over the links took, and during how much of that something else was done. [s]
struct OverlapReport {
  double copy_seconds = 0, overlapped_seconds = 0;
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
  std::uint32_t device_count = 0;
  std::vector<LaunchReport> launches;      ///< in order of issue
  std::vector<observe::Finding> findings;  ///< in order of discovery
  std::vector<ApiCall> api;                ///< in order of first call
  ErrorReport errors;
  CopyReport copies;
  FillReport fills;
  WaitReport host_waits;
  ManagedReport managed;
  EventsReport events;
  PersistenceReport persistence;
  AllocationReport allocations;
  LiveReport live;
  std::vector<std::string> unsupported;  ///< API names, in order of first call
  double elapsed_seconds = 0;            ///< modelled
  TimelineReport timeline;
};

/// From the timeline: when a copy engine of a host link worked, and when the other one or a kernel did at the same time. Summed over
/// devices.
OverlapReport overlap_of(const TimelineReport& timeline);

/// Words of the enums as schema.md writes them ("global", "load").
const char* name_of(observe::Memory memory) noexcept;
/// @copydoc name_of(observe::Memory)
const char* name_of(observe::AccessKind kind) noexcept;

/// PTX's word for a cache operator: "cg", "cs", "lu", "cv"; empty for none.
const char* name_of(observe::CacheHint hint) noexcept;

/// Readable name of a C++ symbol, @p mangled itself if it is none.
std::string demangle(const std::string& mangled);

/// Writes schema `simgpu.report/2` (schema.md).
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
