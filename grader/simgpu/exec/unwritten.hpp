/// @file
/// Follows values that nobody wrote, and what shuffles bring from nowhere, through a warp's registers, until it shows whether they matter.
///
/// Loading such bytes is no mistake yet. Compilers copy the padding of structs, vector loads reach past the last
/// element, merges load the key after the last one and discard it. A mistake is what depends on them: a branch, an
/// address, arithmetic whose result is stored. So a load only begins a trail here, at its destination registers, and
/// the observers hear of it when the trail leads to one of those. Copies lay the trail in memory: what they store counts
/// as never written again; only copying device memory around which nothing at all was written is a mistake by itself.
///
/// So it is with a shuffle that asks a lane which takes no part: what comes is undefined, and harmless unless it is used. A warp that is
/// not full sums up by halves all the same, and throws away what comes from beyond its end. There, other shuffles pass the trail on from
/// lane to lane, and any store to global or shared memory is a use.
#pragma once

#include <array>
#include <vector>

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// The registers of one warp that hold such values, lane by lane. Elements of which some bytes were written count as
/// written: padding within a word is of no interest.
class UnwrittenValues {
 public:
  /// What is followed: what memory held, or what shuffles brought. A warp has a trail of each.
  enum class From : u8 { memory, nowhere };
  explicit UnwrittenValues(From from) : from_(from) {}

  /// Observers found bytes of a load that nobody wrote. @param address per lane, as observers see them.
  void load(const Warp& warp, const Ins& i, const MemoryOp& m, const u64* address, observe::Memory memory,
            const observe::Unwritten& found);
  /// The same for a copy from device memory that goes round the registers. Lanes around which nothing was written count
  /// as a use; the others' holes stay in @p found.
  static void copy(Warp& warp, const Ins& i, const u64* address, observe::Unwritten& found);
  /// Lanes @p missing of a shuffle have asked a lane that takes no part; of the others of @p mask, lane l has asked @p from[l]. To be called
  /// once it is executed: that may be long after its lanes have come to it.
  void shuffle(const Warp& warp, const Ins& i, u32 mask, u32 missing, const u32* from);
  /// Lanes of @p mask vote or reduce: all get one result. To be called when this is about to happen.
  void combine(const Warp& warp, const Ins& i, u32 mask);
  /// Where lanes meet at different instructions, operands are brought together and results given out.
  void move(const std::byte* to, const std::byte* from, u32 lanes);
  /// To be called before @p i runs for the lanes of @p mask (0: its guard lets none through).
  void step(Warp& warp, const Ins& i, u32 mask);
  /// Which bytes of a store hold such values. @return false if none do.
  bool store(Warp& warp, const Ins& i, const MemoryOp& m, observe::Memory memory, u32 mask,
             observe::Unwritten& bytes);
  bool empty() const noexcept { return values_.empty(); }

 private:
  struct Value {
    const std::byte* row = nullptr;
    u32 lanes = 0;     ///< that hold such a value ...
    u32 computed = 0;  ///< ... and not as a mere copy
    std::size_t load = 0;
  };
  struct Load {
    const observe::Site* site = nullptr;
    observe::Memory memory = observe::Memory::global;
    u32 barren = 0;  ///< lanes, as in observe::Unwritten
    u32 known = 0;   ///< lanes that have an address
    std::array<u64, 32> address{};
  };

  Value at(const std::byte* row) const;
  Value at(const Warp& warp, Operand o) const;
  void set(const std::byte* row, u32 mask, Value value);
  void set(const Warp& warp, Operand o, u32 mask, Value value);
  void set_results(const Warp& warp, const Ins& i, u32 mask, const Value& value);
  Value all_operands(const Warp& warp, const Ins& i) const;
  std::size_t begin_load(const observe::Site* site);
  void use(Warp& warp, const Ins& i, const Value& value, u32 lanes);
  void step_memory(Warp& warp, const Ins& i, u32 mask);
  void step_product(const Warp& warp, const lower::MatrixOp& product, u32 mask);

  From from_;
  std::vector<Value> values_;
  std::vector<Load> loads_;
};

/// Begins (or goes on) to follow what a load found.
void begin_unwritten(Warp& warp, const Ins& i, const MemoryOp& m, const u64* address, observe::Memory memory,
                     const observe::Unwritten& found);
/// A shuffle has been executed, see UnwrittenValues::shuffle().
void follow_shuffle(Warp& warp, const Ins& i, u32 mask, u32 missing, const u32* from);
/// A vote (but no ballot) or a reduction is about to be executed, see UnwrittenValues::combine().
void follow_combination(Warp& warp, const Ins& i, u32 mask);

}  // namespace simgpu::exec
