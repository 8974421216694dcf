/// @file
/// The device's side of the cut: memory, streams, clock, checks, counters and what is reported of them. It knows nothing of
/// handles, of the last error, of captures or of host code's names: those are the client's (runtime/).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/device/ledger.hpp"
#include "simgpu/device/managed_pages.hpp"
#include "simgpu/device/modules.hpp"
#include "simgpu/device/pool_memory.hpp"
#include "simgpu/device/settings.hpp"
#include "simgpu/device/slabs.hpp"
#include "simgpu/device/status.hpp"
#include "simgpu/device/stream_checks.hpp"
#include "simgpu/exec/executor.hpp"
#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/observer.hpp"
#include "simgpu/observe/stream_order.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/report/client_part.hpp"
#include "simgpu/report/report.hpp"
#include "simgpu/timing/device.hpp"
#include "simgpu/timing/timeline.hpp"

namespace simgpu::observe {
class Traffic;
class Races;
class Uninitialised;
}  // namespace simgpu::observe

namespace simgpu::device {

/// Heap of malloc() in kernels, of an H200. [bytes]
inline constexpr std::uint64_t kHeapDefault = 8388608;

/// One simulated device.
struct Unit {
  explicit Unit(const timing::Device& card);
  ~Unit();
  timing::Timeline timeline;
  std::unique_ptr<observe::Traffic> traffic;  ///< holds the L2, which outlives a launch
  std::uint64_t heap_bytes = 0;               ///< taken by malloc() in kernels
  std::uint64_t heap_limit = kHeapDefault;
  PoolMemory pools;
  /// By a kernel's fault, the first: every call of the program gets it until cudaDeviceReset.
  Status stopped = Status::success;
  Slabs slabs;
};

/// A stream. The legacy default stream of a device is one as well.
struct Stream {
  int device = 0;
  timing::StreamId id = 0;  ///< on the timeline: 0 is the legacy default stream
  bool blocking = true;     ///< the legacy default stream and it wait for each other
  bool of_thread = false;   ///< a thread's default stream
};

/// An event that was recorded.
struct Event {
  int device = 0;
  timing::Instant instant = 0;
  observe::LaneClock order;  ///< what comes before it
};

/// What is known of an allocation beyond the memory itself.
struct Facts {
  enum class Origin : std::uint8_t { plain, array, heap, graph, pool };
  int device = 0;
  Origin origin = Origin::plain;
};

class Gpu {
 public:
  /// @param pages that a client maps, too; nullptr: it has the device's own mapping, in one process.
  explicit Gpu(const timing::Device& chosen, const memory::SharedPages* pages = nullptr);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  Settings settings;
  timing::Device card;
  memory::DeviceMemory memory;  ///< of all devices: addresses are unified
  std::vector<std::unique_ptr<Unit>> units;
  std::map<std::uint64_t, Facts> facts;    ///< of live allocations, by base address
  std::map<std::uint64_t, int> variables;  ///< base address of modules' variables to their device
  std::map<queue::Id, Stream> streams;
  std::map<queue::Id, Event> events;
  std::map<queue::Id, LoadedModule> modules;
  std::string
      program_file;  ///< that a grader has named: what ptxas says of modules is beside it, and asked of nobody else
  observe::Findings findings;
  std::unique_ptr<observe::Races> races;
  std::unique_ptr<observe::Uninitialised> uninitialised;
  std::vector<report::LaunchReport> launches;
  Ledger ledger;
  ManagedPages managed_pages;
  StreamChecks stream_checks{*this};

  void add_unit();
  void drop_last_unit();
  Unit& unit(int device) { return *units[static_cast<std::size_t>(device)]; }
  bool has_own_streams() const noexcept { return own_streams_ > 0; }
  /// @return nullptr if there is none of this name.
  const Stream* stream(queue::Id id) const;
  void make_stream(const queue::MakeStream& wish);
  void drop_stream(queue::Id id);

  // --- memory ---
  const memory::Allocation* allocate(std::size_t bytes, memory::AllocationKind kind, Facts facts,
                                     std::uint64_t align = 256);
  /// Host memory of the program's own that it has registered.
  void adopted(const memory::Allocation& allocation, int device);
  /// All that programs and kernels have of a device's memory, and its faults and caches (cudaDeviceReset).
  void reset(int device);
  /// Only what begins at @p base and is live.
  bool release(std::uint64_t base);
  const Facts* facts_of(const memory::Allocation& allocation) const;
  /// The word for what made an allocation: "device", "array", "variable", "heap", "pool", "graph", "pinned", "registered" or
  /// "managed".
  const char* kind_of(const memory::Allocation& allocation) const;
  /// Told after host code or a copy has written device memory.
  void written(std::uint64_t address, std::uint64_t bytes);

  /// @return everything seen since the last call. @param client what only the client knows of it
  report::Report take_report(report::ClientPart client = {});
  /// The same of a program that ends, with what it left behind, written where @p wish says (report/files.hpp). @return its errors
  std::size_t write_last_report(report::ClientPart client, std::string_view wish);

 private:
  timing::Instant last_report_ = 0;
  std::size_t own_streams_ = 0;  ///< beside the legacy ones
};

}  // namespace simgpu::device
