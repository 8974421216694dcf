/// @file
/// Which bytes of device memory, pinned and managed memory a launch reads and writes, and where in the source: what is held
/// against other work that runs beside it (stream_order.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simgpu/observe/byte_set.hpp"
#include "simgpu/observe/coverage.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// What one piece of work on a device touches. Strong accesses are atomics, volatile ones and those with an order, of a scope
/// that reaches beyond the grid: two of them are no race.
struct Touched {
  /// An instruction, and where it has been.
  struct Place {
    std::string file, instruction;
    std::uint32_t line = 0;
    bool writes = false, strong = false;
    std::uint64_t begin = 0, end = 0;  ///< lowest and highest address
  };
  ByteSet reads, writes, strong_reads, strong_writes;
  std::vector<Place> places;  ///< of a kernel; a copy has none
  /// It has fences, or accesses with an order, so that a flag of its may tell other work something.
  bool fences = false;
  /// It has raised a flag for the host and told it nothing of its own plain writes: no fence of the system's scope lay before.
  bool tells_unfenced = false;
  /// It has allowed the next kernel to begin before it has ended.
  bool lets_next = false;

  bool empty() const noexcept {
    return reads.empty() && writes.empty() && strong_reads.empty() && strong_writes.empty();
  }
  std::size_t footprint() const noexcept {
    return reads.footprint() + writes.footprint() + strong_reads.footprint() + strong_writes.footprint() +
           places.size() * sizeof(Place) + sizeof *this;
  }
};

/// Is told when a kernel is about to touch memory that the host can touch as well.
class HostMemoryWatcher {
 public:
  virtual void kernel_touches(std::uint64_t address, std::uint64_t bytes, bool writes) = 0;

 protected:
  ~HostMemoryWatcher() = default;
};

/// Collects what a launch touches.
class TouchedObserver final : public Observer {
 public:
  /// @param watcher must outlive this object.
  explicit TouchedObserver(HostMemoryWatcher& watcher) : watcher_(watcher) {}
  void launch_begin(const LaunchInfo& info) override;
  void access(const Access& access) override;
  void texture(const TextureAccess& access) override;
  void bulk_access(const BulkAccess& access) override;
  void fence(const WarpId& warp, std::uint32_t mask, Scope scope) override;
  void grid_dependency_trigger(const WarpId&) override { lets_next_ = true; }

  /// Whether the launch may have told the host something so far, of what came before it at least: a flag in memory that both have.
  bool told_host() const noexcept { return told_host_ || tells_unfenced_; }
  /// @return what the launch has touched; to be called once after it.
  Touched take();

 private:
  struct SiteRange {
    const Site* site = nullptr;
    bool reads = false, writes = false, strong = false;
    std::uint64_t begin = ~0ull, end = 0;
  };
  void add(const Site& site, std::uint64_t address, std::uint64_t bytes, bool reads, bool writes,
           bool strong);

  ByteCollector reads_, writes_, strong_reads_, strong_writes_;
  std::vector<SiteRange> sites_;  ///< by number
  CoverageMemo coverages_;
  bool fences_ = false, told_host_ = false;
  bool system_fence_ = false, shown_plainly_ = false;  ///< the latter: plain writes to memory of both sides
  bool tells_unfenced_ = false, lets_next_ = false;
  HostMemoryWatcher& watcher_;
};

}  // namespace simgpu::observe
