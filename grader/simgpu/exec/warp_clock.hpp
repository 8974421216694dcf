/// @file
/// What `clock64` says: each warp of a kernel that reads a clock carries one of its own, while it runs.
///
/// A warp issues an instruction a cycle, and an instruction waits for its operands: so the clock goes on by issue and by the
/// latencies of what it depends on, a load's by where the caches found it. Within a straight stretch instructions wait for their operands only,
/// as ptxas lays them out; at a loop's next turn, at a barrier and where the clock is read the warp has issued all that came before.
/// (The scoreboard of sampled blocks follows the same rules, for three latencies at once, since it is asked after the launch.)
///
/// What warps share, they share here: the schedulers, pipes and load-store unit of their SM, its way to the L2, the DRAM. Barriers bring
/// clocks together at the latest. Kernels that read no clock have none of this.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "simgpu/exec/calendar.hpp"
#include "simgpu/exec/loop_turns.hpp"
#include "simgpu/exec/scoreboard.hpp"
#include "simgpu/exec/state.hpp"
#include "simgpu/exec/trace.hpp"

namespace simgpu::exec {

/// The clocks of one launch, and what its warps share.
class Clocks {
 public:
  explicit Clocks(const Launch& launch);

  /// When a block begins in place @p place of SM @p sm: not before the one that was there has ended, nor together with another one.
  double begin_block(std::size_t place, u32 sm);
  /// It has ended, its last warp at @p time.
  /// @param spun cycles in which one of its warps did nothing but look at the clock
  /// @param shown cycles between the first and the last look of one of its warps
  void end_block(std::size_t place, double time, u32 warps, double spun, double shown);

  const ClockRates& rates;
  struct Sm {
    Sm();
    static constexpr std::size_t kUnits = 16;
    std::array<Calendar, kSchedulers> issue;
    std::array<std::array<std::unique_ptr<Calendar>, kUnits>, kSchedulers> pipes;
    Calendar load_store, l2, remote;
    double next_begin = 0;
  };
  Sm& sm(u32 index);
  Calendar dram;
  /// What a clock has shown to pass: between two looks of one warp, or to spinning warps of all blocks that one place has had. [cycles]
  double longest_shown = 0;

 private:
  std::vector<std::unique_ptr<Sm>> sms_;
  std::vector<double> free_, spun_;  // by place
};

class WarpClock {
 public:
  /// The warp begins with its block, at @p time.
  void start(Clocks& clocks, const lower::Function& function, u32 warp, u32 sm, double time);
  /// The warp is about to execute @p ins.
  void issue(const Warp& warp, const Ins& ins);
  /// It has accessed memory: what that cost.
  void accessed(const Warp& warp, const Ins& ins, const observe::AccessCost& cost);

  /// The cycles since the launch began. All that came before has been issued.
  double now() {
    settle();
    return now_;
  }
  /// @return the cycles in which it did nothing but look at the clock.
  double spun() const { return spun_; }
  /// @return the cycles between its first look at the clock and its last.
  double shown() const { return looked_at_ - first_look_; }
  /// The warp does nothing before @p time.
  void wait_until(double time) {
    settle();
    now_ = std::max(now_, time);
  }
  /// @return when a bulk copy of @p bytes that it begins has landed. @param cost of what it has begun with this instruction
  double copy_lands(u64 bytes, const observe::AccessCost& cost);
  /// @return when all that it has begun by cp.async so far has landed.
  double copies_land() const { return copied_; }

 private:
  std::size_t index_of(Operand o) const {
    if (o < predicate_bytes_) return o / 4;
    return predicate_bytes_ / 4 + (lower::offset_of(o) - predicate_bytes_) / 128;
  }
  double& ready(Operand o) { return registers_[index_of(o)]; }
  void settle() { now_ = std::max(now_, latest_); }
  void enter(const lower::Function& function);
  void jump();
  void look(const Ins& ins);
  void wait_for_memory(const Ins& ins);
  double through_load_store(double time, double cycles);
  double fetch(const observe::AccessCost& cost, bool atomic);
  double far_shared(const MemoryOp& m, const observe::AccessCost& cost, bool atomic);
  void give(const Ins& ins, const MemoryOp& m, double time);

  Clocks* clocks_ = nullptr;
  Clocks::Sm* sm_ = nullptr;
  u32 scheduler_ = 0;
  const lower::Function* function_ = nullptr;
  u32 predicate_bytes_ = 0;
  std::vector<double> registers_;  // when each can be used
  LoopTurns turns_;
  // What stands under the predicates that a branch has become waits for them.
  Choice choice_;
  double chosen_ = 0;
  Joins joins_;
  double now_ = 0;                                  // earliest issue of the next instruction
  double latest_ = 0;                               // latest issue in this stretch
  double at_ = 0;                                   // issue of the latest instruction
  std::array<double, Clocks::Sm::kUnits> pipes_{};  // when this warp's own work is through
  double load_store_ = 0;                           // ... through the load-store unit
  struct Order {
    double stored = 0,
           used = 0;  // latest issue of a store, of any access: later loads, later stores stay behind it
  };
  Order global_, shared_;
  double loaded_ = 0;  // the latest load's result, which may bring another one's along
  double stored_until_ = 0, copied_ = 0;
  std::vector<double> groups_;  // of cp.async
  // Of a warp that does nothing but look at the clock.
  const Ins* looked_ = nullptr;
  static constexpr u32 kWork = 100;  // anything but counting and comparing
  u32 since_look_ = 0, looks_ = 0;   // instructions; turns of such a loop so far
  double spins_since_ = 0, looked_at_ = 0, first_look_ = 0, spun_ = 0;
  bool has_looked_ = false;
};

}  // namespace simgpu::exec
