/// @file
/// See scoreboard.hpp. Each warp issues one instruction a cycle; four schedulers share the block's warps, so the time between
/// two barriers is also at least what its busiest scheduler has to issue.
#include "simgpu/exec/scoreboard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "simgpu/lower/builder.hpp"

namespace simgpu::exec {
namespace {

constexpr double kShared = 29, kParam = 4, kBarrier = 11, kAtomicExtra = 60;
constexpr double kTextureExtra = 60;
// A loop's branch stands behind the comparison that decides it, and the next turn behind the branch. One warp's turns take 28 cycles with
// one multiply-add in them, 30.7 with four, 71.4 with sixteen (h200_probes_single.csv: late barriers, fma; ticks_test.cpp).
constexpr u8 kJump = 9;
// From a cluster's last arrival, behind its fence, until its blocks go on (H100: 100 to 140 with a relaxed arrival, 8 warps).
constexpr u16 kClusterBarrier = 150;
// Of a load whose lanes are all off, behind the load-store unit (H100, 2026-11-28: eight that wait for one another, 25.6 cycles each, 26.6 with lanes).
constexpr u16 kOff = 23;
constexpr u16 kExchange = 24;   // of halves among lanes (MOVM), as of a shuffle
constexpr u16 kAsyncCopy = 25;  // of cp.async beyond a load: 346 cycles a round from the L2 and back

}  // namespace

namespace {

/// What an exact division or root has beyond its quick way when it goes the slow one: machine instructions by unit, counted, and cycles, timed
/// (H200, 2026-11-29). Nought and what is infinite; subnormal operands take up to 230 cycles more.
Sequence longer_way_of(Op op) {
  switch (op) {
    case Op::div_f64:
      return {69, 26, 0, 0, 1, 22, 12, 310};
    case Op::sqrt_f64:
      return {18, 7, 0, 0, 0, 5, 2, 140};
    case Op::rcp_f64:
      return {20, 9, 0, 0, 0, 6, 1, 140};
    case Op::div_f32:
      return {32, 17, 0, 0, 0, 7, 0, 225};
    case Op::sqrt_f32:
      return {7, 5, 0, 0, 0, 0, 0, 100};
    case Op::rcp_f32:
      return {18, 6, 0, 0, 1, 6, 0, 150};
    default:
      return {0};
  }
}

/// A product of 32 bits that keeps its high half.
constexpr Sequence kWide = {1, 1, 2};

Sequence quick_way_of(const Ins& ins, bool narrow) {
  // Integers have no unit for it: a reciprocal in floating point, and corrections. Divisions of 64 bits are a function that first looks
  // whether 32 are enough. Their parts are not known, only their sums.
  if (ins.cls == lower::Class::divide) {
    if (ins.op < Op::div_u64) {
      const bool with_sign = ins.op == Op::div_s32 || ins.op == Op::rem_s32;
      if (ins.imm == lower::kDivisorKept)
        return with_sign ? Sequence{19, 9, 8, 0, 0, 0, 0, 68} : Sequence{13, 6, 5, 0, 0, 0, 0, 56};
      return with_sign ? Sequence{21, 11, 6, 0, 4, 0, 0, 131} : Sequence{19, 10, 5, 0, 4, 0, 0, 125};
    }
    return narrow ? Sequence{32, 23, 5, 1, 1, 0, 0, 172} : Sequence{100, 64, 24, 1, 1, 0, 0, 345};
  }
  const auto n = static_cast<u32>(ins.imm & (lower::kSlowPath - 1));
  if (ins.cls == lower::Class::fp64 && (ins.flags & lower::kWideNumber) != 0 && n <= 1)
    return {3, 0, 0, 0, 0, 0, 1};
  switch (ins.op) {
    case Op::div_f32:
      // It looks whether the quick way will do (FCHK), which keeps the special unit busy for half as long again as a reciprocal:
      // 18 cycles in all (h200_steps.csv), in which others can issue.
      if (n == lower::kDivisionF32) return {n, 1, 0, 0, 2, n - 6, 0, 0, 2};
      [[fallthrough]];
    case Op::sqrt_f32:
    case Op::rcp_f32:
    case Op::rsqrt_f32:
    case Op::ex2_f32:
    case Op::lg2_f32:
    case Op::sin_f32:
    case Op::cos_f32:
      return {n, n / 4, 0, 0, 1, n - 1 - n / 4, 0};
    case Op::div_f64:
    case Op::sqrt_f64:
    case Op::rcp_f64:
      // Few of them are the pipe's (10 of a division, h200's ncu); they keep it longer than that, one waiting for the other.
      return n > 1 ? Sequence{n, n / 8, 0, 0, 1, 0, n - (ins.op == Op::rcp_f64 ? 9 : 6)} : Sequence{};
    // Registers have 32 bits: what is signed and has 16 is put right before and after (sm_90 machine code of byte % constant).
    case Op::mul_lo_b16:
      return {2, 1, 1, 0, 0, 0, 0, 8};
    case Op::sub_b16:
      return {3, 1, 0, 0, 0, 0, 0, 12, 0, 2};
    // A number of 64 bits in floating point whose lower half is not nought stands in two uniform registers.
    case Op::mov_b64:
      return (ins.flags & lower::kWideNumber) != 0 ? Sequence{2} : Sequence{};
    // The sum, and a move under a predicate (lower/folds.cpp).
    case Op::add_b32:
      return ins.imm == lower::kChosenSum ? Sequence{2, 0, 0, 0, 0, 0, 0, 8, 0, 2} : Sequence{};
    // Of 64 bits: half by half (lower/halves.cpp).
    case Op::add_b64:
    case Op::sub_b64:
      if (ins.cls == lower::Class::multiply) return kWide;
      return n > 1 ? Sequence{n, n - 1, 0, 0, 0, 0, 0, 8, 0, 1} : Sequence{};
    case Op::shl_b64:  // the lower half is a product
      return n == 2  ? Sequence{2, 1, 1, 0, 0, 0, 0, 4}
             : n > 2 ? Sequence{n, n, 0, 0, 0, 0, 0, 8}
                     : Sequence{};
    case Op::and_b64:
    case Op::or_b64:
    case Op::xor_b64:
    case Op::not_b64:
    case Op::neg_s64:
    case Op::selp_b64:
    case Op::shr_u64:
    case Op::shr_s64:
    case Op::min_u64:
    case Op::max_u64:
    case Op::min_s64:
    case Op::max_s64:
    case Op::abs_s64:
      return n > 1 ? Sequence{n, n, 0, 0, 0, 0, 0, n > 2 ? 8u : 4u} : Sequence{};
    case Op::setp_eq_b64:
    case Op::setp_lt_s64:
    case Op::setp_lt_u64:
    case Op::setp_le_s64:
    case Op::setp_le_u64:
      return ins.latency == lower::kTwoComparisons ? Sequence{2, 2, 0, 0, 0, 0, 0, 8} : Sequence{};
    // Products that have 64 bits keep the multipliers for longer than others: chains of them, four a thread, 8 warps a scheduler (H200,
    // 2026-11-29: 10.1 cycles a warp for the low half of 64 by 64 bits, 19.6 for the high one, 4.4 for the high half of 32 by 32, 5.7
    // with a sum).
    case Op::mul_lo_b64:
    case Op::mad_lo_b64:
      if (n == 1) return kWide;
      return n > 1 ? Sequence{n, 0, n, 0, 0, 0, 0, n > 2 ? 12u : 8u} : Sequence{};
    case Op::mul_hi_u64:
    case Op::mul_hi_s64:
    case Op::mad_hi_u64:
    case Op::mad_hi_s64:
      return {7, 1, 10, 0, 0, 0, 0, 28};
    // ... and the units of other integers for as long as one instruction: with one, two and three logical ones 4.25, 6.3 and 8.9 cycles a
    // warp (H200, 2026-11-29).
    case Op::mul_hi_u32:
    case Op::mul_hi_s32:
    case Op::mul_wide_u32:
    case Op::mul_wide_s32:
    case Op::mad_wide_u32:
    case Op::mad_wide_s32:
      return kWide;
    case Op::mad_hi_u32:
    case Op::mad_hi_s32:
      return {1, 1, 3};
    // Shifted, and cut off; by numbers that are not constants, with the signs of what is too far (H200, 2026-11-29: 4.2 and 8.0 cycles).
    case Op::bfe_u32:
    case Op::bfe_s32:
      return n > 1 ? Sequence{n, n, 0, 0, 0, 0, 0, 4 * n} : Sequence{};
    default:
      return {};
  }
}

}  // namespace

Sequence sequence_of(const Ins& ins, bool other_way) {
  Sequence s = quick_way_of(ins, other_way);
  if (!other_way || ins.cls == lower::Class::divide) return s;
  const Sequence more = longer_way_of(ins.op);
  s.issues += more.issues;
  s.integer += more.integer;
  s.special += more.special;
  s.fp32 += more.fp32;
  s.fp64 += more.fp64;
  s.latency = (s.latency != 0 ? s.latency : ins.latency) + more.latency;
  return s;
}

lower::Class carried_out_as(const Ins& ins) {
  const bool compares = ins.op >= Op::setp_eq_f32 && ins.op <= Op::setp_num_f32;
  if (compares || ins.op == Op::min_f32 || ins.op == Op::max_f32) return lower::Class::integer;
  if (ins.op == Op::shl_b32 && (ins.b & lower::kPoolBit)) return lower::Class::multiply;
  return ins.cls;
}

bool is_branch_forward(const Ins& ins) {
  return ins.op == Op::bra && ins.imm == lower::kStaysABranch;
}

bool becomes_predicates(const Ins& ins) {
  return ins.op == Op::bra && ins.imm == lower::kBecomesPredicates && ins.guard != lower::kNoGuard;
}
bool leaves_loop(const Ins& ins) {
  return ins.op == Op::bra && ins.imm == lower::kLeavesLoop && ins.guard != lower::kNoGuard;
}

void Choice::begin(const Warp& w, const Ins& branch) {
  const std::vector<Ins>& all = w.machine->code.instructions;
  branch_ = &branch;
  end_ = all.data() + (branch.aux2 > branch.aux && branch.aux2 < all.size() ? branch.aux2 : branch.aux);
}

/// A loop's, which ptxas puts behind all that its turn does.
bool is_branch_back(const Warp& w, const Ins& ins) {
  return ins.op == Op::bra && ins.aux <= static_cast<u32>(&ins - w.machine->code.instructions.data());
}

namespace {

bool is_narrow_division(const Warp& w, const Ins& ins, u32 mask) {
  const bool with_sign = ins.op >= Op::div_s64;
  u64 all = 0;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(mask));
    const auto size = [&](Operand o) {
      const u64 v = w.row<u64>(o)[lane];
      return with_sign && v >> 63 != 0 ? ~v + 1 : v;
    };
    all |= size(ins.a) | size(ins.b);
  }
  return all >> 32 == 0;
}

