/// @file
/// Which instructions of the text ptxas writes into the operands, the predicates or the addends of others: they cost nothing of their own.
///
/// - A copy of a register that is written once is that register; so is the low half of what is widened with zeros, and the high one is nought.
/// - A sign goes along with the operand it changes.
/// - A product in floating point whose text leaves the rounding open (`mul.f32`, not `mul.rn.f32`) becomes part of each sum that asks for it,
///   and both round once: so the results are other ones, too.
/// - `p ? f(x) : x` is f under the predicate p, where nobody else asks for x.
/// - `x + (p ? n : 0)` is the sum, and a move under the predicate: the multipliers can do both.
/// - What is only compared with nought is compared by the logic that makes it.
///
/// Found in the machine code of some three hundred kernels (ptxas 13.0 for sm_90; timing/calibration.md), and in the results of
/// tests/hardware/cases/products.txt. All but fused products are for the modelled clock only.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/low_bits.hpp"

namespace simgpu::lower {
namespace {

constexpr std::uint32_t kNoMaker = 0xFFFF'FFFFu;
constexpr std::size_t kMostReaders = 64;

bool is_sign(Op op) {
  return op == Op::neg_f32 || op == Op::abs_f32 || op == Op::neg_f64 || op == Op::abs_f64;
}
bool takes_signs(const Ins& ins) {
  return (ins.cls == Class::fp32 || ins.cls == Class::fp64) && !is_sign(ins.op);
}
/// Operations of one type.
struct Arithmetic {
  Op add, sub, mul, fma, neg, mov;
};
constexpr std::array<Arithmetic, 6> kTypes = {{
    {Op::add_f32, Op::sub_f32, Op::mul_f32, Op::fma_f32, Op::neg_f32, Op::mov_b32},
    {Op::add_f64, Op::sub_f64, Op::mul_f64, Op::fma_f64, Op::neg_f64, Op::mov_b64},
    {Op::add_f16, Op::sub_f16, Op::mul_f16, Op::fma_f16, Op::neg_f16, Op::mov_b32},
    {Op::add_f16x2, Op::sub_f16x2, Op::mul_f16x2, Op::fma_f16x2, Op::neg_f16x2, Op::mov_b32},
    {Op::add_bf16, Op::sub_bf16, Op::mul_bf16, Op::fma_bf16, Op::neg_bf16, Op::mov_b32},
    {Op::add_bf16x2, Op::sub_bf16x2, Op::mul_bf16x2, Op::fma_bf16x2, Op::neg_bf16x2, Op::mov_b32},
}};
/// Of the type that @p product multiplies; nullptr: it is no product.
const Arithmetic* type_of(const Ins& product) {
  for (const Arithmetic& type : kTypes)
    if (type.mul == product.op) return &type;
  return nullptr;
}
bool is_open_product(const Ins& ins) {
  return type_of(ins) != nullptr && ins.imm != kRoundsAsSaid && (ins.flags & kSat) == 0;
}
/// A sum that takes @p product along.
bool takes_product(const Ins& sum, const Ins& product) {
  const Arithmetic& type = *type_of(product);
  return (sum.op == type.add || sum.op == type.sub) && sum.imm != kRoundsAsSaid &&
         (sum.flags & kFtz) == (product.flags & kFtz);
}
/// One machine instruction of the plain pipes, which a predicate can turn off.
bool is_plain(const Ins& ins) {
  return ins.guard == kNoGuard && (ins.imm == 0 || ins.imm == kRoundsAsSaid || ins.op == Op::lop3_b32) &&
         (ins.flags & (kVector | kMatrix | kHidden | kMerged)) == 0 &&
         (ins.cls == Class::fp32 || ins.cls == Class::integer || ins.cls == Class::multiply) &&
         (ins.defs & kFieldD) != 0;
}

/// Who writes and who reads a register.
struct RegisterUses {
  std::uint32_t writes = 0, reads = 0;
  std::uint32_t signs = 0;         ///< reads by instructions that change a sign along with what they do
  std::uint32_t maker = kNoMaker;  ///< that wrote it last, unless a predicate may turn that off
  std::vector<std::uint32_t> readers;

  /// Does nobody else read it? False if it has more readers than were kept.
  bool only_read_by(std::uint32_t one, std::uint32_t other) const {
    return reads == readers.size() && std::all_of(readers.begin(), readers.end(),
                                                  [=](std::uint32_t r) { return r == one || r == other; });
  }
};

class Folds {
 public:
  Folds(std::vector<Ins>& body, const Code& code, std::vector<RegisterUses> uses)
      : body_(body), code_(code), uses_(std::move(uses)), takes_one_(body.size()) {}

