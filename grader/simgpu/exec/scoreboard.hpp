/// @file
/// A scoreboard for sampled blocks: how long a block would last alone on its SM, for three load latencies at once. One per
/// warp.
///
/// A warp issues its machine instructions in order, but their order is ptxas's, not the PTX text's: ptxas turns short branches
/// into predicates and moves loads ahead of the waits for earlier ones, as far as barriers, loop ends and stores that might
/// alias let it, and divisions with a slow way, which are branches. So within such a stretch an instruction waits for its operands only; at
/// its end the warp waits for all.
#pragma once

#include <array>
#include <vector>

#include "simgpu/exec/loads_in_flight.hpp"
#include "simgpu/exec/loop_turns.hpp"
#include "simgpu/exec/state.hpp"
#include "simgpu/exec/trace.hpp"

namespace simgpu::exec {

/// Load latencies of the three clocks. [cycles]
inline constexpr std::array<double, 3> kLoadLatency = {34, 262, 600};
/// Of a move, and of a constant that is in its cache. [cycles]
inline constexpr double kMoveLatency = 4, kConstantLatency = 8;

/// That an instruction of the special unit keeps it busy.
inline constexpr u32 kSpecialCycles = 8;

/// What the machine executes for one instruction of the text, by unit.
struct Sequence {
  u32 issues = 1, integer = 0, multiply = 0, conversion = 0, special = 0, fp32 = 0, fp64 = 0;
  u32 latency = 0;  ///< of its result, if it is not Ins::latency [cycles]
  u32 longer = 0;   ///< that the special unit is busy beyond kSpecialCycles for each [cycles]
  u32 either = 0;   ///< sums, for the integers' unit or for the multipliers
  bool needs_a_unit() const { return integer + multiply + conversion + special + fp32 + fp64 + either != 0; }
  u32 special_cycles() const { return special * kSpecialCycles + longer; }
};
/// Of divisions, roots and special functions; anything else is one instruction, of no unit.
/// @param other_way its operands make it go another way: see takes_other_way()
Sequence sequence_of(const Ins& ins, bool other_way = false);
/// For a cycle in which its scheduler issues nothing else (lower/register_banks.cpp).
inline bool waits_for_operands(const Ins& ins) {
  return ins.op == Op::fma_f32 && ins.imm == lower::kReadsTwice;
}
/// Sums and products of halves, one or two: they have half the rate of those of floats (H200, 2026-11-29: 2.33 cycles each).
bool is_half_arithmetic(lower::Op op);
/// Divisions and roots that look at their operands first.
bool has_two_ways(const Ins& ins);
/// Do the operands of lanes @p mask make it go another way than most? A division of integers of 64 bits goes a shorter one if 32 are enough for
/// all lanes. An exact division or root of floating point goes a longer one, a function, if a lane's operands are nought, subnormal,
/// infinite, or so far apart that the quick way might round wrongly.
bool takes_other_way(const Warp& warp, const Ins& ins, u32 mask);
/// A branch forward of which ptxas makes no predicates.
bool is_branch_forward(const Ins& ins);
/// What it costs beside its own issue.
inline constexpr u32 kBranchForwardIssues = 2;
/// An instruction under a predicate, and a branch, stay so far behind the comparison beyond its latency; one that takes the predicate as an
/// operand does not (H200, 2026-11-29: a chain of `if (a & 1) a = 3 * a + 1; else a /= 2` takes one warp 22.4 cycles a link, of
/// `a = a > b ? a - 3 : a + b` 14.4, of eight sums with a way out of the loop behind each 15.8 each). [cycles]
inline constexpr u8 kGuardBehind = 9;
/// Of a branch forward that stays one, where lanes meet again behind it: its ways' begin and end, and four instructions (H100, 2026-11-26: a turn
/// with one that nobody takes has 42 cycles more of one warp, three instructions before it included, and 2.2 of 32 warps). [cycles]
inline constexpr u8 kBranchLatency = 16;
/// The place where lanes meet again is made known before a branch (BSSY), and they wait there for each other: once for several branches
/// to it. (H200, 2026-11-29: of eight ways out to one place each takes a warp 15.8 cycles, its sum and comparison included.)
class Joins {
 public:
  bool is_open(const Ins& branch) const { return at_ == branch.aux && &branch > from_; }
  u8 latency(const Ins& branch) const { return is_open(branch) ? 1 : kBranchLatency; }
  void open(const Ins& branch) { at_ = branch.aux, from_ = &branch; }