/// Least magnitudes are included, greatest are not. From a scan of the operands' exponents (H200, 2026-11-29): where a chain gets slower.
struct QuickRange {
  double least_a, most_a, most_b, least_result, most_result;
};
template <class T>
constexpr QuickRange kQuickDivision = sizeof(T) == 8
                                          ? QuickRange{0x1p-969, INFINITY, 0x1p1017, 0x1p-1021, 0x1p1018}
                                          : QuickRange{0x1p-102, INFINITY, 0x1p125, 0x1p-125, INFINITY};
template <class T>
constexpr QuickRange kQuickRoot = {sizeof(T) == 8 ? 0x1p-970 : 0x1p-101, INFINITY, 0, 0, 0};
template <class T>
constexpr QuickRange kQuickReciprocal = {sizeof(T) == 8 ? 0x1p-1022 : 0x1p-126,
                                         sizeof(T) == 8 ? 0x1p1022 : 0x1p126, 0, 0, 0};

template <class T>
bool a_lane_is_slow(const Warp& w, const Ins& ins, u32 mask, const QuickRange& quick, bool divides,
                    bool of_sign) {
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<u32>(__builtin_ctz(mask));
    const double given = w.row<T>(ins.a)[lane], a = of_sign ? given : std::fabs(given);
    if (!(a >= quick.least_a && a < quick.most_a)) return true;  // what is no number, too
    if (!divides) continue;
    const double b = std::fabs(static_cast<double>(w.row<T>(ins.b)[lane])), result = a / b;
    if (!(b < quick.most_b && result >= quick.least_result && result < quick.most_result)) return true;
  }
  return false;
}

}  // namespace

