/// @file
/// Where a loop's next turn begins in machine code: ptxas lays turns of some loops side by side (lower/branches.cpp).
#pragma once

#include "simgpu/lower/code.hpp"

namespace simgpu::exec {

/// Follows one warp.
class LoopTurns {
 public:
  void start() { *this = {}; }
  /// The warp executes @p ins next. @return whether a turn begins with it that waits for the one before.
  bool begins_with(const lower::Ins& ins) {
    const lower::Ins* const last = last_;
    last_ = &ins;
    if (&ins > last) return false;
    if (last->op != lower::Op::bra || last->imm <= 1) {
      turn_ = 0;
      return true;
    }
    if (last != loop_) loop_ = last, turn_ = 0;
    turn_ = (turn_ + 1) % static_cast<std::uint32_t>(last->imm);
    return turn_ == 0;
  }
  /// Whether the machine has done @p ins, which comes next, along with the same of an earlier turn.
  bool is_done(const lower::Ins& ins) const { return (ins.flags & lower::kOncePerTurns) != 0 && turn_ != 0; }

 private:
  const lower::Ins *last_ = nullptr, *loop_ = nullptr;  ///< executed last; the branch of the loop it is in
  std::uint32_t turn_ = 0;                              ///< of those that lie side by side
};

}  // namespace simgpu::exec
