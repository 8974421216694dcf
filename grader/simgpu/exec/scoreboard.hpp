/// @file
/// A simple in-order scoreboard for sampled blocks: how long a block would last alone on its SM, for three
/// load latencies at once. One per warp.
#pragma once

#include <array>
#include <vector>

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// Load latencies of the three clocks. [cycles]
inline constexpr std::array<double, 3> kLoadLatency = {34, 262, 600};

class Scoreboard {
 public:
  void start(const lower::Function& function);
  /// @p warp is about to execute @p ins for lanes @p mask.
  void step(const Warp& warp, const Ins& ins, u32 mask);
  /// All warps of @p block have met.
  static void barrier(Block& block);
  /// The block's time so far.
  static BlockTime finish(Block& block);

 private:
  using Clock = std::array<double, 3>;
  Clock& ready(Operand o) {
    return registers_[o < predicate_bytes_ ? o / 4 : predicate_bytes_ / 4 + (o - predicate_bytes_) / 128];
  }
  void enter(const lower::Function& function);
  static void settle(Block& block);

  const lower::Function* function_ = nullptr;
  u32 predicate_bytes_ = 0;
  std::vector<Clock> registers_;
  Clock now_{};
  double issued_ = 0;  ///< instructions since the last barrier
  double load_bytes_ = 0;
};

}  // namespace simgpu::exec
