/// @file
/// How many instructions of the machine one of 64 bits is. Registers have 32: ptxas carries out such an instruction half by half,
/// and leaves out each half that nobody asks for, that is known to be zero or that another register has already. Both halves of a
/// product are one instruction, and a sum goes along with them (IMAD.WIDE); a shift to the left goes along with a sum, half by half
/// (LEA and LEA.HI.X). Addresses of shared and of local memory are low halves.
///
/// Found by compiling the kernels of tests/ladders with ptxas 13.0 for sm_90. Only the modelled clock looks at it: Ins::imm holds
/// the number of machine instructions where it is more than one, and what costs nothing is marked as merges.cpp marks it.
#include <vector>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/low_bits.hpp"

namespace simgpu::lower {
namespace {

constexpr std::uint32_t kNobody = 0xFFFF'FFFFu;

struct Halves {
  bool low = false, high = false;
  std::int64_t count() const { return std::int64_t{low} + std::int64_t{high}; }
  bool operator==(const Halves&) const = default;
};

bool is_long_sum(Op op) {
  return op == Op::add_b64 || op == Op::sub_b64;
}
bool is_long_logic(Op op) {
  return op == Op::and_b64 || op == Op::or_b64 || op == Op::xor_b64 || op == Op::not_b64;
}
bool is_long_comparison(Op op) {
  return op == Op::setp_eq_b64 || op == Op::setp_lt_u64 || op == Op::setp_le_u64 || op == Op::setp_lt_s64 ||
         op == Op::setp_le_s64;
}
/// Addresses of shared and local memory have 32 bits.
bool is_near(const Ins& ins, const Code& code) {
  if (ins.cls != Class::memory || ((ins.flags & kVector) == 0 && ins.op != Op::atom)) return false;
  const AddressSpace space = code.memory_ops[ins.aux].space;
  return space == AddressSpace::shared || space == AddressSpace::local;
}
bool is_wide_product(Op op) {
  return op == Op::mul_wide_u32 || op == Op::mul_wide_s32;
}
bool is_name(const Ins& ins) {
  return ins.guard == kNoGuard &&
         (ins.op == Op::cvt_b32_b64 || ins.op == Op::cvt_b64_b64 || ins.op == Op::cvt_b32_b32);
}

/// The halves of what an instruction reads that matter, given those of what it yields.
class Need {
 public:
  Need(const Code& code, std::size_t registers) : code_(code), of_(registers), zero_(registers) {}

  Halves of(Operand o) const { return o < of_.size() ? of_[o] : Halves{}; }
  bool all(Operand o) { return add(o, {true, true}); }
  bool add(Operand o, Halves h) {
    if (o >= of_.size()) return false;
    const Halves before = of_[o];
    of_[o].low |= h.low;
    of_[o].high |= h.high;
    return !(of_[o] == before);
  }