bool has_two_ways(const Ins& ins) {
  if (ins.op == Op::rounded_f32 || ins.op == Op::rounded_f64) return false;
  return lower::has_slow_path(ins);
}

bool takes_other_way(const Warp& w, const Ins& ins, u32 mask) {
  if (!has_two_ways(ins)) return false;
  switch (ins.op) {
    case Op::div_f32:
      return a_lane_is_slow<float>(w, ins, mask, kQuickDivision<float>, true, false);
    case Op::div_f64:
      return a_lane_is_slow<double>(w, ins, mask, kQuickDivision<double>, true, false);
    case Op::sqrt_f32:
      return a_lane_is_slow<float>(w, ins, mask, kQuickRoot<float>, false, true);
    case Op::sqrt_f64:
      return a_lane_is_slow<double>(w, ins, mask, kQuickRoot<double>, false, true);
    case Op::rcp_f32:
      return a_lane_is_slow<float>(w, ins, mask, kQuickReciprocal<float>, false, false);
    case Op::rcp_f64:
      return a_lane_is_slow<double>(w, ins, mask, kQuickReciprocal<double>, false, false);
    case Op::div_u64:
    case Op::div_s64:
    case Op::rem_u64:
    case Op::rem_s64:
      return is_narrow_division(w, ins, mask);
    default:
      return false;
  }
}

