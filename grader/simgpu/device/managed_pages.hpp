/// @file
/// Where the pages of managed memory are, and what kernels ask for that is elsewhere: what a missing prefetch costs.
///
/// A page that the host has touched first is the host's, one that a kernel touches first is made on its device and crosses no link.
/// Afterwards a page moves by a prefetch, by a kernel's fault, or because the host has touched it, which the client tells. One that goes
/// to and fro in quick succession is left with the host, and kernels reach it there: so the driver does on an H200 after some thirty
/// turns, during which every third kernel waits for half a millisecond. Here it is after kTurns, without those waits: programs repeat
/// less here, and what they are compared with had its turns before.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/observer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/timing/links.hpp"
#include "simgpu/timing/timeline.hpp"

namespace simgpu::device {

class ManagedPages final : public observe::Observer {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;  ///< of the operating system
  static constexpr std::uint32_t kTurns = 7;         ///< after which a page that goes to and fro stays
  static constexpr timing::Instant kQuick = 500e-6;  ///< from move to move of such a page, at most
  /// Besides a device's index.
  static constexpr int kHost = -1, kNobody = -2;
  static constexpr int kUnknown = -3;  ///< nobody's, unless the host has touched it meanwhile

  /// What a launch wanted and its device did not have.
  struct Demand {
    std::uint64_t faulted_bytes = 0;  ///< whole pages that faults brought
    std::uint64_t fault_runs =
        0;  ///< pieces in which these lie, 32 kB and more apart, beyond the first of an allocation
    std::uint64_t in_place_bytes =
        0;  ///< of distinct sectors that were reached where they are (SetAccessedBy)
    std::uint64_t late_bytes =
        0;  ///< whole pages that a prefetch brings, but not before the launch begins: nothing makes it wait
    timing::Instant arrival = 0;  ///< when the last prefetched page of those it wants is there
  };

  /// @param where kUnknown: with whoever touches it first
  void made(const memory::Allocation& allocation, int where = kUnknown);
  void freed(std::uint64_t base);
  bool empty() const noexcept { return ranges_.empty(); }

  /// Pages that hold any of these bytes go to @p where. @return bytes that have to move for it: of pages with contents.
  std::uint64_t prefetch(std::uint64_t address, std::uint64_t bytes, int where);
  /// They are there at @p at.
  void arrive(std::uint64_t address, std::uint64_t bytes, timing::Instant at);
  /// cudaMemAdviseSetAccessedBy: @p device gets a mapping, and reaches pages without a fault.
  void map_for(std::uint64_t address, std::uint64_t bytes, int device, bool wanted);
  /// cudaMemAdviseSetPreferredLocation: a fault on a page that is there maps it and moves nothing. @param where kNobody: no such place
  void prefer(std::uint64_t address, std::uint64_t bytes, int where);

  /// The program says that pages are mostly read: each side may have its own, until the host changes one. (What kernels write to such
  /// pages is taken for the host's change when the host next touches them.)
  void read_mostly(std::uint64_t address, std::uint64_t bytes, bool wanted);
  /// What had to come to the host when it touched memory, as timing::homecoming_seconds() takes it.
  struct Homecoming {
    timing::Homecoming as_it_is, of_a_slice;  ///< of each allocation the first 64 kB; and the rest
    std::uint64_t bytes = 0;
    int from = 0;  ///< a device: the last page's
  };
  /// @param now the host's
  Homecoming visited(const queue::Visited& visits, timing::Instant now);

  /// Looks which pages the host has touched so far. Then the launch's accesses may come.
  void kernel_begins();
  /// @param begun when the launch could begin
  Demand kernel_ends(int device, timing::Instant begun);

  void access(const observe::Access& access) override;
  void texture(const observe::TextureAccess& access) override;
  void bulk_access(const observe::BulkAccess& access) override;

 private:
  struct Page {
    int where = kUnknown, preferred = kNobody;
    std::uint32_t mapped_for = 0;  ///< a bit a device
    bool read_mostly = false;
    std::size_t content = 0;      ///< a hash of what both sides have of a page that is mostly read
    std::uint32_t turns = 0;      ///< kernels' faults in quick succession
    timing::Instant moved = 0;    ///< when it last moved by a fault, or to the host
    timing::Instant arrival = 0;  ///< of the latest prefetch
    std::array<std::uint64_t, 2> wanted{0, 0};  ///< by the launch that runs: a bit a sector of 32 bytes
  };
  struct Range {
    std::uint64_t bytes = 0;
    std::byte* host = nullptr;  ///< where this process has them
    std::uint64_t unknown = 0;  ///< pages
    std::vector<Page> pages;
    std::vector<std::uint32_t> touched;  ///< pages with wanted sectors
  };
  Range* range_of(std::uint64_t address);
  void want(std::uint64_t address, std::uint64_t bytes);
  static void look(Range& range);
  static std::size_t content_of(const Range& range, const Page& page);
  /// A device gets it, or its own copy of it.
  static void give(Range& range, Page& page, int device);
  template <typename Do>
  void each_page(std::uint64_t address, std::uint64_t bytes, const Do& one);

  std::map<std::uint64_t, Range> ranges_;  ///< by base
  std::uint64_t recent_base_ = 0;
  Range* recent_ = nullptr;
};

}  // namespace simgpu::device
