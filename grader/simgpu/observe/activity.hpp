/// @file
/// What the blocks of a launch did beside moving data: which of them touched memory at all, how often they met, what their
/// mbarriers went through, and how much was on its way while they waited. A part of Traffic, so that accesses need no second
/// observer.
#pragma once

#include <cstdint>
#include <vector>

#include "simgpu/observe/counters.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// Collects over one launch; finish() writes the counters.
class Activity {
 public:
  /// What one block's warps did so far.
  struct Marks {
    std::uint32_t touching = 0, storing = 0, writing = 0;  ///< bit w: warp w
    std::uint64_t shared_loaded = 0;                       ///< bytes
  };

  void launch_begin(const LaunchInfo& info);
  void block_begin(const WarpId& block);
  void block_end(const WarpId& block);
  /// Blocks that have not ended (the launch was stopped) are counted as they stand.
  void launch_end(Counters& counters);

  /// The marks of a warp's block: they stay where they are until a block begins or ends. nullptr: nobody follows it.
  Marks* marks_of(const WarpId* warp) noexcept {
    if (warp == nullptr) return nullptr;
    const std::size_t index = index_of(*warp);
    return index < marks_.size() ? &marks_[index] : nullptr;
  }
  /// A warp asks for bytes of global memory, by any road.
  void touches_global(const WarpId* warp) noexcept {
    if (Marks* marks = marks_of(warp)) marks->touching |= 1u << (warp->warp & 31);
  }
  /// A warp stores to global memory, or does an atomic there.
  void writes_global(const WarpId* warp) noexcept {
    if (Marks* marks = marks_of(warp)) marks->writing |= 1u << (warp->warp & 31);
  }
  /// A warp stores to shared memory: st.shared, cp.async.
  void stores_shared(const WarpId* warp) noexcept {
    if (Marks* marks = marks_of(warp)) marks->storing |= 1u << (warp->warp & 31);
  }

  /// A warp asks for bytes by cp.async.
  void begins_copies(const WarpId* warp, std::uint64_t bytes, std::uint64_t copies);
  /// A warp loads @p bytes from shared memory, its block's or a neighbour's. What it has begun since its latest wait is on its way while
  /// it works on a tile, too.
  /// Whether loads from shared memory have to be told by reads_shared(); else marks_of() does for them.
  bool follows_copies() const noexcept { return begun_; }
  void reads_shared(const WarpId* warp, std::uint64_t bytes) {
    if (Marks* marks = marks_of(warp)) marks->shared_loaded += bytes;
    if (begun_ && warp != nullptr) [[unlikely]]
      read_with_copies_begun(*warp);
  }

  void barrier_arrival(const WarpId& warp);
  void barrier(const WarpId& block);
  void mbarrier_init(const WarpId& owner, std::uint32_t offset);
  void mbarrier_arrivals(std::uint64_t count) { arrivals_ += count; }
  void mbarrier_expect(const WarpId& owner, std::uint32_t offset, std::uint64_t bytes);
  void mbarrier_phase(const WarpId& owner, std::uint32_t offset);
  void landed(const WarpId& warp, std::uint64_t bytes_left, std::uint64_t copies_left);
  void mbarrier_landed(const WarpId& owner, std::uint32_t offset);
  void mbarrier_passed(const WarpId& warp, std::uint32_t offset, std::uint64_t bytes_left,
                       std::uint64_t copies_left);

 private:
  /// What was still on its way when somebody went on.
  struct Left {
    std::uint64_t bytes = 0, copies = 0;
  };
  /// A phase that one warp has seen end, and that a block barrier has handed on to all.
  struct Handed {
    std::uint32_t offset = 0;  // of its mbarrier
    Left left{};               // at the latest phase that ended since the block barrier
    bool another = false;      // there was one
  };
  static constexpr std::uint32_t kNobody = ~0u, kSeveral = ~1u;
  struct Barrier {
    std::uint32_t offset = 0;
    std::uint64_t inits = 0, phases = 0, bytes = 0;
    std::uint64_t repeated = 0;     // initialisations of it as it was made by the one before
    bool fresh = false;             // nothing was announced, and no phase has ended, since it was initialised
    std::uint64_t landed = 0;       // phases that had copies to wait for
    Left left{};                    // when the last warp so far went on after the latest of them
    std::uint32_t waits = kNobody;  // the warp that waits at it, or kSeveral
  };
  /// Waits of one warp for its own groups. The latest is kept apart: the last one of a block does not count.
  struct Waits {
    std::uint64_t count = 0;
    Left sum, latest;
    Left begun;  // since the latest
  };
  struct Place {
    bool alive = false;
    std::uint64_t barriers = 0;
    std::vector<Barrier> mbarriers;
    std::uint32_t latest_passed = 0;  // offset of the mbarrier of which a warp last saw a phase end
    std::uint32_t latest_landed = 0;  // offset of the mbarrier whose copies landed last
    std::uint64_t landed = 0;         // phases with copies, of all mbarriers
    Left landed_sum;                  // of those but the latest of each mbarrier
    Left announced;                   // to mbarriers, since a warp last went on
    std::uint64_t met_before = 0;     // block barriers before copies landed last
    bool met_between = false;         // the block met between two phases with copies
    std::vector<Waits> waits;         // by warp
    /// By warp: the mbarriers whose phases it has seen end, without a load from shared memory or a block barrier since.
    std::vector<std::vector<std::uint32_t>> unused;
    /// Those that were seen to end before the latest block barrier: nobody has loaded from shared memory since.
    std::vector<Handed> handed_on;
  };

  std::size_t index_of(const WarpId& warp) const noexcept { return std::size_t{warp.slot} * sms_ + warp.sm; }
  Place* place_of(const WarpId& warp) {
    const std::size_t index = index_of(warp);
    return index < places_.size() && places_[index].alive ? &places_[index] : nullptr;
  }
  static Barrier& barrier_of(Place& place, std::uint32_t offset);
  void read_with_copies_begun(const WarpId& warp);
  void note_most(const Place& place);
  void add_of_neighbours(const Place& place);
  void fold(std::size_t index);

  bool begun_ = false;  // some warp has begun copies, or announced some, after a wait
  std::uint32_t sms_ = 1;
  std::uint64_t threads_ = 0, blocks_ = 0;
  std::vector<Marks> marks_;
  std::vector<Place> places_;
  // Of blocks that have ended.
  std::uint64_t touching_blocks_ = 0, touching_warps_ = 0, storing_warps_ = 0, writing_warps_ = 0,
                least_touching_warps_ = 0;
  std::uint64_t least_shared_loaded_ = 0;
  std::uint64_t folded_ = 0, barriers_ = 0, least_barriers_ = 0, most_barriers_ = 0, barrier_arrivals_ = 0;
  std::uint64_t mbarriers_ = 0, inits_ = 0, most_inits_ = 0, repeated_inits_ = 0, phases_ = 0,
                least_phases_ = 0;
  std::uint64_t arrivals_ = 0, expected_bytes_ = 0, byte_phases_ = 0;
  std::uint64_t waits_ = 0, bytes_left_ = 0, copies_left_ = 0, most_bytes_left_ = 0;
};

}  // namespace simgpu::observe
