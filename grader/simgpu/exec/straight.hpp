/// @file
/// Straight stretches of code: instructions that neither branch nor hand the turn over, and between which no lanes meet and
/// no turn ends to wait for memory. The step loop runs through them without a look at the warp's state, and counts a stretch as a whole.
#pragma once

#include <vector>

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// The stretches of one launch's code, and how often they ran.
class StraightRuns {
 public:
  /// Finds the stretches of the machine's kernel and the functions that it reaches.
  void prepare(const Machine& machine);
  /// Instructions from @p pc on that are straight; 0: the one at @p pc is not.
  u32 length(u32 pc) const noexcept { return length_[pc - first_]; }
  /// A warp has executed instructions [@p from, @p to) of one stretch.
  void ran(u32 from, u32 to) noexcept {
    ++changes_[from - first_];
    --changes_[to - first_];
  }
  /// A warp has jumped over instructions [@p from, @p to), which the machine executes with all lanes off.
  void skipped(u32 from, u32 to) noexcept {
    ++off_[from - first_];
    --off_[to - first_];
  }
  /// @return by instruction from first() on: executions with all lanes off.
  std::vector<u64> off() const;
  u32 first() const noexcept { return first_; }
  /// Adds what ran since the last time to the executions per site.
  void add_to(std::vector<u64>& executions, const lower::Code& code);

 private:
  u32 first_ = 0;
  std::vector<u16> length_;
  std::vector<u64> changes_;  ///< of the number of executions, from an instruction to the next; wraps
  std::vector<u64> off_;      ///< as changes_, of executions with all lanes off
};

}  // namespace simgpu::exec