bool is_fragment_access(const Ins& ins) {
  return ins.op == Op::wmma_load || ins.op == Op::wmma_store;
}

bool is_half_arithmetic(Op op) {
  switch (op) {
    case Op::add_f16:
    case Op::sub_f16:
    case Op::mul_f16:
    case Op::fma_f16:
    case Op::add_f16x2:
    case Op::sub_f16x2:
    case Op::mul_f16x2:
    case Op::fma_f16x2:
      return true;
    default:
      return false;
  }
}

bool is_combined_atomic(const lower::Code& code, const Ins& ins) {
  return ins.op == Op::atom && code.memory_ops[ins.aux].one_address;
}

bool is_either(const Ins& ins) {
  if (ins.op == Op::mov_b32 && (ins.flags & lower::kMerged) == 0) return true;
  return (ins.op == Op::add_b32 || ins.op == Op::sub_b32) && ins.cls == lower::Class::integer &&
         ins.imm != lower::kTakesThree;
}

Unit unit_of(const Ins& ins) {
  if (is_either(ins)) return Unit::adder;
  switch (carried_out_as(ins)) {
    case lower::Class::fp32:
      return Unit::fp32;
    case lower::Class::fp64:
      return Unit::fp64;
    case lower::Class::integer:
    case lower::Class::divide:
      return Unit::integer;
    case lower::Class::multiply:
      return Unit::multiply;
    case lower::Class::special:
    case lower::Class::conversion:
      return Unit::special;
    case lower::Class::shuffle:
      return Unit::shuffle;
    case lower::Class::tensor:
      return Unit::tensor;
    default:
      return Unit::issue;
  }
}

void Scoreboard::enter(const lower::Function& f) {
  function_ = &f;
  predicate_bytes_ = f.predicate_bytes;
  registers_.assign(f.predicate_bytes / 4 + (f.all_rows_bytes() - f.predicate_bytes) / 128 + 1, now_);
  producers_.assign(registers_.size(), 0);
  choice_ = {};
  joins_ = {};
}

void Scoreboard::start(const lower::Function& f, u32 most) {
  now_ = latest_ = global_stored_ = shared_stored_ = global_used_ = shared_used_ = {};
  turns_.start();
  issued_ = load_bytes_ = 0;
  flight_.start();
  stretch_.clear();
  groups_.clear();
  parted_.clear();
  trace_ = {};
  most_ = most;
  number_ = copied_ = branch_ = stored_ = side_ = 0;
  waiting_ = nullptr;
  enter(f);
}

/// @param at_barrier ptxas moves arithmetic behind it, unless something before it needs what comes out: that stays for the next stretch.
void Scoreboard::end_of_stretch(bool at_barrier) {
  for (std::size_t k = 0; k < 3; ++k) now_[k] = std::max(now_[k], latest_[k]);
  if (stretch_.empty()) return;
  std::stable_sort(stretch_.begin(), stretch_.end(),
                   [](const Pending& a, const Pending& b) { return a.at < b.at; });
  constexpr std::size_t kFarthest = 64;
  const std::size_t size = stretch_.size(),
                    first = !at_barrier ? size
                                        : size - std::min(size, kFarthest);  // what stands before that stays
  std::vector<u32> needed;
  const auto stays = [&](const Step& s) {
    return !is_arithmetic(s) || std::find(needed.begin(), needed.end(), s.number) != needed.end();
  };
  for (std::size_t k = size; k-- > first;)
    if (const Step& s = stretch_[k].step; stays(s))
      needed.insert(needed.end(), s.after.begin(), s.after.end());
  std::size_t moved = 0;
  for (std::size_t k = 0; k < size; ++k) {
    if (k < first || stays(stretch_[k].step))
      trace_.steps.push_back(stretch_[k].step);
    else
      stretch_[moved++] = stretch_[k];
  }
  stretch_.resize(moved);
}

/// The next turn of a loop begins.
void Scoreboard::jump() {
  end_of_stretch();
  for (std::size_t k = 0; k < 3; ++k) now_[k] += kJump;
  if (branch_ == 0 || trace_.steps.empty() || number_ >= most_) return;
  trace_.steps.back().pause = kJump;
  for (std::size_t n = trace_.steps.size(); n-- > 0 && trace_.steps.size() - n < 64;)
    if (trace_.steps[n].number == branch_) {
      trace_.steps[n].behind = kGuardBehind;
      trace_.steps[n].turns_back = true;
      break;
    }
  branch_ = 0;
}

