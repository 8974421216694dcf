/// @file
/// Where a loop's next turn begins in machine code. ptxas lays some turns of a loop that counts to a constant side by side; a
/// loop up to n it leaves as it is. (H200: a padded transpose with such a loop of four turns, against a sum over n.) Nor does it
/// touch one with `.pragma "nounroll"`, which nvcc writes where it has laid turns side by side itself.
#pragma once

#include <vector>

#include "simgpu/lower/code.hpp"

namespace simgpu::exec {

/// Follows one warp.
class LoopTurns {
 public:
  /// @param heeds_pragma whether loops that say so are left as they are. The scoreboard's constants were set without.
  explicit LoopTurns(bool heeds_pragma) : heeds_pragma_(heeds_pragma) {}
  void start() {
    last_ = nullptr;
    turns_ = 0;
  }
  /// The warp is in @p function now.
  void enter(const lower::Function& function) {
    predicate_bytes_ = function.predicate_bytes;
    constant_bound_.assign(function.predicate_bytes / 4 + 1, false);
  }
  /// The warp executes @p ins next. @return whether a turn begins with it that waits for the one before.
  bool begins_with(const lower::Ins& ins) {
    const bool kept = heeds_pragma_ && (ins.flags & lower::kNoUnroll);
    const bool begins = &ins <= last_ && (kept || !(counted_ && ++turns_ % kUnrolled != 0));
    last_ = &ins;
    if (ins.guard != lower::kNoGuard) counted_ = constant_bound_[ins.guard / 2 / 4];
    if ((ins.defs & lower::kFieldD) && ins.d < predicate_bytes_)
      constant_bound_[ins.d / 4] = !(ins.uses & lower::kFieldB);
    return begins;
  }

 private:
  static constexpr std::uint32_t kUnrolled = 4;
  bool heeds_pragma_;
  const lower::Ins* last_ = nullptr;
  std::uint32_t turns_ = 0;  // backward jumps so far
  std::uint32_t predicate_bytes_ = 0;
  bool counted_ = false;              // the last guard compared with a constant
  std::vector<bool> constant_bound_;  // per predicate: set by a comparison with a constant
};

}  // namespace simgpu::exec
