/// @file
/// What the warps of a sampled block executed, step by step, in the order in which ptxas is taken to have put it: input of a
/// replay on one SM (timing/replay.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace simgpu::exec {

/// What a step uses of its SM beside an issue slot.
enum class Unit : std::uint8_t {
  issue,  ///< nothing
  fp32,
  fp64,
  integer,
  multiply,  ///< integers, on the units of fp32
  adder,     ///< sums of integers: ptxas gives them to either of both
  special,   ///< special functions and conversions
  shuffle,
  tensor,  ///< matrix products
  constant,
  shared,        ///< loads, stores and atomics of shared memory
  load,          ///< of global or local memory, or a texture: somebody may wait for it
  store,         ///< ... nobody but a fence does
  barrier,       ///< of the block
  fence,         ///< beyond the block; the arrival at a cluster's barrier is one
  asynchronous,  ///< the wait for a copy that others began
};

/// Of an SM. A warp stays with the one it began with.
inline constexpr std::uint32_t kSchedulers = 4;

/// One instruction of a warp.
struct Step {
  std::uint32_t number = 0;              ///< from 1, in the order of execution
  std::array<std::uint32_t, 3> after{};  ///< numbers of the steps whose results it needs; 0: none
  std::uint32_t site = 0;
  Unit unit = Unit::issue;
  std::uint16_t latency =
      4;  ///< until its result can be used; of memory: without what the cache or queue adds [cycles]
  std::uint8_t issues = 1;  ///< machine instructions
  std::uint8_t behind = 0;  ///< cycles that it stays behind its operands, beyond their latency
  std::uint8_t pause = 0;   ///< cycles until the warp issues again
  bool holds_integers =
      false;  ///< a product that keeps other integers waiting for as long as one of them takes
  bool turns_back =
      false;           ///< the branch of a loop's turn: its scheduler may lose a part of a slot behind it
  bool extra = false;  ///< no instruction by itself: the meeting at a barrier, the wait for a branch
  /// Cycles of its scheduler's unit, if it is not `issues` times one instruction's; of an access, those of the load-store unit beyond it.
  std::uint16_t keeps = 0;
};

/// Sums, products and comparisons: a barrier holds none of them.
inline bool is_arithmetic(const Step& s) {
  return s.unit == Unit::fp32 || s.unit == Unit::integer || s.unit == Unit::multiply || s.unit == Unit::adder;
}

struct WarpTrace {
  std::vector<Step> steps;
  std::uint64_t instructions = 0;  ///< all; `steps` may hold only the first of them
};

struct BlockTrace {
  std::vector<WarpTrace> warps;
};

/// Steps of a launch's blocks that are kept.
inline constexpr std::uint64_t kMostSteps = 160'000;
/// Steps that are kept of each warp of a block of @p warps: where there are few, several turns of a long loop over tiles.
constexpr std::uint32_t most_steps_of_warp(std::uint32_t warps) noexcept {
  constexpr std::uint32_t kOfBlock = 16'384, kLeast = 2048, kMost = 8192;
  return std::clamp(kOfBlock / std::max(1u, warps), kLeast, kMost);
}

}  // namespace simgpu::exec
