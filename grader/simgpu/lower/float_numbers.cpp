/// @file
/// What numbers and halves cost floating point beside its own instructions: a number that does not fit into one is moved into registers each time it is
/// asked for; halves are packed and unpacked by the instructions that convert them.
///
/// Found in the profiler's counts of a thousand kernels and in their machine code (ptxas 13.0 for sm_90; timing/calibration.md). Only the modelled
/// clock looks at it.
#include <vector>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/low_bits.hpp"

namespace simgpu::lower {
namespace {

bool is_half_of_float(const Ins& ins) {
  const auto to = static_cast<NumberType>(ins.imm & 0xFF);
  return ins.op == Op::cvt_general && ins.cls == Class::integer &&
         (to == NumberType::f16 || to == NumberType::bf16);
}
bool is_float_of_half(const Ins& ins) {
  return ins.op == Op::cvt_general && ins.cls == Class::fp32 && (ins.uses & kFieldA) != 0;
}
bool is_sum_or_product(Op op) {
  return op == Op::add_f64 || op == Op::sub_f64 || op == Op::mul_f64 || op == Op::fma_f64;
}

}  // namespace

/// There is room for a number of 64 bits whose lower half is nought.
void FunctionLowering::mark_wide_numbers() {
  const auto is_wide = [&](Operand o) {
    std::uint64_t number = 0;
    return constant_of(code_, o, 8, number) && (number & 0xFFFF'FFFFu) != 0;
  };
  std::vector<bool> asked(registers_.size());
  for (Ins& ins : body_) {
    if (ins.cls != Class::fp64) continue;
    each_operand(ins, ins.uses, [&](Operand o) {
      if (o < asked.size()) asked[o] = true;
    });
    if (is_sum_or_product(ins.op) &&
        (is_wide(ins.a) || is_wide(ins.b) || (ins.op == Op::fma_f64 && is_wide(ins.c))))
      ins.flags |= kWideNumber;
  }
  for (Ins& ins : body_) {
    if (ins.op != Op::mov_b64 || (ins.flags & kMerged) == 0 || ins.d >= asked.size() || !asked[ins.d] ||
        !is_wide(ins.a))
      continue;
    ins.flags = static_cast<std::uint16_t>((ins.flags & ~kMerged) | kWideNumber);
  }
}

/// Two floats become a pair of halves in one instruction; numbers that the text converts are numbers, and a pair of one half twice is read as such.
/// Halves are taken from a register by the sum that makes floats of them.
void FunctionLowering::mark_packed_halves(const Makers& makers) {
  const auto made_by = [&](Operand o) -> Ins* {
    const std::uint32_t maker = makers.made_by(o);
    return maker != Makers::kNobody ? &body_[maker] : nullptr;
  };
  const auto is_number = [&](Operand o) {
    if ((o & kPoolBit) != 0) return true;
    const Ins* const from = made_by(o);
    return from != nullptr && (from->op == Op::mov_b32 || from->op == Op::mov_b64) &&
           (from->a & kPoolBit) != 0;
  };
  std::vector<std::uint32_t> unpacked(registers_.size());
  for (Ins& ins : body_) {
    if (is_half_of_float(ins) && ins.guard == kNoGuard && is_number(ins.a)) ins.flags |= kMerged;
    if (is_float_of_half(ins) && ins.a < unpacked.size()) ++unpacked[ins.a];
  }
  for (Ins& ins : body_) {
    if (ins.guard != kNoGuard) continue;
    if (ins.op == Op::pack_2x16) mark_pack(ins, makers);
    if (ins.op != Op::unpack_2x16) continue;
    bool all = true;
    visit_registers(ins,
                    [&](Operand& o, bool def) { all = all && (!def || makers.reads[o] == unpacked[o]); });
    if (all) ins.flags |= kMerged;
  }
}

void FunctionLowering::mark_pack(Ins& pack, const Makers& makers) {
  std::vector<Operand> from;
  visit_registers(pack, [&](Operand& o, bool def) {
    if (!def) from.push_back(o);
  });
  if (from.size() < 2 || from[0] == from[1]) {
    pack.flags |= kMerged;
    return;
  }
  const std::uint32_t low = makers.made_by(from[0]), high = makers.made_by(from[1]);
  if (low == Makers::kNobody || high == Makers::kNobody || !is_half_of_float(body_[low]) ||
      !is_half_of_float(body_[high]))
    return;
  pack.flags |= kMerged;
  if (makers.reads[from[0]] == 1 && (body_[high].flags & kMerged) == 0) body_[low].flags |= kMerged;
}

}  // namespace simgpu::lower