 private:
  u32 at_ = ~u32{0};  ///< where the latest branch goes
  const Ins* from_ = nullptr;
};
/// A branch that becomes predicates, or leaves its loop.
bool becomes_predicates(const Ins& ins);
bool leaves_loop(const Ins& ins);
/// The branch that has become predicates, under which a warp is: until its lanes are together again.
class Choice {
 public:
  void begin(const Warp& warp, const Ins& branch);
  /// The warp comes to @p ins. @return whether that stands under the predicates
  bool holds(const Ins& ins) {
    if (end_ != nullptr && (&ins <= branch_ || &ins >= end_)) end_ = nullptr;
    return end_ != nullptr;
  }

 private:
  const Ins *branch_ = nullptr, *end_ = nullptr;
};
/// Loads and stores of a matrix's part: several machine instructions each (lower::MatrixOp::issues).
bool is_fragment_access(const Ins& ins);
/// An atomic of all lanes on one address, which ptxas has one of them carry out.
bool is_combined_atomic(const lower::Code& code, const Ins& ins);
/// What that takes beside it: the lanes' sum or number (REDUX, VOTEU, POPC), and who is the first (S2R, FLO, a comparison).
inline constexpr u32 kCombineIssues = 9;
/// Sums and moves that the integer units and the multipliers can do alike.
bool is_either(const Ins& ins);

/// The class of units that carries out one that is no sequence. Minima and maxima of floats are the integer units' work, and instead of shifting
/// to the left by a constant ptxas multiplies.
lower::Class carried_out_as(const Ins& ins);
/// The units that have to be free for it; for a sequence, nothing is said.
Unit unit_of(const Ins& ins);

class Scoreboard {
 public:
  /// @param most of the warp's steps that are kept for a replay.
  void start(const lower::Function& function, u32 most);
  /// @p warp is about to execute @p ins for lanes @p mask; 0: for none, and the machine issues it all the same.
  void step(const Warp& warp, const Ins& ins, u32 mask);
  /// @p ins waits, and will be executed again: it was recorded.
  void waits(const Ins& ins) { waiting_ = &ins; }
  /// All warps of @p block have met.
  static void barrier(Block& block);
  /// The block's time so far.
  static BlockTime finish(Block& block);

 private:
  using Clock = std::array<double, 3>;
  std::size_t index_of(Operand o) const {
    if (o < predicate_bytes_) return o / 4;
    return predicate_bytes_ / 4 + (lower::offset_of(o) - predicate_bytes_) / 128;
  }
  Clock& ready(Operand o) { return registers_[index_of(o)]; }
  /// Keeps a step for @p ins, which can issue at @p at if nothing else is in its way.
  /// @param done by the machine, along with another one: it costs nothing. @param off all lanes are
  void record(const Warp& warp, const Ins& ins, const MemoryOp* memory, double at, bool other_way, bool done,
              bool off);
  void hasten(const Step& branch);
  void jump();
  void follow_parting(const Warp& warp, const Ins& ins, u32 mask);
  void wait_for_branch(const Clock& done);
  void wait_for_copies(const Ins& ins);
  void enter(const lower::Function& function);
  static void settle(Block& block, bool at_barrier);

  const lower::Function* function_ = nullptr;
  u32 predicate_bytes_ = 0;
  std::vector<Clock> registers_;
  void end_of_stretch(bool at_barrier = false);

  Clock now_{};     ///< earliest issue of the next instruction
  Clock latest_{};  ///< latest issue in this stretch
  Clock global_stored_{},
      shared_stored_{};  ///< latest issue of a store: later loads of that memory stay behind it
  Clock global_used_{},
      shared_used_{};  ///< latest issue of any access: later stores of that memory stay behind it
  LoopTurns turns_;
  double issued_ = 0;  ///< instructions since the last barrier
  double load_bytes_ = 0;
  LoadsInFlight flight_;

  // What is kept for a replay. Steps of a stretch are put in the order in which they could issue, as ptxas would.
  struct Pending {
    double at = 0;
    Step step;
  };
  std::vector<u32> producers_;  ///< as registers_: the step that fills it
  std::vector<Pending> stretch_;
  WarpTrace trace_;
  u32 most_ = 0;             ///< steps that are kept
  u32 number_ = 0;           ///< of the latest step
  u32 branch_ = 0;           ///< the latest branch
  std::vector<u32> parted_;  ///< lanes that were together at branches that stay branches, and are not again
  u32 side_ = 0;             ///< lanes of the latest instruction
  u32 copied_ = 0;           ///< the latest cp.async
  u32 stored_ =
      0;  ///< the latest store or atomic without result in global memory; 0: a fence has waited for it
  std::vector<u32> groups_;       ///< of cp.async: the last of each
  const Ins* waiting_ = nullptr;  ///< recorded, and executed again

  // What stands under the predicates that a branch has become waits for them.
  Choice choice_;
  Clock chosen_{};  ///< when they can be used
  u32 choice_step_ = 0;
  Joins joins_;
};

}  // namespace simgpu::exec
