/// @file
/// Which integer instructions of the text ptxas makes one of: they cost nothing of their own.
///
/// The machine's logic takes three operands and any function of them, its adder three; a shift to the left or a product goes along with a sum,
/// and both halves of a product are one instruction. So where the text writes two, one after the other, and nobody else asks for what the first
/// one yields, the first is marked. Only the modelled clock looks at the mark: the instruction is still executed.
///
/// It also says which conversions of integers are the special unit's: those of bytes and halfwords (H200: 4.07 cycles there and back, against
/// 2.11 of whole words; tests/fixtures/h200_probes_single.csv).
#include <vector>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {
namespace {

bool is_sum(Op op) {
  return op == Op::add_b32 || op == Op::sub_b32;
}
bool is_joined_predicate(Op op) {
  return op == Op::and_pred || op == Op::or_pred;
}
/// Of a float, which the sum or product before it does along.
bool is_saturation(const Ins& ins) {
  return ins.op == Op::cvt_general && ins.cls == Class::fp32 && (ins.flags & kSat) != 0;
}
bool is_comparison(const Ins& ins) {
  return ins.op >= Op::setp_eq_b16 && ins.op <= Op::setp_num_f32;
}

bool is_shift_right(Op op) {
  return op == Op::shr_u32 || op == Op::shr_s32;
}
bool is_bound(Op op) {
  return op == Op::min_s32 || op == Op::max_s32 || op == Op::min_u32 || op == Op::max_u32;
}

/// Is @p first, whose result only @p second uses, done along with it?
bool go_together(const Ins& first, const Ins& second) {
  const auto stays_alone = [](const Ins& ins) { return is_sum(ins.op) && ins.imm == kChosenSum; };
  if (stays_alone(first) || stays_alone(second)) return false;
  if (is_logic(first.op)) return is_logic(second.op);
  if (is_sum(first.op)) return is_sum(second.op) || (first.op == Op::add_b32 && is_bound(second.op));
  if (first.op == Op::mul_lo_b32) return is_sum(second.op);
  if (first.op == Op::shl_b32) return is_sum(second.op) && (first.b & kPoolBit) != 0;
  if (is_shift_right(first.op)) return second.op == Op::add_b32 && (first.b & kPoolBit) != 0;  // LEA.HI
  return false;
}

bool narrow(const Ins& from, const Code& code) {
  if (from.cls == Class::memory && (from.flags & kVector)) return code.memory_ops[from.aux].element_bytes < 4;
  return from.op == Op::cvt_u16 || from.op == Op::cvt_s32_s16;
}

}  // namespace

FunctionLowering::Makers FunctionLowering::makers_of() {
  Makers m;
  m.writes.resize(registers_.size());
  m.reads.resize(registers_.size());
  m.maker.resize(registers_.size(), Makers::kNobody);
  for (std::uint32_t i = 0; i < body_.size(); ++i) {
    if (body_[i].guard != kNoGuard) ++m.reads[body_[i].guard / 2];
    visit_registers(body_[i], [&](Operand& o, bool def) {
      ++(def ? m.writes : m.reads)[o];
      if (def) m.maker[o] = i;
    });
  }
  return m;
}

void FunctionLowering::mark_merged(const std::vector<Block>& blocks) {
  constexpr std::uint32_t kNobody = Makers::kNobody;
  const Makers makers = makers_of();
  const std::vector<std::uint32_t>&writes = makers.writes, &reads = makers.reads;
  std::vector<bool> stored(registers_.size());  // or an address
  for (Ins& ins : body_)
    if (ins.cls == Class::memory)
      visit_registers(ins, [&](Operand& o, bool def) {
        if (!def) stored[o] = true;
      });
  for (Ins& ins : body_) {  // a constant stands in the instructions that ask for it, but for stores
    const bool moves = ins.op == Op::mov_b32 || ins.op == Op::mov_b64;
    if (moves && (ins.a & kPoolBit) != 0 && ins.guard == kNoGuard && ins.d < writes.size() &&
        writes[ins.d] == 1 && !stored[ins.d])
      ins.flags |= kMerged;
  }
  mark_wide_numbers();
  mark_packed_halves(makers);
  std::vector<bool> complete(body_.size());  // goes along with another one already, or another with it
  for (const Block& block : blocks) {
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      Ins& second = body_[i];
      const auto made_by = [&](Operand o) { return makers.made_by(o); };
      if ((second.op == Op::cvt_f32_s32 || second.op == Op::cvt_f32_u32) && (second.uses & kFieldA)) {
        const std::uint32_t from = made_by(second.a);
        const bool masked = from != kNobody && body_[from].op == Op::and_b32;
        if (from != kNobody && (masked || narrow(body_[from], code_))) second.cls = Class::conversion;
      }
      if (second.guard != kNoGuard) continue;
      for (const std::uint8_t field : {kFieldA, kFieldB}) {
        if (!(second.uses & field) || complete[i]) continue;
        const std::uint32_t from = made_by(field == kFieldA ? second.a : second.b);
        if (from == kNobody || from < block.first || from >= i || complete[from]) continue;
        const Operand result = field == kFieldA ? second.a : second.b;
        Ins& first = body_[from];
        if (first.guard != kNoGuard || reads[result] != 1) continue;
        if (is_saturation(second) && first.cls == Class::fp32) {
          second.flags |= kMerged;
        } else if (is_joined_predicate(second.op) && is_comparison(first)) {
          second.flags |= kMerged;  // a comparison takes a third predicate
        } else if (go_together(first, second)) {
          first.flags |= kMerged;
          if (first.op == Op::mul_lo_b32) second.cls = Class::multiply;
          if (is_sum(second.op) && (is_sum(first.op) || is_shift_right(first.op))) second.imm = kTakesThree;
        } else {
          continue;
        }
        complete[from] = complete[i] = true;
      }
      // Both halves of a product.
      if (second.op != Op::mul_hi_u32 && second.op != Op::mul_hi_s32 && second.op != Op::mul_lo_b32) continue;
      for (std::uint32_t k = i; k-- > block.first && i - k < 16;) {
        Ins& other = body_[k];
        const bool halves =
            (other.op == Op::mul_lo_b32) != (second.op == Op::mul_lo_b32) &&
            (other.op == Op::mul_lo_b32 || other.op == Op::mul_hi_u32 || other.op == Op::mul_hi_s32);
        const bool same =
            (other.a == second.a && other.b == second.b) || (other.a == second.b && other.b == second.a);
        if (!halves || !same || complete[i] || complete[k] || other.guard != kNoGuard) continue;
        (second.op == Op::mul_lo_b32 ? second : other).flags |= kMerged;
        complete[i] = complete[k] = true;
      }
    }
  }
}

}  // namespace simgpu::lower
