/// @file
/// Straight stretches of code: instructions that neither branch nor hand the turn over, and between which no lanes meet and
/// no turn ends to wait for memory. The step loop runs through them without a look at the warp's state, and counts a stretch as a whole.
#pragma once

#include <vector>

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// An instruction of a stretch, with all that its execution looks at in one line of the host's cache. Or a branch with a guard (it has no
/// handler, and its place in Ins::b): most find that no lane takes them, and the stretch goes on.
struct alignas(64) ReadyIns {
  Handler run;
  Ins ins;
};

/// The stretches of one launch's code, and how often they ran.
class StraightRuns {
 public:
  /// Finds the stretches of the machine's kernel and the functions that it reaches.
  void prepare(Machine& machine);
  /// The same where branches that no lane takes are straight, too: of steps.
  u32 ready_length(u32 pc) const noexcept { return ready_length_[pc - first_]; }
  /// What is to be executed of the instructions from the function's first up to @p pc, which is not; those that fill kept rows have been.
  const ReadyIns* steps_before(u32 pc) const noexcept { return steps_.data() + first_step_[pc - first_]; }
  /// Where the instruction of @p step is.
  u32 pc_of(const ReadyIns* step) const noexcept;
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
  /// A warp leaves a stretch before the instruction at @p pc: does some sum before it wait for its access behind?
  bool owes(u32 pc) const noexcept { return owing_[pc - first_] != 0; }
  /// Executes those sums for lanes @p mask.
  void pay(Warp& w, u32 pc, u32 mask) const;
  /// Adds what ran since the last time to the executions per site.
  void add_to(std::vector<u64>& executions, const lower::Code& code);

 private:
  /// What a step is beside its instruction.
  struct Kind {
    WordAccess access;
    bool begins;  ///< a stretch
  };
  void make_steps(Machine& machine, u32 end);
  void fold_sums(const Machine& machine, std::vector<Kind>& kinds, const std::vector<u32>& pcs);
  void share_shapes(const lower::Code& code, const std::vector<Kind>& kinds);
  void count_loads(const Machine& machine, const std::vector<Kind>& kinds);

  u32 first_ = 0;
  std::vector<ReadyIns> steps_;
  std::vector<u32> first_step_;  ///< by instruction: number of the first step that is not before it
  struct Folded {
    u32 sum, access;  ///< where they are
  };
  std::vector<Folded> folded_;
  std::vector<u8> owing_;  ///< by instruction: it stands behind a folded sum, and not behind its access
  std::vector<u16> length_, ready_length_;
  std::vector<u64> changes_;  ///< of the number of executions, from an instruction to the next; wraps
  std::vector<u64> off_;      ///< as changes_, of executions with all lanes off
};

}  // namespace simgpu::exec
