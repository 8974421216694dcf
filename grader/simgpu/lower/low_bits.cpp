/// @file
/// See low_bits.hpp.
#include "simgpu/lower/low_bits.hpp"

#include <algorithm>
#include <bit>

#include "simgpu/lower/limits.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::lower {
namespace {

constexpr std::uint8_t kMost = LowBits::kMost;

std::uint8_t zeros_below(LowBits a) {
  return static_cast<std::uint8_t>(std::min<int>(a.known, std::countr_zero(a.value | 1u << kMost)));
}

LowBits product(LowBits a, LowBits b) {
  const int za = zeros_below(a), zb = zeros_below(b);
  const int known = std::min<int>({a.known + zb, b.known + za, kMost});
  return LowBits{static_cast<std::uint8_t>(known), 0}.with(std::uint64_t{a.value} * b.value);
}

LowBits shifted(LowBits a, std::uint64_t by) {
  const auto known = static_cast<std::uint8_t>(std::min<std::uint64_t>(a.known + by, kMost));
  return LowBits{known, 0}.with(by < kMost ? std::uint64_t{a.value} << by : 0);
}

/// A bit of `a & b` is known where both are, or one is known to be 0.
LowBits conjunction(LowBits a, LowBits b) {
  LowBits c;
  for (std::uint8_t n = 0; n < kMost; ++n) {
    const bool zero_a = n < a.known && !(a.value >> n & 1), zero_b = n < b.known && !(b.value >> n & 1);
    if (!zero_a && !zero_b && (n >= a.known || n >= b.known)) break;
    c.known = static_cast<std::uint8_t>(n + 1);
  }
  return c.with(a.value & b.value);
}

/// What two values share.
LowBits common(LowBits a, LowBits b) {
  const int same = std::countr_zero(static_cast<unsigned>(a.value ^ b.value) | 1u << kMost);
  return LowBits{static_cast<std::uint8_t>(std::min<int>({a.known, b.known, same})), 0}.with(a.value);
}

/// `low` below bit @p at, `high` from there on.
LowBits inserted(LowBits high, LowBits low, std::uint64_t at) {
  if (low.known < std::min<std::uint64_t>(at, kMost)) return low;
  if (at >= kMost) return low;
  const LowBits above = shifted(high, at);
  return above.with(above.value | low.with(low.value & ((1u << at) - 1)).value);
}

class Evaluation {
 public:
  Evaluation(std::span<const Ins> body, const Code& code, std::size_t registers,
             std::uint64_t local_alignment)
      : body_(body),
        code_(code),
        local_known_(static_cast<std::uint8_t>(std::countr_zero(local_alignment | 1u << kMost))),
        bits_(registers),
        written_(registers) {}

