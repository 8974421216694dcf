/// @file
/// How many bytes a thread has asked for when it first has to wait for one of them: what hides memory's latency, read off the
/// instructions as they are executed. One per warp of a sampled block, beside its scoreboard.
///
/// A warp waits when an instruction reads (or overwrites) a register that a load of global memory has not filled yet. Loads end
/// in order: the one that is waited for takes those before it along. A wait counts if the warp has begun a load since the wait
/// that counted before: so a batch of loads counts once, however its values are used afterwards. A store waits where lower/waits.cpp has
/// found it to in ptxas's order: read-only loads behind it (`__restrict__`) come before it there.
#pragma once

#include <array>
#include <vector>

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

class LoadsInFlight {
 public:
  void start() {
    loads_.clear();
    filled_ = {};
    fresh_ = false;
    bytes_ = threads_ = 0;
  }
  /// @p warp is about to execute @p ins for lanes @p mask.
  void step(const Warp& warp, const Ins& ins, u32 mask);

  u64 bytes() const noexcept { return bytes_; }      ///< in flight at the waits that count, summed
  u64 threads() const noexcept { return threads_; }  ///< that had them in flight, summed

 private:
  struct Load {
    const std::byte* rows = nullptr;  ///< of the frame whose registers it fills
    const MemoryOp* op = nullptr;
    u32 mask = 0;
    bool stored = false;  ///< by a store that comes later in machine code, with the next wait
  };
  bool needs(const Warp& warp, const Ins& ins, u32 mask, const Load& load) const;

  /// Registers, as bits that several may share: what has no bit in common with the loads waits for none of them. Without it, each
  /// instruction between a batch of loads and their first use looks at every register of every load.
  class Registers {
   public:
    void add(Operand o) { bits_[o / kRow / 64 % kWords] |= 1ull << (o / kRow % 64); }
    bool may_hold(Operand o) const {  // constants lie in rows of their own
      return (bits_[o / kRow / 64 % kWords] >> (o / kRow % 64) & ~(o / lower::kPoolBit) & 1) != 0;
    }

   private:
    static constexpr u32 kRow = 128;   // bytes of a register of a warp, at least
    static constexpr u32 kWords = 16;  // a thousand registers: few kernels name more
    std::array<u64, kWords> bits_{};
  };
  bool may_need(const Ins& ins, const MemoryOp* m) const;
  void note_filled(const Load& load);

  std::vector<Load> loads_;  ///< in order of issue
  Registers filled_;         ///< by these
  bool fresh_ = false;       ///< a load has been begun since the last wait that counted
  u64 bytes_ = 0, threads_ = 0;
};

}  // namespace simgpu::exec