void Scoreboard::record(const Warp& w, const Ins& ins, const MemoryOp* m, double at, bool other_way,
                        bool done, bool off) {
  if (std::exchange(waiting_, nullptr) == &ins) return;
  ++trace_.instructions;
  if (number_ >= most_) return;
  Step step;
  step.number = ++number_;
  step.site = ins.site;
  step.latency = ins.latency;
  step.unit = unit_of(ins);
  if (m && ins.cls == lower::Class::memory) {
    const bool stores = m->kind == observe::AccessKind::store || m->result_unused;
    switch (m->space) {
      case lower::AddressSpace::shared:
        step.unit = Unit::shared;
        step.latency = static_cast<u8>(kShared);
        break;
      case lower::AddressSpace::constant:
        step.unit = Unit::constant;
        step.latency = static_cast<u8>(kConstantLatency);
        break;
      case lower::AddressSpace::param:
        step.unit = Unit::issue;
        step.latency = static_cast<u8>(kParam);
        break;
      default:
        step.unit = stores ? Unit::store : Unit::load;
        step.latency = ins.op == Op::atom ? static_cast<u8>(kAtomicExtra) : 0;
        if (stores && m->space != lower::AddressSpace::local) stored_ = step.number;
        break;
    }
    if (ins.op == Op::cp_async) {  // it loads, and nobody but the wait for it is kept
      step.unit = Unit::load;
      step.latency = kAsyncCopy;
    }
    if ((ins.flags & lower::kVector) && m->regrouped) step.issues = m->machine.count;
    if (is_combined_atomic(w.machine->code, ins)) step.issues = 1 + kCombineIssues;
    if (is_fragment_access(ins)) {
      const lower::MatrixOp& fragment = w.machine->code.matrix_ops[ins.aux2];
      step.issues = static_cast<u8>(fragment.issues());
      step.keeps = fragment.exchanges;
      if (fragment.exchanges != 0) step.latency += kExchange;
    }
  } else if (ins.op == Op::tex || ins.op == Op::tex_gradient_level || ins.op == Op::surface_load) {
    step.unit = Unit::load;
    step.latency = static_cast<u8>(kTextureExtra);
  } else if (const Sequence sequence = sequence_of(ins, other_way); sequence.issues > 1) {
    const bool sums = sequence.either == sequence.issues;  // each goes where there is room
    step.issues = static_cast<u8>(sequence.issues);
    if (!sums)
      step.keeps =
          static_cast<u16>(std::max({sequence.special_cycles(), sequence.fp64 * 2,
                                     sequence.integer * 2 + sequence.either, sequence.multiply * 2}));
    step.unit = sums                                                                 ? Unit::adder
                : !sequence.needs_a_unit()                                           ? Unit::issue
                : sequence.fp64 != 0                                                 ? Unit::fp64
                : sequence.multiply > sequence.integer && sequence.special == 0      ? Unit::multiply
                : sequence.special == 0 || sequence.integer > 2 * sequence.fp32 + 12 ? Unit::integer
                                                                                     : Unit::special;
    if (sequence.latency != 0) step.latency = static_cast<u16>(sequence.latency);
  } else if (sequence.multiply > 1) {
    step.keeps = static_cast<u16>(sequence.multiply * 2);
    step.holds_integers = sequence.integer != 0;
  } else if (is_half_arithmetic(ins.op)) {
    step.keeps = 2;
  } else if (step.unit == Unit::shuffle && ins.op >= Op::match_any_b32 && ins.op <= Op::redux) {
    step.keeps = 2;
  } else if (step.unit == Unit::tensor) {
    step.keeps = static_cast<u16>(ins.imm);  // work: how long that is depends on the card
  } else if (waits_for_operands(ins)) {
    step.issues = 2;
  }
  if (off && m && ins.cls == lower::Class::memory) {  // through the queue all the same, one by one
    step.unit = Unit::shuffle;
    step.latency = kOff;
  }
  if (done) {
    step.unit = Unit::issue;
    step.issues = 0;
    step.latency = 0;
  }
  if (ins.op == Op::bra && !done) branch_ = step.number;
  if (becomes_predicates(ins)) step.latency = kGuardBehind;
  if (leaves_loop(ins)) step.behind = kGuardBehind;
  if (is_branch_forward(ins)) {
    step.behind = kGuardBehind;
    step.issues = joins_.is_open(ins) ? 1 : 1 + kBranchForwardIssues;
    step.latency = joins_.latency(ins);
    branch_ = 0;
  }
  if (ins.op == Op::barrier_cluster_wait) {  // at least its own block's warps meet there
    step.unit = Unit::barrier;
    step.latency = kClusterBarrier;
  }
  const bool releases = ins.op == Op::fence
                            ? ins.imm > static_cast<s64>(observe::Scope::cta)
                            : ins.op == Op::barrier_cluster_arrive && !(ins.flags & lower::kTwo);
  if (releases) {  // until others see what was stored
    step.unit = Unit::fence;
    step.after[0] = stored_;
    stored_ = 0;
  }
  // The three that come last.
  std::array<double, 3> when{};
  const auto need_step = [&](u32 n, double t) {
    if (n == 0) return;
    for (std::size_t k = 0; k < 3; ++k) {
      if (step.after[k] == n) return;
      if (step.after[k] == 0 || t > when[k]) {
        std::swap(step.after[k], n);
        std::swap(when[k], t);
        if (n == 0) return;
      }
    }
  };
  const auto need = [&](Operand o) { need_step(producers_[index_of(o)], registers_[index_of(o)][2]); };
  if (ins.guard != lower::kNoGuard) need(ins.guard / 2);
  if (choice_.holds(ins)) need_step(choice_step_, chosen_[2]);
  lower::each_operand(ins, ins.uses & ~lower::kFieldD, need);
  const bool vector = ins.flags & lower::kVector;
  if (vector && m->kind != observe::AccessKind::load)
    for (u32 n = 0; n < m->count; ++n)
      if (!(m->registers[n] & lower::kPoolBit)) need(m->registers[n]);
  const lower::MatrixOp* const product = matrix_op_of(w, ins);
  if (product != nullptr)
    for (const Operand o : product->sources)
      if (!(o & lower::kPoolBit)) need(o);
  const auto produce = [&](Operand o) { producers_[index_of(o)] = number_; };
  lower::each_operand(ins, ins.defs, produce);
  if (vector) lower::each_result(*m, produce);
  if (product != nullptr)
    for (const Operand o : product->results) produce(o);
  if (ins.op == Op::cp_async) copied_ = number_;
  if (!done && is_branch_back(w, ins)) {
    hasten(step);
    at = std::numeric_limits<double>::max();
  }
  stretch_.push_back({at, step});
}

