/// @file
/// Finds races: two threads touch the same bytes, at least one writes, at least one is not atomic, and
/// nothing orders them.
///
/// A shadow cell for each word remembers its last writer and its last two readers of different warps. Within
/// a block, barriers order; within a warp, `__syncwarp` and other `*.sync` instructions; between blocks (and
/// between warps without a barrier) a fence followed by an atomic, volatile or release write that the other
/// side then reads. The end of a launch orders everything. Where the pattern of fences is too intricate to
/// follow, order is assumed: no false alarms.
#pragma once

#include <cstdint>
#include <memory>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// The observer. Races between warps or blocks are errors; conflicts between lanes of one warp are warnings,
/// since they go well as long as the warp runs in lockstep.
class Races final : public Observer {
 public:
  /// @param findings receives what is found, at launch_end(); must outlive this object.
  explicit Races(Findings& findings);
  ~Races() override;

  void launch_begin(const LaunchInfo& info) override;
  void launch_end() override;
  void block_begin(const WarpId& warp) override;
  void block_end(const WarpId& warp) override;
  void access(const Access& access) override;
  void block_barrier(const WarpId& warp, std::uint32_t id) override;
  void warp_sync(const WarpId& warp, std::uint32_t mask) override;
  void fence(const WarpId& warp, std::uint32_t mask, Scope scope) override;
  void grid_barrier() override;
  void cluster_barrier(const WarpId& warp) override;
  void shared_filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) override;
  void mbarrier_arrive(const WarpId& warp, const WarpId& owner, std::uint32_t offset, Scope scope) override;
  void mbarrier_wait(const WarpId& warp, const WarpId& owner, std::uint32_t offset) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace simgpu::observe