  std::vector<LowBits> run() {
    for (const Ins& ins : body_) take_others(ins);
    // From below: a register that has not been reached yet agrees with everything. Values only lose bits from then on.
    std::size_t steps = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Ins& ins : body_) {
        if (!(ins.defs & kFieldD)) continue;
        const LowBits now = value_of(ins);
        if (!reached_) continue;
        const LowBits merged = written_[ins.d] ? common(bits_[ins.d], now) : now;
        changed |= !written_[ins.d] || merged != bits_[ins.d];
        written_[ins.d] = true;
        bits_[ins.d] = merged;
      }
      if ((steps += body_.size()) > kMostFlowSteps) return std::vector<LowBits>(bits_.size());
    }
    return std::move(bits_);
  }

 private:
  /// What instructions write beside `d` is anything.
  void take_others(const Ins& ins) {
    const auto take = [&](Operand o) {
      if (o < written_.size()) written_[o] = true;
    };
    each_operand(ins, ins.defs & ~kFieldD, take);
    if (ins.flags & kVector) each_result(code_.memory_ops[ins.aux], take);
    if (ins.flags & kMatrix)
      for (const Operand o : code_.matrix_ops[ins.aux2].results) take(o);
  }

  LowBits of(Operand o, unsigned width) {
    std::uint64_t constant;
    if (constant_of(code_, o, width, constant))
      return is_symbol_address(constant) ? LowBits{} : LowBits::of(constant);
    if (o >= bits_.size()) return {};
    reached_ &= written_[o];
    return bits_[o];
  }

  /// Sets reached_ to false while an operand has no value yet.
  LowBits value_of(const Ins& ins) {
    reached_ = true;
    std::uint64_t constant;
    switch (ins.op) {
      case Op::mov_b32:
      case Op::cvt_s64_s32:
      case Op::cvt_u64_u32:
      case Op::cvt_b32_b32:
        return of(ins.a, 4);
      case Op::mov_b64:
      case Op::cvta_window:
      case Op::cvt_b32_b64:
      case Op::cvt_b64_b64:
        return of(ins.a, 8);
      case Op::local_address:
        return LowBits{std::min(local_known_, kMost), 0}.with(static_cast<std::uint64_t>(ins.imm));
      case Op::add_b32:
        return of(ins.a, 4) + of(ins.b, 4);
      case Op::add_b64:
        return of(ins.a, 8) + of(ins.b, 8);
      case Op::sub_b32:
        return of(ins.a, 4) + negated(of(ins.b, 4));
      case Op::sub_b64:
        return of(ins.a, 8) + negated(of(ins.b, 8));
      case Op::mul_lo_b32:
      case Op::mul_wide_s32:
      case Op::mul_wide_u32:
        return product(of(ins.a, 4), of(ins.b, 4));
      case Op::mul_lo_b64:
        return product(of(ins.a, 8), of(ins.b, 8));
      case Op::mad_lo_b32:
        return product(of(ins.a, 4), of(ins.b, 4)) + of(ins.c, 4);
      case Op::mad_wide_s32:
      case Op::mad_wide_u32:
        return product(of(ins.a, 4), of(ins.b, 4)) + of(ins.c, 8);
      case Op::mad_lo_b64:
        return product(of(ins.a, 8), of(ins.b, 8)) + of(ins.c, 8);
      case Op::shl_b32:
      case Op::shl_b64:
        if (!constant_of(code_, ins.b, 4, constant)) return {};
        return shifted(of(ins.a, ins.op == Op::shl_b32 ? 4 : 8), constant);
      case Op::and_b32:
        return conjunction(of(ins.a, 4), of(ins.b, 4));
      case Op::and_b64:
        return conjunction(of(ins.a, 8), of(ins.b, 8));
      case Op::selp_b32:
        return common(of(ins.a, 4), of(ins.b, 4));
      case Op::selp_b64:
        return common(of(ins.a, 8), of(ins.b, 8));
      case Op::rem_u32:
      case Op::rem_s32:
        return remainder(of(ins.a, 4), of(ins.b, 4));
      case Op::rem_u64:
      case Op::rem_s64:
        return remainder(of(ins.a, 8), of(ins.b, 8));
      case Op::bfi_b32:
      case Op::bfi_b64: {
        const unsigned width = ins.op == Op::bfi_b32 ? 4 : 8;
        std::uint64_t length;
        if (!constant_of(code_, ins.c, 4, constant) || !constant_of(code_, ins.e, 4, length)) return {};
        LowBits field = of(ins.a, width);
        field.known = static_cast<std::uint8_t>(std::min<std::uint64_t>(field.known, length));
        return inserted(field.with(field.value), of(ins.b, width), constant & 0xFF);
      }
      default:
        return {};
    }
  }

  static LowBits negated(LowBits a) { return a.with(0ull - a.value); }
  /// a - b * something.
  static LowBits remainder(LowBits a, LowBits b) { return a + LowBits{zeros_below(b), 0}; }

  std::span<const Ins> body_;
  const Code& code_;
  std::uint8_t local_known_;
  std::vector<LowBits> bits_;
  std::vector<bool> written_;
  bool reached_ = true;
};

}  // namespace

LowBits operator+(LowBits a, LowBits b) noexcept {
  return LowBits{std::min(a.known, b.known), 0}.with(std::uint64_t{a.value} + b.value);
}

bool constant_of(const Code& code, Operand o, unsigned width, std::uint64_t& value) {
  if (o == kNoOperand || !(o & kPoolBit)) return false;
  value = code.pool[(o & ~kPoolBit) / 8];
  if (width == 4)
    value = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
  return true;
}

bool is_symbol_address(std::uint64_t value) noexcept {
  return memory::is_device_address(value) || memory::is_managed_address(value);
}

std::vector<LowBits> low_bits_of(std::span<const Ins> body, const Code& code, std::size_t registers,
                                 std::uint64_t local_alignment) {
  return Evaluation(body, code, registers, local_alignment).run();
}

}  // namespace simgpu::lower