/// What decides a loop's branch, the counter and its comparison, comes as early in the turn as it can: the branch has to wait for it.
void Scoreboard::hasten(const Step& branch) {
  const auto find = [&](u32 number) -> Pending* {  // nullptr: it is of an earlier stretch, or there is none
    if (number == 0) return nullptr;
    const auto p = std::find_if(stretch_.rbegin(), stretch_.rend(),
                                [&](const Pending& pending) { return pending.step.number == number; });
    return p == stretch_.rend() ? nullptr : &*p;
  };
  constexpr std::size_t kMost = 8;
  std::vector<Pending*> deciding;  // from the branch backwards
  const auto add = [&](const Step& s) {
    for (const u32 n : s.after)
      if (Pending* const p = find(n); p != nullptr && is_arithmetic(p->step) && deciding.size() < kMost)
        deciding.push_back(p);
  };
  add(branch);
  for (std::size_t k = 0; k < deciding.size(); ++k) add(deciding[k]->step);
  std::sort(deciding.begin(), deciding.end(),
            [](const Pending* a, const Pending* b) { return a->step.number < b->step.number; });
  for (Pending* const p : deciding) {
    double at = stretch_.front().at;
    for (const u32 n : p->step.after)
      if (const Pending* const from = find(n)) at = std::max(at, from->at + from->step.latency);
    p->at = std::min(p->at, at);
  }
}

/// In the place of the instruction that was recorded last is a branch, which ends at @p done: what comes behind waits for that.
void Scoreboard::wait_for_branch(const Clock& done) {
  end_of_stretch();
  for (std::size_t k = 0; k < 3; ++k) now_[k] = std::max(now_[k], done[k]);
  if (number_ >= most_) return;
  Step wait;
  wait.after = {number_, 0, 0};
  wait.number = ++number_;
  wait.issues = 0;
  wait.latency = 0;
  wait.extra = true;
  trace_.steps.push_back(wait);
}