  /// Wherever the result is asked for.
  void fold_everywhere(std::uint32_t i) {
    Ins& ins = body_[i];
    if (ins.guard != kNoGuard || (ins.flags & kHidden) != 0 || !once(ins.d)) return;
    const bool copies = ins.op == Op::mov_b32 || ins.op == Op::mov_b64 || ins.op == Op::cvt_u64_u32;
    const bool sign = is_sign(ins.op) && uses_[ins.d].signs == uses_[ins.d].reads;
    if ((copies && once(ins.a)) || sign) ins.flags |= kMerged;
  }
  /// Products that sums take along. A sum that asks for two takes one that nobody else asks for, and of two such the one that stands first.
  void fold_products() {
    for (const bool alone : {true, false})
      for (const bool first : {true, false})
        for (std::uint32_t i = 0; i < body_.size(); ++i) {
          const Ins& ins = body_[i];
          if (ins.guard != kNoGuard || (ins.flags & (kHidden | kMerged)) != 0 || !is_open_product(ins) ||
              !once(ins.d))
            continue;
          const std::vector<std::uint32_t>& readers = uses_[ins.d].readers;
          const auto stands_first = [&](std::uint32_t r) { return body_[r].a == ins.d; };
          if (alone && readers.size() != 1) continue;
          if (!first || std::all_of(readers.begin(), readers.end(), stands_first)) fold_product(i);
        }
  }
  /// What this instruction of the block that begins at @p first asks for, or itself.
  void fold_within(std::uint32_t first, std::uint32_t i) {
    first_ = first;
    const Ins& ins = body_[i];
    if (ins.guard != kNoGuard) return;
    if (ins.op == Op::setp_eq_b32) fold_test(i);
    if (ins.op == Op::add_b32) fold_counted_choice(i);
    if (ins.op == Op::selp_b32) fold_choice(i);
  }

  std::vector<FusedProduct> take_fused() { return std::move(fused_); }

 private:
  bool once(Operand o) const {
    return o < uses_.size() && uses_[o].writes == 1 && uses_[o].maker != kNoMaker;
  }
  bool is_nought(Operand o) const {
    std::uint64_t number = 1;
    return constant_of(code_, o, 4, number) && number == 0;
  }
  bool is_number(Operand o) const {
    std::uint64_t number;
    return constant_of(code_, o, 4, number);
  }
  /// What makes @p o in this block, by a plain instruction, for the one at @p i alone; else nullptr.
  Ins* made_here(Operand o, std::uint32_t i) {
    if (!once(o) || uses_[o].reads != 1 || uses_[o].maker < first_ || uses_[o].maker >= i) return nullptr;
    Ins& maker = body_[uses_[o].maker];
    return is_plain(maker) ? &maker : nullptr;
  }

  /// A sum has room for one product.
  void fold_product(std::uint32_t i) {
    std::vector<FusedProduct> sums;
    std::vector<std::uint32_t> between;
    if (!ask_only_sums(i, body_[i].d, false, sums, between)) return;
    body_[i].flags |= kMerged;
    for (const std::uint32_t n : between) body_[n].flags |= kMerged;
    for (const FusedProduct& f : sums) takes_one_[f.sum] = true;
    fused_.insert(fused_.end(), sums.begin(), sums.end());
  }
  /// Is @p o, which holds the product at @p i or that with the other sign, read by sums alone that can take it, or by signs and copies of which that is
  /// true? @param[out] sums,between these
  bool ask_only_sums(std::uint32_t i, Operand o, bool negated, std::vector<FusedProduct>& sums,
                     std::vector<std::uint32_t>& between) const {
    const Ins& product = body_[i];
    const Arithmetic& type = *type_of(product);
    const RegisterUses& result = uses_[o];
    if (result.reads == 0 || result.reads != result.readers.size()) return false;
    for (const std::uint32_t r : result.readers) {
      const Ins& reader = body_[r];
      if (takes_product(reader, product)) {
        const auto same = [=](const FusedProduct& f) { return f.sum == r; };
        if (takes_one_[r] || reader.a == reader.b || std::any_of(sums.begin(), sums.end(), same))
          return false;
        sums.push_back({i, r, o, negated});
        continue;
      }
      const bool sign = reader.op == type.neg && (reader.flags & kFtz) == (product.flags & kFtz);
      if ((!sign && reader.op != type.mov) || reader.guard != kNoGuard || !once(reader.d)) return false;
      between.push_back(r);
      if (between.size() > kMostReaders)
        return false;  // a text made to be hard: each is a call within the last
      if (!ask_only_sums(i, reader.d, negated != sign, sums, between)) return false;
    }
    return true;
  }
  void fold_test(std::uint32_t i) {
    Ins* const logic = is_nought(body_[i].b) ? made_here(body_[i].a, i) : nullptr;
    if (logic != nullptr && is_logic(logic->op)) logic->flags |= kMerged;
  }
  void fold_counted_choice(std::uint32_t i) {
    for (const Operand o : {body_[i].a, body_[i].b}) {
      Ins* const choice = made_here(o, i);
      if (choice == nullptr || choice->op != Op::selp_b32 || !is_number(choice->a) || !is_number(choice->b))
        continue;
      choice->flags |= kMerged;
      body_[i].imm = kChosenSum;
    }
  }
  void fold_choice(std::uint32_t i) {
    Ins& choice = body_[i];
    for (const bool first : {true, false}) {
      const Operand made = first ? choice.a : choice.b, kept = first ? choice.b : choice.a;
      if (made_here(made, i) == nullptr || (kept & kPoolBit) != 0 || kept >= uses_.size()) continue;
      // Nobody asks for the old value once the new one is there: both are one register.
      if (kept != choice.d && !(once(kept) && uses_[kept].only_read_by(i, uses_[made].maker))) continue;
      choice.flags |= kMerged;
      return;
    }
  }

