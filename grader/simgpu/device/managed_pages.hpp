/// @file
/// Where the pages of managed memory are, and what kernels ask for that is elsewhere: what a missing prefetch costs.
///
/// A page that the host has touched first is the host's, one that a kernel touches first is made on its device and crosses no link.
/// Afterwards a page moves by a prefetch, or by a kernel's fault. What the host touches later is not seen: a page stays where it was
/// taken, until a prefetch names the host.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/observer.hpp"
#include "simgpu/timing/timeline.hpp"

namespace simgpu::device {

class ManagedPages final : public observe::Observer {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;  ///< of the operating system
  /// Besides a device's index.
  static constexpr int kHost = -1, kNobody = -2;

  /// What a launch wanted and its device did not have.
  struct Demand {
    std::uint64_t faulted_bytes = 0;  ///< whole pages that faults brought
    std::uint64_t in_place_bytes =
        0;  ///< of distinct sectors that were reached where they are (SetAccessedBy)
    std::uint64_t late_bytes =
        0;  ///< whole pages that a prefetch brings, but not before the launch begins: nothing makes it wait
    timing::Instant arrival = 0;  ///< when the last prefetched page of those it wants is there
  };

  void made(const memory::Allocation& allocation);
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

  /// Looks which pages the host has touched so far. Then the launch's accesses may come.
  void kernel_begins();
  /// @param begun when the launch could begin
  Demand kernel_ends(int device, timing::Instant begun);

  void access(const observe::Access& access) override;
  void texture(const observe::TextureAccess& access) override;
  void bulk_access(const observe::BulkAccess& access) override;

 private:
  static constexpr int kUnknown = -3;  ///< nobody's, unless the host has touched it meanwhile
  struct Page {
    int where = kUnknown, preferred = kNobody;
    std::uint32_t mapped_for = 0;               ///< a bit a device
    timing::Instant arrival = 0;                ///< of the latest prefetch
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
  template <typename Do>
  void each_page(std::uint64_t address, std::uint64_t bytes, const Do& one);

  std::map<std::uint64_t, Range> ranges_;  ///< by base
  std::uint64_t recent_base_ = 0;
  Range* recent_ = nullptr;
};

}  // namespace simgpu::device