/// The warp stops for its own groups of cp.async, all but the newest, or for copies of the engine.
void Scoreboard::wait_for_copies(const Ins& ins) {
  if (trace_.steps.empty() && stretch_.empty()) return;
  end_of_stretch();
  if (trace_.steps.empty() || number_ >= most_) return;
  Step& step = trace_.steps.back();  // the wait itself
  step.unit = Unit::asynchronous;
  step.latency = 0;
  if (ins.op == Op::mbarrier_try_wait) return;
  step.unit = Unit::issue;
  const std::size_t newest = ins.op == Op::cp_async_wait ? static_cast<std::size_t>(ins.imm) : 0;
  if (ins.op == Op::cp_async_wait_all)
    step.after = {copied_, 0, 0};
  else if (newest < groups_.size())
    step.after = {groups_[groups_.size() - 1 - newest], 0, 0};
}

/// Nothing moves from one side of a branch to the other, nor across the place where they meet.
void Scoreboard::follow_parting(const Warp& w, const Ins& ins, u32 mask) {
  if (mask == 0) return;
  const auto all_are_here = [&] { return !parted_.empty() && (parted_.back() & w.live & ~mask) == 0; };
  if (all_are_here() || (!parted_.empty() && (mask & side_) == 0)) end_of_stretch();
  while (all_are_here()) parted_.pop_back();
  if (is_branch_forward(ins)) parted_.push_back(mask);
  side_ = mask;
}

void Scoreboard::step(const Warp& w, const Ins& ins, u32 mask) {
  if (ins.flags & lower::kHidden) return;
  follow_parting(w, ins, mask);
  if (mask != 0) flight_.step(w, ins, mask);
  if (w.frame->function != function_) {
    end_of_stretch();
    enter(*w.frame->function);
  }
  if (turns_.begins_with(ins)) jump();  // stores that might alias hold back a later turn's loads
  const bool merged = (ins.flags & lower::kMerged) != 0 || turns_.is_done(ins);
  const bool other_way = takes_other_way(w, ins, mask);
  if (has_two_ways(ins)) w.machine->count_way(ins.site, other_way);
  if (!merged) ++issued_;
  const MemoryOp* m = memory_op_of(w, ins);
  const bool vector = ins.flags & lower::kVector;
  const bool loads = m && ins.cls == lower::Class::memory && m->kind != observe::AccessKind::store;
  const bool in_register = m && m->space == lower::AddressSpace::local && w.machine->local_in_registers;
  const bool far = loads &&
                   (m->space == lower::AddressSpace::global || m->space == lower::AddressSpace::generic ||
                    m->space == lower::AddressSpace::local) &&
                   !in_register;
  if (far && ins.op != Op::atom) load_bytes_ += __builtin_popcount(mask) * m->total_bytes;
  const bool accesses = m && ins.cls == lower::Class::memory;
  const bool stores = accesses && m->kind != observe::AccessKind::load;
  const bool shared = accesses && m->space == lower::AddressSpace::shared;
  const bool global = accesses && !shared &&
                      (m->space == lower::AddressSpace::global || m->space == lower::AddressSpace::generic);
  // All three clocks at once: which operands there are is found out but once.
  const auto later = [](Clock& a, const Clock& b) {
    for (std::size_t k = 0; k < 3; ++k) a[k] = std::max(a[k], b[k]);
  };
  if (!merged)
    for (double& t : now_) t += 1;
  Clock at = now_;
  const auto need = [&](Operand o) { later(at, ready(o)); };
  if (ins.guard != lower::kNoGuard) need(ins.guard / 2);
  if (choice_.holds(ins)) later(at, chosen_);
  lower::each_operand(ins, ins.uses, need);
  if (vector && m->kind != observe::AccessKind::load)  // a store, or a register that is put together
    for (u32 n = 0; n < m->count; ++n)
      if (!(m->registers[n] & lower::kPoolBit)) need(m->registers[n]);
  const lower::MatrixOp* const product = matrix_op_of(w, ins);
  if (product != nullptr)
    for (const Operand o : product->sources)
      if (!(o & lower::kPoolBit)) need(o);
  if (global) {
    if (stores)
      later(at, global_used_);
    else if (!m->non_coherent && !m->ahead_of_stores)
      later(at, global_stored_);
    if (stores) later(global_stored_, at);
    later(global_used_, at);
  } else if (shared) {
    later(at, stores ? shared_used_ : shared_stored_);
    if (stores) later(shared_stored_, at);
    later(shared_used_, at);
  }
  // All that stands before a branch has been issued.
  if (is_branch_forward(ins) || leaves_loop(ins)) later(at, latest_);
  later(latest_, at);
  Clock done = at;
  if (!loads) {
    const Sequence sequence = sequence_of(ins, other_way);
    const double latency = is_branch_forward(ins)  ? kGuardBehind + joins_.latency(ins)
                           : sequence.latency != 0 ? sequence.latency
                                                   : ins.latency;
    for (double& t : done) t += merged ? 0 : latency;
  } else {
    Clock latency;
    switch (m->space) {
      case lower::AddressSpace::shared:
        latency.fill(kShared);
        break;
      case lower::AddressSpace::constant:
        latency.fill(kConstantLatency);
        break;
      case lower::AddressSpace::param:
        latency.fill(kParam);
        break;
      case lower::AddressSpace::local:
        latency.fill(in_register ? kMoveLatency : kLoadLatency[0]);
        break;
      default:
        latency = kLoadLatency;
        break;
    }
    if (ins.op == Op::atom && m->space != lower::AddressSpace::shared)
      for (double& t : latency) t = std::max(t, kLoadLatency[1]) + kAtomicExtra;
    for (std::size_t k = 0; k < 3; ++k) done[k] += latency[k];
  }
  const auto give = [&](Operand o) { ready(o) = done; };
  lower::each_operand(ins, ins.defs, give);
  if (vector) lower::each_result(*m, give);
  if (product != nullptr)
    for (const Operand o : product->results) give(o);
  record(w, ins, m, at[2], other_way, merged, mask == 0);
  if (becomes_predicates(ins)) {
    choice_.begin(w, ins);
    chosen_ = at;
    for (double& t : chosen_) t += kGuardBehind;
    choice_step_ = number_;
  }
  if (is_branch_forward(ins)) joins_.open(ins);
  if (lower::has_slow_path(ins) || is_branch_forward(ins)) wait_for_branch(done);
  if (leaves_loop(ins)) {
    Clock left = at;
    for (double& t : left) t += kGuardBehind + 1;
    wait_for_branch(left);
  } else if (ins.op == Op::bra && ins.imm == lower::kLeavesLoop) {
    end_of_stretch();
  }
  if (ins.op == Op::cp_async_commit) groups_.push_back(copied_);
  if (ins.op == Op::cp_async_wait || ins.op == Op::cp_async_wait_all ||
      (ins.op == Op::mbarrier_try_wait && !w.block->async->loads.empty())) {
    wait_for_copies(ins);
    for (std::size_t k = 0; k < 3; ++k) now_[k] = std::max(now_[k], latest_[k]) + kLoadLatency[k];
  }
}