  std::vector<Ins>& body_;
  const Code& code_;
  std::vector<RegisterUses> uses_;
  std::vector<bool> takes_one_;  ///< sums that have a product already
  std::vector<FusedProduct> fused_;
  std::uint32_t first_ = 0;  ///< of the block
};

}  // namespace

bool may_be_fused(Op op) {
  return std::any_of(kTypes.begin(), kTypes.end(), [=](const Arithmetic& type) {
    return op == type.add || op == type.sub || op == type.mul;
  });
}

void FunctionLowering::mark_folded(const std::vector<Block>& blocks) {
  std::vector<RegisterUses> uses(registers_.size());
  for (std::uint32_t i = 0; i < body_.size(); ++i) {
    Ins& ins = body_[i];
    if (ins.guard != kNoGuard) ++uses[ins.guard / 2].reads;
    visit_registers(ins, [&](Operand& o, bool def) {
      RegisterUses& u = uses[o];
      if (def) {
        ++u.writes;
        u.maker = ins.guard == kNoGuard ? i : kNoMaker;
      } else {
        ++u.reads;
        u.signs += takes_signs(ins);
        if (u.readers.size() < kMostReaders) u.readers.push_back(i);
      }
    });
  }
  Folds folds(body_, code_, std::move(uses));
  for (std::uint32_t i = 0; i < body_.size(); ++i) folds.fold_everywhere(i);
  folds.fold_products();
  for (const Block& block : blocks)
    for (std::uint32_t i = block.first; i < block.last; ++i) folds.fold_within(block.first, i);
  fused_ = folds.take_fused();
}

void FunctionLowering::fuse_products(const std::vector<Block>& blocks) {
  if (fused_.empty()) return;
  const std::vector<std::uint32_t> writes = makers_of().writes;
  std::vector<std::uint32_t> block_of(body_.size());
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    std::fill(block_of.begin() + blocks[b].first, block_of.begin() + blocks[b].last, b);
  // Does it hold at `to` what it holds at `from`? (ptxas keeps values apart that the text gives one register.)
  const auto keeps = [&](Operand o, std::uint32_t from, std::uint32_t to) {
    if ((o & kPoolBit) != 0 || writes[o] <= 1) return true;
    bool same = from < to && block_of[from] == block_of[to];
    for (std::uint32_t i = from; i < to && same; ++i)
      visit_registers(body_[i], [&](Operand& d, bool def) { same = same && !(def && d == o); });
    return same;
  };
  for (const auto& [at, by, as, negated] : fused_) {
    const Ins& product = body_[at];
    Ins& sum = body_[by];
    const Arithmetic* const type = type_of(product);
    const bool still_are = type != nullptr && (sum.op == type->add || sum.op == type->sub);
    if (!still_are || !keeps(product.a, at, by) || !keeps(product.b, at, by)) continue;
    const bool first = sum.a == as, difference = sum.op == type->sub;
    if (difference && first) sum.flags |= kNegateAddend;
    if ((difference && !first) != negated) sum.flags |= kNegateProduct;
    const bool adds_register = (sum.uses & (first ? kFieldB : kFieldA)) != 0;  // and no number
    sum.op = type->fma;
    sum.c = first ? sum.b : sum.a;
    sum.a = product.a;
    sum.b = product.b;
    constexpr std::uint8_t kFactors = kFieldA | kFieldB;
    sum.uses = static_cast<std::uint8_t>((sum.uses & ~kFactors) | (product.uses & kFactors) |
                                         (adds_register ? kFieldC : 0));
    sum.imm = 0;
  }
}

}  // namespace simgpu::lower