  /// Halves of an operand that are zero.
  Halves zero(Operand o) const {
    std::uint64_t value;
    if (constant_of(code_, o, 8, value)) return {(value & 0xFFFF'FFFFu) == 0, value >> 32 == 0};
    return o < zero_.size() ? zero_[o] : Halves{};
  }
  /// Halves of an operand whose bits are all set.
  Halves full(Operand o) const {
    std::uint64_t value;
    if (!constant_of(code_, o, 8, value)) return {};
    return {(value & 0xFFFF'FFFFu) == 0xFFFF'FFFFu, value >> 32 == 0xFFFF'FFFFu};
  }
  void set_zero(Operand o, Halves h) {
    if (o < zero_.size()) zero_[o] = h;
  }
  /// By how much is shifted; 64: nobody knows.
  std::uint64_t shift(const Ins& ins) const {
    std::uint64_t by;
    return constant_of(code_, ins.b, 4, by) && by < 64 ? by : 64;
  }

  Halves zero_of_result(const Ins& ins) const {
    const Halves a = zero(ins.a), b = zero(ins.b);
    switch (ins.op) {
      case Op::cvt_u64_u32:
        return {false, true};
      case Op::mov_b64:
      case Op::cvt_b64_b64:
        return a;
      case Op::and_b64:
        return {a.low || b.low, a.high || b.high};
      case Op::or_b64:
      case Op::xor_b64:
        return {a.low && b.low, a.high && b.high};
      case Op::shl_b64:
        return {shift(ins) >= 32 && shift(ins) < 64, false};
      case Op::shr_u64:
        return {false, a.high || (shift(ins) >= 32 && shift(ins) < 64)};
      default:
        return {};
    }
  }

  /// @return whether that is more than was known.
  bool go_through(const Ins& ins) {
    const Halves d = of(ins.d);
    const bool any = d.low || d.high;
    bool more = false;
    const auto both = [&](Halves h) { more |= add(ins.a, h), more |= add(ins.b, h); };
    switch (ins.op) {
      case Op::mov_b64:
      case Op::cvt_b64_b64:
      case Op::not_b64:
        return add(ins.a, d);
      case Op::cvt_b32_b64:
        return add(ins.a, {true, false});
      case Op::selp_b64:
        both(d);
        return more;
      case Op::add_b64:
      case Op::sub_b64:
      case Op::mul_lo_b64:
        both({any, d.high});
        return more;
      case Op::and_b64:
      case Op::or_b64:
      case Op::xor_b64:
        more |= add(ins.a, rest(ins, d, ins.b));
        more |= add(ins.b, rest(ins, d, ins.a));
        return more;
      case Op::shl_b64: {
        const std::uint64_t by = shift(ins);
        if (by == 64) return add(ins.a, {any, any});
        return add(ins.a, by >= 32 ? Halves{d.high, false} : Halves{any, d.high});
      }
      case Op::shr_u64:
      case Op::shr_s64: {
        const std::uint64_t by = shift(ins);
        if (by == 64) return add(ins.a, {any, any});
        return add(ins.a, by >= 32 ? Halves{false, any} : Halves{d.low, any});
      }
      default:
        return false;
    }
  }
  static bool passes(Op op) {
    switch (op) {
      case Op::mov_b64:
      case Op::cvt_b64_b64:
      case Op::not_b64:
      case Op::cvt_b32_b64:
      case Op::selp_b64:
      case Op::add_b64:
      case Op::sub_b64:
      case Op::mul_lo_b64:
      case Op::and_b64:
      case Op::or_b64:
      case Op::xor_b64:
      case Op::shl_b64:
      case Op::shr_u64:
      case Op::shr_s64:
        return true;
      default:
        return false;
    }
  }

  /// Machine instructions; -1: not one of those.
  std::int64_t count(const Ins& ins) const {
    const Halves d = of(ins.d), a = zero(ins.a), b = zero(ins.b);
    switch (ins.op) {
      case Op::add_b64: {  // where one half is nought the other's is the sum's, and carries nothing
        const bool low = !a.low && !b.low;
        return std::int64_t{low} + (d.high && (low || (!a.high && !b.high)));
      }
      case Op::sub_b64:
        return d.high ? 2 : 1;
      case Op::and_b64:
      case Op::or_b64:
      case Op::xor_b64:
        return work(ins, d).count();
      case Op::not_b64:
      case Op::selp_b64:
      case Op::neg_s64:
        return d.count();
      case Op::shl_b64: {
        const std::uint64_t by = shift(ins);
        if (by == 64) return d.high ? 3 : 1;
        return by >= 32 ? std::int64_t{d.high && by != 32} : d.count();
      }
      case Op::shr_u64:
      case Op::shr_s64: {
        const std::uint64_t by = shift(ins);
        if (by == 64) return d.high ? 3 : 1;
        const bool sign = ins.op == Op::shr_s64 && d.high;
        return by >= 32 ? std::int64_t{d.low && by != 32} + sign : std::int64_t{d.low} + (d.high && !a.high);
      }
      case Op::mul_lo_b64:
        if (!d.high || (a.high && b.high)) return 1;
        return a.high || b.high ? 2 : 4;
      case Op::mad_lo_b64:
        if (!d.high || (a.high && b.high)) return 1;
        return a.high || b.high ? 2 : 4;
      case Op::cvt_s64_s32:
        return d.high;
      case Op::setp_eq_b64:
      case Op::setp_lt_u64:
      case Op::setp_le_u64:
        return a.high && b.high ? 1 : 2;
      case Op::setp_lt_s64:
      case Op::setp_le_s64:
        return 2;
      case Op::min_u64:
      case Op::max_u64:
      case Op::min_s64:
      case Op::max_s64:
      case Op::abs_s64:
        return 4;
      default:
        return -1;
    }
  }

 private:
  /// Halves of @p d that are computed from both operands.
  Halves work(const Ins& ins, Halves d) const {
    Halves of_a = rest(ins, d, ins.b), of_b = rest(ins, d, ins.a);
    if (ins.op != Op::and_b64) {  // one half is nought: the other's is the result's
      const Halves a = zero(ins.a), b = zero(ins.b);
      of_a.low = of_a.low && !a.low && !b.low;
      of_a.high = of_a.high && !a.high && !b.high;
    }
    return {of_a.low && of_b.low, of_a.high && of_b.high};
  }
  /// Halves of @p d that depend on one operand, whatever the @p other one is.
  Halves rest(const Ins& ins, Halves d, Operand other) const {
    const Halves zeros = zero(other), ones = full(other);
    if (ins.op == Op::and_b64) return {d.low && !zeros.low, d.high && !zeros.high};
    if (ins.op == Op::or_b64) return {d.low && !ones.low, d.high && !ones.high};
    return d;
  }

  const Code& code_;
  std::vector<Halves> of_, zero_;
};

/// @return machine instructions of bits cut out of a word (sm_90): a whole byte is one, and so are the upper bits.
std::int64_t cuts(const Ins& ins, const Code& code) {
  std::uint64_t first = 0, count = 0;
  if (!constant_of(code, ins.b, 4, first) || !constant_of(code, ins.c, 4, count)) return 4;
  const bool byte = ins.op == Op::bfe_u32 && count == 8 && first % 8 == 0;
  return byte || first + count >= 32 ? 1 : 2;
}

}  // namespace

void FunctionLowering::mark_halves(const std::vector<Block>& blocks) {
  struct Uses {
    std::uint32_t writes = 0, reads = 0, sums = 0, shuffles = 0, maker = kNobody;
  };
  std::vector<Uses> uses(registers_.size());
  Need need(code_, registers_.size());
  for (std::uint32_t i = 0; i < body_.size(); ++i) {
    Ins& ins = body_[i];
    const bool near = is_near(ins, code_);
    const bool passes = Need::passes(ins.op) && ins.guard == kNoGuard;
    if (ins.guard != kNoGuard) ++uses[ins.guard / 2].reads;
    visit_registers(ins, [&](Operand& o, bool def) {
      Uses& u = uses[o];
      if (def) {
        ++u.writes;
        u.maker = ins.guard == kNoGuard ? i : kNobody;
      } else {
        ++u.reads;
        u.sums += is_long_sum(ins.op) && ins.guard == kNoGuard;
        u.shuffles += ins.cls == Class::shuffle;
        if (!passes) need.add(o, {true, !near || &o != &ins.a});
      }
    });
  }
  const auto once = [&](Operand o) {
    return o < uses.size() && uses[o].writes == 1 && uses[o].maker != kNobody;
  };
  for (const Ins& ins : body_)
    if ((ins.defs & kFieldD) && once(ins.d)) need.set_zero(ins.d, need.zero_of_result(ins));
  // Backwards, until nothing is added: what goes around a loop goes through it twice.
  constexpr int kMostRounds = 8;
  bool more = true;
  for (int round = 0; more && round < kMostRounds; ++round) {
    more = false;
    for (std::size_t i = body_.size(); i-- > 0;)
      if (body_[i].guard == kNoGuard && Need::passes(body_[i].op)) more |= need.go_through(body_[i]);
  }
  if (more)
    for (std::uint32_t r = 0; r < registers_.size(); ++r) need.all(r);

  for (const Block& block : blocks)
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      Ins& ins = body_[i];
      if (ins.flags & (kHidden | kMerged)) continue;
      // nvcc gives a shuffle its distances in registers, the machine has them in the instruction.
      const bool number = ins.op == Op::mov_b32 && (ins.uses & kFieldA) == 0 && once(ins.d) &&
                          uses[ins.d].shuffles == uses[ins.d].reads;
      if (number || is_name(ins)) {
        ins.flags |= kMerged;
        continue;
      }
      if (ins.op == Op::bfe_u32 || ins.op == Op::bfe_s32) ins.imm = cuts(ins, code_);
      const std::int64_t count = need.count(ins);
      if (count < 0) continue;
      if (is_long_comparison(ins.op)) {
        if (count == 2) ins.latency = kTwoComparisons;  // its imm says with what it is combined
        continue;
      }
      ins.imm = count > 1 ? count : 0;
      if (count == 1 && (ins.op == Op::mul_lo_b64 || ins.op == Op::mad_lo_b64) && need.of(ins.d).high) {
        ins.imm = 1;  // of two words
        ins.latency = info_of(Op::mul_wide_u32).latency;
      }
      if (count == 0) ins.flags |= kMerged;
      // What the first of two yields goes into the second and nowhere else.
      const auto made_here = [&](Operand o) -> Ins* {
        if (!once(o) || uses[o].maker < block.first || uses[o].maker >= i) return nullptr;
        return body_[uses[o].maker].flags & kHidden ? nullptr : &body_[uses[o].maker];
      };
      for (const Operand o : {ins.a, ins.b}) {
        Ins* const from = (o & kPoolBit) == 0 ? made_here(o) : nullptr;
        if (from == nullptr) continue;
        if (is_long_sum(ins.op) && is_wide_product(from->op) && uses[o].sums == uses[o].reads) {
          from->flags |= kMerged;
          ins.imm = 0;
          ins.cls = Class::multiply;
          ins.latency = info_of(Op::mul_wide_u32).latency;
          break;
        }
        if (uses[o].reads != 1 || (from->flags & kMerged)) continue;
        const bool shifted = from->op == Op::shl_b64 && need.shift(*from) < 32 && is_long_sum(ins.op);
        const bool logic = is_long_logic(ins.op) && is_long_logic(from->op) && from->imm <= ins.imm;
        if (!shifted && !logic) continue;
        from->flags |= kMerged;
        break;
      }
    }
}

}  // namespace simgpu::lower
