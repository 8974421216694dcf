/// @file
/// What a kernel touches before it has waited for the one before it. A programmatic launch lets it begin early, and only
/// griddepcontrol.wait (cudaGridDependencySynchronize()) says that the other has ended and that its writes are there.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "simgpu/observe/touched.hpp"

namespace simgpu::observe {

/// Collects it. Whoever waits speaks for all threads of its block that come to a meeting with it afterwards, of whatever kind: those who
/// have not met it are told nothing of the other kernel.
class EarlyTouched final : public Observer {
 public:
  EarlyTouched() : touched_(nobody_) {}

  void launch_begin(const LaunchInfo& info) override;
  void access(const Access& access) override;
  void texture(const TextureAccess& access) override;
  void bulk_access(const BulkAccess& access) override;
  void grid_dependency_wait(const WarpId& warp, std::uint32_t mask) override;

  void block_barrier(const WarpId& any) override { meets_all(any); }
  void partial_barrier(const WarpId&, std::uint32_t, const BarrierPart* parts, std::size_t count) override {
    for (std::size_t n = 0; n < count; ++n) meets(parts[n].warp, parts[n].lanes);
  }
  void warp_sync(const WarpId& warp, std::uint32_t mask) override { meets(warp, mask); }
  void warp_exchange(const WarpId& warp, std::uint32_t mask) override { meets(warp, mask); }
  void mbarrier_wait(const WarpId& warp, std::uint32_t mask, const WarpId&, std::uint32_t, bool) override {
    meets(warp, mask);
  }
  void cluster_wait(const WarpId& warp, std::uint32_t mask) override { meets(warp, mask); }

  bool has_waited() const noexcept { return any_; }
  /// @return what was touched so; to be called once after the launch.
  Touched take() { return touched_.take(); }

 private:
  struct Nobody final : HostMemoryWatcher {
    void kernel_touches(std::uint64_t, std::uint64_t, bool) override {}
  };

  static std::uint64_t key_of(const WarpId& w) { return w.block_linear << 8 | w.warp; }
  std::uint32_t waited(const WarpId& warp) const;
  void meets(const WarpId& warp, std::uint32_t mask);
  void meets_all(const WarpId& any);

  Nobody nobody_;
  TouchedObserver touched_;
  std::unordered_map<std::uint64_t, std::uint32_t> lanes_;  ///< that have waited, by warp
  std::unordered_set<std::uint64_t> blocks_;                ///< of which some thread has ...
  std::unordered_set<std::uint64_t> whole_;                 ///< ... and all have met it
  bool any_ = false;
};

}  // namespace simgpu::observe
