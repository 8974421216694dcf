/// @file
/// What has to be there when it is used, in whichever order the warps run: an mbarrier that somebody has initialised, and the shared
/// memory of another block of the cluster, which goes when that block ends.
///
/// An mbarrier's initialisation has to come before each use by another thread, as a write would. A block's end has to come after each
/// access of the others to its shared memory: some thread of it must know that the access is over before it ends. For this a relaxed
/// arrival at the cluster's barrier is enough (View::met), and so is a thread that has ended, for which nobody waits there.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simgpu/observe/race_order.hpp"

namespace simgpu::observe {

/// Who initialised an mbarrier.
struct Made {
  std::uint32_t actor = 0, lane = 0;
  std::uint32_t site = 0;  ///< by id
  bool told = false;       ///< that somebody does not wait for it: all further uses would be told of as well
};

/// The latest that lanes of one warp of another block have done to a block's shared memory.
struct Touch {
  std::uint32_t actor = 0, lanes = 0;
  const Site* site = nullptr;
  AccessKind kind = AccessKind::load;
  std::uint64_t address = 0;  ///< offset, of one of the lanes
};

/// Of a resident block.
class Lifetimes {
 public:
  void clear();

  void made(std::uint32_t offset, const Made& by) { made_[offset] = by; }
  /// @return who initialised the mbarrier at @p offset; nullptr if that is not known.
  Made* maker(std::uint32_t offset);

  /// An earlier access of the same lanes is forgotten: who knows that this one is over knows it of that one, too.
  void touched(const RaceOrder& order, const Touch& touch);
  /// Calls f(touch) for accesses of which @p block knew nothing when it ended; the touch has the lanes in question.
  template <class F>
  void left_open(const RaceOrder& order, const BlockClock& block, F f) const {
    for (Touch touch : touches_) {
      if (touch.actor < order.floor()) continue;
      touch.lanes &= ~order.known_to_any(touch.actor, block);
      if (touch.lanes != 0) f(touch);
    }
  }

 private:
  std::unordered_map<std::uint32_t, Made> made_;  // by offset
  std::vector<Touch> touches_;
};

}  // namespace simgpu::observe
