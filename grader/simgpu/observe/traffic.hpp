/// @file
/// Counts what a launch asks of the memory system: requests, sectors, wavefronts, and through model caches
/// the bytes that reach L2 and DRAM. Always on, so it has to be quick: most requests repeat a pattern that
/// their instruction has shown before, and cost one comparison.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simgpu/observe/buffers.hpp"
#include "simgpu/observe/counters.hpp"
#include "simgpu/observe/observer.hpp"
#include "simgpu/observe/repeated_loads.hpp"

namespace simgpu::observe {

/// Sizes of the caches. L1 size follows from the launch: what the blocks' shared memory leaves of
/// `l1_shared_bytes`.
struct TrafficConfig {
  std::uint64_t l1_shared_bytes = 256 * 1024;  ///< L1 and shared memory of one SM [bytes]
  std::uint64_t l2_bytes = 5 * 1024 * 1024;    ///< nominal [bytes]
  /// Share of the L2 that a working set can use: the bandwidth of an H200 falls from 44 to 58 of its 60 MB on when each SM
  /// reads its own part again and again, and half as far on when all SMs read all of it.
  double l2_usable = 54.0 / 60.0;
  std::uint32_t slice = 1;  ///< the device is one part in so many of a card
  const memory::DeviceMemory* memory =
      nullptr;  ///< whose allocations buffers() tells apart; nullptr: none are
};

/// The observer. One object lives as long as its device: L2 content persists from launch to launch, L1 does
/// not. Everything returned describes the launch between the last launch_begin() and launch_end(), and is
/// complete after the latter.
/// Lines of the L2 that carry out atomics together, as far as a launch has used them.
struct AtomicUnits {
  std::uint64_t count = 0;
  double mean_cycles = 0;  ///< how long one of them is busy
};

class Traffic final : public Observer, public RepeatedLoads {
 public:
  explicit Traffic(const TrafficConfig& config = {});
  ~Traffic() override;
  /// For a launch that runs beside the one that this object counts: it finds the same L2.
  std::unique_ptr<Traffic> beside() const;

  void launch_begin(const LaunchInfo& info) override;
  void launch_end() override;
  void access(const Access& access) override;
  RepeatedLoads* repeated_loads() override { return this; }
  bool may_count(const WarpId& warp) override;
  RepeatedLoad* of(std::uint32_t site) override;
  void counted(const WarpId& warp, std::uint64_t wavefronts, std::uint64_t bytes) override;
  void texture(const TextureAccess& access) override;
  void bulk_access(const BulkAccess& access) override;
  void block_begin(const WarpId& block) override;
  void block_end(const WarpId& block) override;
  void block_barrier(const WarpId& any) override;
  void partial_barrier(const WarpId& any, std::uint32_t id, const BarrierPart* parts,
                       std::size_t count) override;
  void block_barrier_arrival(const WarpId& warp) override;
  void mbarrier_init(const WarpId& owner, std::uint32_t offset) override;
  void mbarrier_arrivals(const WarpId& owner, std::uint32_t offset, std::uint32_t count) override;
  void mbarrier_expect(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) override;
  void mbarrier_phase(const WarpId& owner, std::uint32_t offset) override;
  void copies_landed(const WarpId& warp, std::uint64_t bytes, std::uint64_t copies) override;
  void mbarrier_landed(const WarpId& owner, std::uint32_t offset) override;
  void mbarrier_passed(const WarpId& warp, std::uint32_t offset, std::uint64_t bytes,
                       std::uint64_t copies) override;
  void shared_filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) override;
  void remote_copy(const WarpId& warp, std::uint64_t bytes) override;

  const Counters& counters() const noexcept;
  /// Instructions that accessed memory, ordered by site id, then memory, then kind. Kernel parameters are
  /// left out.
  const std::vector<SiteCounters>& sites() const noexcept;
  /// Allocations that the launch touched, in order of allocation. Constants and kernel parameters are left out.
  const std::vector<BufferCounters>& buffers() const noexcept;
  /// One entry an SM.
  const std::vector<SmTraffic>& sms() const noexcept;
  /// How long the busiest line of L2 carries out atomics and reductions. Lanes of an integer atomic whose text shows that
  /// they all go to one address count once a warp, as the compiler combines them. [cycles]
  double busiest_atomic_line_cycles() const noexcept;
  /// ... and all of them together. [cycles]
  double all_atomic_cycles() const noexcept;
  AtomicUnits atomic_units() const noexcept;
  /// Lines of shared memory that blocks of one rank in their clusters gave to the other blocks; of the busiest rank.
  std::uint64_t busiest_rank_served_lines() const noexcept;
  /// Of sums that are loops of compare and swap, in shared memory of other blocks: lanes that came to a block's busiest word, one after the
  /// other; the mean of the blocks that any came to.
  double remote_loop_lanes() const noexcept;
  /// Writes of half lines to DRAM, each in a row that none of the recent ones went to.
  std::uint64_t dram_row_openings() const noexcept;
  /// What reads and writes of the host's memory cost the link (link_bytes.hpp).
  double link_bytes() const noexcept;
  /// Bytes of L1 cache that the launch left each SM. [bytes]
  std::uint64_t l1_bytes() const noexcept;

  /// Something other than a kernel (a copy, a memset) wrote or freed this range: L2 no longer holds it.
  void invalidate_l2(std::uint64_t address, std::uint64_t bytes);
  /// Empties L2.
  void clear_l2();

 private:
  struct Impl;
  explicit Traffic(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace simgpu::observe
