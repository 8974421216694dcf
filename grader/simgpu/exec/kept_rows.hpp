/// @file
/// Registers that hold the same in every block (lower/kept.cpp): a launch fills their rows once, and all its warps read them there.
#pragma once

#include <vector>

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// The kept rows of one launch: those of all warps, and those of each warp of a block.
class KeptRows {
 public:
  /// Executes the instructions that fill them, for all lanes of all warps of a block. @p machine is ready but for this.
  void prepare(Machine& machine);
  /// Whether the rows are filled, so that nobody has to execute those instructions again. They may be: the rows get what they hold.
  bool filled() const noexcept { return filled_; }
  /// Lets @p warp, number @p index of its block, find the rows of every kind but its frame's.
  void give_to(Warp& warp, const Machine& machine, u32 index) const;

 private:
  std::vector<std::byte> storage_;
  std::byte* rows_ = nullptr;  ///< of all; behind them warp after warp
  u32 by_all_bytes_ = 0, by_warp_bytes_ = 0;
  bool filled_ = false;
};

}  // namespace simgpu::exec