/// All warps to the time of the latest, and not before the busiest scheduler has issued everything.
void Scoreboard::settle(Block& block, bool at_barrier) {
  Clock latest{};
  std::array<double, kSchedulers> issued{};
  double busiest = 0;
  for (u32 n = 0; n < block.warp_count; ++n) issued[n % kSchedulers] += block.scoreboards[n]->issued_;
  for (double i : issued) busiest = std::max(busiest, i);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 n = 0; n < block.warp_count; ++n) {
      block.scoreboards[n]->end_of_stretch(at_barrier);
      latest[k] = std::max(latest[k], block.scoreboards[n]->now_[k]);
    }
    latest[k] = std::max(latest[k], block.settled[k] + busiest);
    block.settled[k] = latest[k];
  }
  for (u32 n = 0; n < block.warp_count; ++n) {
    block.scoreboards[n]->issued_ = 0;
    block.scoreboards[n]->now_ = block.scoreboards[n]->latest_ = latest;
  }
}

void Scoreboard::barrier(Block& block) {
  if (!block.sampled) return;
  settle(block, true);
  for (u32 n = 0; n < block.warp_count; ++n) {
    Scoreboard& warp = *block.scoreboards[n];
    for (double& t : warp.now_) t += kBarrier;
    if (!warp.stretch_.empty())
      for (const double first = warp.stretch_[0].at; Pending & p : warp.stretch_)
        p.at += warp.now_[2] - first;
    if (block.warps[n]->status == Warp::Status::done || warp.number_ >= warp.most_) continue;
    Step step;
    step.number = ++warp.number_;
    step.unit = Unit::barrier;
    step.latency = static_cast<u8>(kBarrier);
    step.extra = true;
    warp.trace_.steps.push_back(step);
  }
  for (double& t : block.settled) t += kBarrier;
}

BlockTime Scoreboard::finish(Block& block) {
  settle(block, false);
  BlockTime t;
  t.cycles_at_l1 = block.settled[0];
  t.cycles_at_l2 = block.settled[1];
  t.cycles_at_dram = block.settled[2];
  for (u32 n = 0; n < block.warp_count; ++n) {
    Scoreboard& warp = *block.scoreboards[n];
    t.trace.warps.push_back(std::move(warp.trace_));
    t.load_bytes += warp.load_bytes_;
    t.waiting_bytes += warp.flight_.bytes();
    t.waiting_threads += warp.flight_.threads();
  }
  return t;
}

}  // namespace simgpu::exec
