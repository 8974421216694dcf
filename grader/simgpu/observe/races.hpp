/// @file
/// Finds races: two threads touch the same bytes, at least one writes, at least one is not atomic (or not for the other's
/// scope), and nothing orders them.
///
/// A shadow cell for each word remembers its last writer (of atomics, two of different warps) and its last two readers of different warps; what orders two
/// accesses is race_order.hpp's subject. The lanes of a warp are threads like all others: they do not run in lockstep. The copy
/// engine and textures take part. The end of a launch orders everything.
#pragma once

#include <cstdint>
#include <memory>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// The observer. Races are errors, but for what goes well on hardware by all experience, which is a warning: unordered stores
/// of one value (a finding of its own kind), lanes that store by one instruction, and a flag that is drawn by an atomic and
/// then not followed by a fence. What a shuffle brings from a lane that takes no part is a warning, too, once something depends on it.
class Races final : public Observer {
 public:
  /// @param findings receives what is found, at launch_end(); must outlive this object.
  explicit Races(Findings& findings);
  ~Races() override;

  void launch_begin(const LaunchInfo& info) override;
  void launch_end() override;
  void block_begin(const WarpId& warp) override;
  void access(const Access& access) override;
  void texture(const TextureAccess& access) override;
  void proxy_fence(const WarpId& warp, std::uint32_t mask) override;
  void bulk_access(const BulkAccess& access) override;
  void bulk_signals(const WarpId& owner, std::uint32_t offset) override;
  void bulk_commit(const WarpId& warp, std::uint32_t mask) override;
  void bulk_wait(const WarpId& warp, std::uint32_t mask, std::uint32_t pending) override;
  void block_barrier(const WarpId& any) override;
  void partial_barrier(const WarpId& any, std::uint32_t id, const BarrierPart* parts,
                       std::size_t count) override;
  void barrier_arrive(const WarpId& warp, std::uint32_t mask, std::uint32_t id) override;
  void warp_sync(const WarpId& warp, std::uint32_t mask) override;
  void warp_exchange(const WarpId& warp, std::uint32_t mask) override;
  void fence(const WarpId& warp, std::uint32_t mask, Scope scope) override;
  void shared_copied(const Site& site, const WarpId& by, std::uint32_t lane, const WarpId& owner,
                     std::uint32_t offset, std::uint32_t bytes) override;
  void shared_replaced(const Site& site, const WarpId& by, std::uint32_t lane, const WarpId& owner,
                       std::uint32_t offset, std::uint32_t bytes) override;
  void shared_filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) override;
  void mbarrier_made(const Site& site, const WarpId& by, std::uint32_t lane, const WarpId& owner,
                     std::uint32_t offset) override;
  void mbarrier_used(const Site& site, const WarpId& by, std::uint32_t mask, const WarpId& owner,
                     std::uint32_t offset) override;
  void block_end(const WarpId& block) override;
  void mbarrier_arrive(const WarpId& warp, std::uint32_t mask, const WarpId& owner, std::uint32_t offset,
                       bool relaxed) override;
  void mbarrier_phase(const WarpId& owner, std::uint32_t offset) override;
  void mbarrier_wait(const WarpId& warp, std::uint32_t mask, const WarpId& owner, std::uint32_t offset,
                     bool relaxed) override;
  void cluster_arrive(const WarpId& warp, std::uint32_t mask, bool relaxed) override;
  void cluster_barrier(const WarpId& any) override;
  void cluster_wait(const WarpId& warp, std::uint32_t mask) override;
  void used_from_nowhere(const Site& shuffle, const Site& use, const WarpId& warp,
                         std::uint32_t mask) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace simgpu::observe
