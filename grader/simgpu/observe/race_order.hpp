/// @file
/// Which of two accesses comes first for certain: the part of race detection that knows barriers, fences and
/// flags.
///
/// Time is a counter of synchronising events. Every warp has a clock: the time of the last event that it took
/// part in. An *actor* is a warp between two of its events; accesses are remembered by actor. What an actor
/// did is before
///
/// - everything after a later barrier of its block (or grid barrier), and after a later sync of its own warp;
/// - everything done by a warp that *knows* of it: the actor's warp (or, past a barrier, another warp of its
/// block) then
///   executed a fence and wrote a word with an atomic, volatile or release access, and the other read that
///   word with an atomic, volatile or acquire access. What a warp knows is kept as one point in time, up to
///   which it knows everything that anyone had published: more than it may know in truth, so that there are
///   no false alarms.
///
/// One thing more is in order, though the memory model does not say so: a write that comes after somebody's *read*
/// was signalled by a volatile or relaxed store without a fence, with a barrier of the reader's block between the read
/// and the store. By then the value has been used (the signal mostly depends on it), and no hardware gives a load that
/// has returned a later value. The decoupled look-back of CUB and Thrust compacts in place by this.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

using Time = std::uint32_t;

/// A warp between two of its synchronising events.
struct Actor {
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  Time clock = 0;
};

/// How two accesses stand to each other.
enum class Relation : std::uint8_t {
  ordered,
  same_warp,  ///< lanes of one warp with no sync between: in order only as long as the warp runs in lockstep
  racing,
};

/// A resident warp.
struct WarpClock {
  Time clock = 0;
  Time known = 0;                       ///< knows all that was published until then
  Time signalled = 0;                   ///< has seen the signals given until then, see above
  Time block_fence = 0, gpu_fence = 0;  ///< last fence, by scope (a wider one is also a narrower one)
  Time barrier_at_block_fence = 0, barrier_at_gpu_fence = 0;  ///< the block's last barrier at that time
  Time fence_before_barrier = 0;  ///< last gpu-wide fence before the block's last barrier
  Time block_fence_before_barrier = 0;
  std::uint32_t actor = 0;  ///< 0: none for this clock yet
};

/// A resident block.
struct BlockClock {
  std::uint32_t block = 0;
  Time last_barrier = 0;
  bool fenced = false;  ///< some warp has executed a fence
  Time known = 0, signalled = 0;
  std::vector<WarpClock> warps;
};

/// The clocks of a launch.
class RaceOrder {
 public:
  /// Forgets everything: what was before the launch is ordered.
  /// @return false if actor numbers start anew, so that remembered ones mean nothing any more.
  bool begin_launch();
  void begin_block(BlockClock& block, std::uint64_t block_linear, std::uint32_t warps);

  void barrier(BlockClock& block);
  void grid_barrier();
  void warp_sync(BlockClock& block, std::uint32_t warp);
  void fence(BlockClock& block, std::uint32_t warp, bool gpu_wide);
  /// An atomic, volatile or release write to a word: publishes what the warp's fences cover.
  void release(BlockClock& block, std::uint32_t warp, std::uint64_t word, bool is_fence, bool gpu_wide);
  /// An atomic, volatile or acquire read of a word.
  void acquire(BlockClock& block, std::uint32_t warp, std::uint64_t word);
  /// A volatile or relaxed store to a word, without any fence.
  void signal(const BlockClock& block, std::uint64_t word);
  /// @return whether release() or acquire() can do anything at present, for a warp of this block.
  bool anything_published() const noexcept { return !published_.empty() || !signals_.empty(); }

  /// @return the number of the warp's present actor; numbers only grow.
  std::uint32_t actor(BlockClock& block, std::uint32_t warp) {
    WarpClock& w = block.warps[warp];
    const Time clock = clock_of(block, w);
    if (w.actor < floor_ || clock != w.clock || w.actor == 0) return new_actor(block, warp, clock);
    return w.actor;
  }
  const Actor& at(std::uint32_t actor) const noexcept { return actors_[actor - floor_]; }
  /// Actors below this number are of the past, and ordered before everything.
  std::uint32_t floor() const noexcept { return floor_; }
  std::uint32_t next_actor() const noexcept { return floor_ + static_cast<std::uint32_t>(actors_.size()); }

  /// How an earlier access by @p earlier stands to one by this warp now (lanes taken to be different).
  Relation relation(std::uint32_t earlier, const BlockClock& block, std::uint32_t warp) const noexcept;
  /// Whether a read by @p earlier is known to be over before this warp writes now, though relation() knows no order.
  bool read_is_over(std::uint32_t earlier, const BlockClock& block, std::uint32_t warp) const noexcept;

 private:
  // A block has finished its reads before the barrier at `until`, and said so at `time`.
  struct Signal {
    Time time = 0, until = 0;
  };
  // What one block made known: accesses of warp w before until[w], to those whose knowledge reaches `time`.
  struct Release {
    Time time = 0;
    bool gpu_wide = false;
    std::vector<Time> until;
  };

  Time clock_of(const BlockClock& block, const WarpClock& w) const noexcept {
    const Time latest = block.last_barrier > last_grid_barrier_ ? block.last_barrier : last_grid_barrier_;
    return w.clock > latest ? w.clock : latest;
  }
  std::uint32_t new_actor(BlockClock& block, std::uint32_t warp, Time clock);
  bool published(const Actor& earlier, Time known, bool same_block) const noexcept;
  void publish(BlockClock& block, std::uint32_t warp, bool gpu_wide);

  Time now_ = 1, last_grid_barrier_ = 0;
  bool exhausted_ = false;  // no actor numbers left: everything counts as ordered until the launch ends
  std::uint32_t floor_ = 1;
  std::vector<Actor> actors_;
  std::unordered_map<std::uint32_t, std::vector<Release>> releases_;  // by block
  std::unordered_map<std::uint64_t, Time> published_;                 // by word: its last release
  std::unordered_map<std::uint32_t, std::vector<Signal>> finished_;   // by block
  std::unordered_map<std::uint64_t, Time> signals_;                   // by word: its last signal
};

}  // namespace simgpu::observe
