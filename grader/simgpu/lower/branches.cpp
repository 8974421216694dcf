/// @file
/// What ptxas makes of the text's branches: of which loops it lays four turns side by side, and which branches forward it leaves.
///
/// Turns side by side have their loads under way together, and what only counts them is done once. It does so with innermost loops that have
/// one way out, count by a constant up to a constant, and are short; not with those that say `.pragma "nounroll"` (nvcc writes it where it
/// has laid turns side by side itself), that count by a value of the launch or from one down to nought (unless by fours: nvcc has laid out four
/// turns then, and ptxas lays four of those side by side), or that hold a barrier, an atomic, a call or a division with a slow way.
///
/// Of what a short branch forward jumps over it makes predicated instructions: in loops less than outside. A warp issues them even if all its lanes
/// jump. Where what was loaded on the way decides a second branch, that one is predicated, and the first stays. A branch to the kernel's end is
/// its end, under a predicate.
///
/// Found by compiling the kernels of tests/ladders, and some two hundred branches of all lengths, with ptxas 13.0 for sm_90.
#include <algorithm>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/low_bits.hpp"

namespace simgpu::lower {
namespace {

constexpr std::uint32_t kLongest = 60;            // machine instructions of a turn
constexpr std::uint32_t kLongestUnrolled = 2048;  // ... of all turns of one that may end sooner
constexpr std::uint32_t kBranches = 4;            // ... that become predicates
constexpr std::uint32_t kFarthestBegin = 4096;  // instructions before a loop in which its count is looked for
constexpr std::uint32_t kLongestIf = 17, kLongestIfInLoop = 9;  // instructions that become predicated

/// Nothing of it can be predicated.
bool needs_a_branch(const Ins& ins) {
  return holds_accesses_back(ins.op) || has_slow_path(ins) || ins.op == Op::atom || ins.op == Op::trap ||
         ins.op == Op::brx_idx;
}

bool holds_turns_together(const Ins& ins) {
  return needs_a_branch(ins) || ins.op == Op::exit || ins.op == Op::ret;
}

/// Does it leave the loop that goes back at @p jump, or else come to that?
bool is_way_out(const Ins& ins, std::uint32_t jump) {
  return ins.op == Op::bra && ins.guard != kNoGuard && ins.aux > jump;
}

bool counts_up(const Ins& comparison) {
  return comparison.op == Op::setp_lt_u32 || comparison.op == Op::setp_lt_s32;
}

bool is_step(const Ins& ins) {
  switch (ins.op) {
    case Op::add_b32:
    case Op::add_b64:
    case Op::sub_b32:
    case Op::sub_b64:
      return (ins.b & kPoolBit) != 0 && ins.guard == kNoGuard;
    default:
      return false;
  }
}

}  // namespace

/// @return what makes @p counter in the loop from @p first to @p jump, if that is one step by a constant, from itself or from @p copy; else nullptr.
const Ins* FunctionLowering::step_of(std::uint32_t first, std::uint32_t jump, Operand counter, Operand copy) {
  const Ins* step = nullptr;
  bool counts = true;
  for (std::uint32_t i = first; i < jump; ++i)
    visit_registers(body_[i], [&](Operand& o, bool def) {
      if (!def || o != counter) return;
      counts =
          counts && step == nullptr && is_step(body_[i]) && (body_[i].a == counter || body_[i].a == copy);
      step = &body_[i];
    });
  return counts ? step : nullptr;
}

/// @param first where the loop begins, @param jump its branch back, @param longest machine instructions that a turn may have.
/// @return what counts its turns if that compares what a step by a constant has made of itself with a constant, and nothing holds the turns
/// together.
std::optional<FunctionLowering::Count> FunctionLowering::count_of(std::uint32_t first, std::uint32_t jump,
                                                                  std::uint32_t longest) {
  if (body_[jump].guard == kNoGuard) return std::nullopt;
  if (std::find(kept_loops_.begin(), kept_loops_.end(), first) != kept_loops_.end()) return std::nullopt;
  Count count;
  std::uint32_t branches = 0;
  for (std::uint32_t i = first; i < jump; ++i) {
    const Ins& ins = body_[i];
    if (holds_turns_together(ins)) return std::nullopt;
    if (ins.op == Op::bra && (ins.aux <= i || ins.aux > jump || ++branches > kBranches)) return std::nullopt;
    const bool sequence = ins.cls == Class::special && ins.imm > 0;
    count.size += (ins.flags & kHidden) ? 0 : sequence ? static_cast<std::uint32_t>(ins.imm) : 1;
    if (count.size > longest) return std::nullopt;
    if ((ins.defs & kFieldD) && ins.d == body_[jump].guard / 2) count.comparison = &ins;
  }
  if (count.comparison == nullptr) return std::nullopt;
  count.swapped = (count.comparison->a & kPoolBit) != 0;
  count.counter = count.swapped ? count.comparison->b : count.comparison->a;
  count.bound = count.swapped ? count.comparison->a : count.comparison->b;
  if ((count.counter & kPoolBit) != 0 || (count.bound & kPoolBit) == 0) return std::nullopt;
  count.step = step_of(first, jump, count.counter, count.counter);
  if (count.step == nullptr) return std::nullopt;
  return count;
}

/// @return how many turns of the loop from @p first to @p jump lie side by side.
std::uint32_t FunctionLowering::turns_side_by_side(std::uint32_t first, std::uint32_t jump) {
  const std::optional<Count> count = count_of(first, jump, kLongest);
  if (!count) return 1;
  std::uint64_t last = 0, each = 0;
  // Until it is equal: only if the text says where it begins.
  const bool equal = count->comparison->op == Op::setp_eq_b32 || count->comparison->op == Op::setp_eq_b64;
  const bool by_fours = constant_of(code_, count->bound, 4, last) && last == 0 &&
                        constant_of(code_, count->step->b, 4, each) &&
                        static_cast<std::int32_t>(each) == -kTurnsSideBySide;
  if (equal && !by_fours && !begins_at(first, count->counter, last)) return 1;
  // From nought or later, it may not come to so many turns: what is left over is done by twos, and one by one.
  const bool few = counts_up(*count->comparison) && !count->swapped &&
                   constant_of(code_, count->bound, 4, last) && constant_of(code_, count->step->b, 4, each) &&
                   each != 0 && last < (1u << 31) && (last + each - 1) / each < kTurnsSideBySide;
  return few ? 2 : kTurnsSideBySide;
}

/// @return whether @p counter holds a constant where the loop at @p first begins, as the text before it shows: @p value.
bool FunctionLowering::begins_at(std::uint32_t first, Operand counter, std::uint64_t& value) {
  for (std::uint32_t i = first; i-- > first - std::min(first, kFarthestBegin);) {
    bool set = false;
    visit_registers(body_[i], [&](Operand& o, bool def) { set |= def && o == counter; });
    if (!set) continue;
    const bool wide = body_[i].op == Op::mov_b64;
    return (wide || body_[i].op == Op::mov_b32) && constant_of(code_, body_[i].a, wide ? 8 : 4, value);
  }
  return false;
}

/// @return how many turns the loop from @p first to @p jump takes, and how long one is; nothing if the text does not say it, or if one is longer
/// than @p longest.
std::optional<FunctionLowering::Turns> FunctionLowering::turns_of(std::uint32_t first, std::uint32_t jump,
                                                                  std::uint32_t longest) {
  const std::optional<Count> count = count_of(first, jump, longest);
  std::uint64_t begin = 0, end = 0, each = 0;
  if (!count || count->swapped || !constant_of(code_, count->bound, 4, end) ||
      count->step->op != Op::add_b32 || !constant_of(code_, count->step->b, 4, each) || each == 0 ||
      !begins_at(first, count->counter, begin))
    return std::nullopt;
  // Down to a number is up from it.
  const bool down = each >= (1u << 31);
  const std::uint64_t far = (down ? begin - end : end - begin) & 0xffffffffu;
  const std::uint64_t pace = down ? (1ull << 32) - each : each;
  return Turns{(far + pace - 1) / pace, count->size};
}

/// Loops that count by a constant from one number to another and may end sooner, as `k < 128 && x < 4` does, are unrolled to the end where that
/// is short enough: the count is no longer compared, and the turns have a branch out each. Marks what that makes free.
/// @return how many turns that are; 1: it is none of these.
std::uint32_t FunctionLowering::mark_unrolled(std::uint32_t first, std::uint32_t jump) {
  if (body_[jump].guard == kNoGuard || (body_[jump].guard & 1) != 0) return 1;
  if (std::find(kept_loops_.begin(), kept_loops_.end(), first) != kept_loops_.end()) return 1;
  std::uint32_t size = 1;
  const Ins* both = nullptr;
  for (std::uint32_t i = first; i < jump; ++i) {
    const Ins& ins = body_[i];
    if (holds_turns_together(ins) || ins.op == Op::bra) return 1;
    if ((ins.flags & kHidden) == 0 && ins.op != Op::mov_b32) ++size;
    if (ins.op == Op::and_pred && ins.d == body_[jump].guard / 2) both = &ins;
  }
  if (both == nullptr) return 1;
  size -= 2;  // `and` goes along with a comparison, and that of the count is gone
  for (std::uint32_t i = first; i < jump; ++i) {
    Ins& comparison = body_[i];
    std::uint64_t begin = 0, end = 0, each = 0;
    if (!counts_up(comparison) || (comparison.d != both->a && comparison.d != both->b) ||
        !constant_of(code_, comparison.b, 4, end))
      continue;
    const Operand counter = comparison.a;
    Operand copy = counter;  // the text may step from a copy of what the turn before made
    for (std::uint32_t k = first; k < jump; ++k)
      if (body_[k].op == Op::mov_b32 && body_[k].a == counter) copy = body_[k].d;
    const Ins* const step = step_of(first, jump, counter, copy);
    if (step == nullptr || step->op != Op::add_b32 || !constant_of(code_, step->b, 4, each)) continue;
    if (!begins_at(first, counter, begin) || each == 0 || end <= begin || end >= (1u << 31)) continue;
    const std::uint64_t turns = (end - begin + each - 1) / each;
    if (turns * size > kLongestUnrolled) continue;
    comparison.flags |= kMerged;
    for (std::uint32_t k = first; k < jump; ++k)  // a value goes by another name in the next turn
      if (body_[k].op == Op::mov_b32 && (body_[k].a & kPoolBit) == 0) body_[k].flags |= kMerged;
    return static_cast<std::uint32_t>(turns);
  }
  return 1;
}

/// `@p bra A; bra B; A:` is one branch with a side of its own for each answer, up to where they meet.
bool FunctionLowering::jumps_over_a_jump(std::uint32_t jump) const {
  const Ins& branch = body_[jump];
  return branch.aux == jump + 2 && body_[jump + 1].op == Op::bra && body_[jump + 1].guard == kNoGuard &&
         body_[jump + 1].aux > branch.aux && branch.aux2 > branch.aux && branch.aux2 < body_.size();
}

/// @param jump a branch forward, @param in_loop that a loop holds. @return kStaysABranch, kBecomesPredicates, kLeavesLoop, or 0: it
/// is the loop's own, or the way out of the kernel.
std::int64_t FunctionLowering::way_forward(std::uint32_t jump, bool in_loop) const {
  constexpr std::uint32_t kLongestLooked = 4096;  // text of more than that is nobody's short way
  const std::uint32_t end = jumps_over_a_jump(jump) ? body_[jump].aux2 : body_[jump].aux;
  std::uint32_t size = 0;
  bool stays = end - jump > kLongestLooked, loads = false;
  for (std::uint32_t i = jump + 1; i < std::min(end, jump + kLongestLooked); ++i) {
    const Ins& ins = body_[i];
    // The way out of a loop: its branch back says what a turn costs.
    if (ins.op == Op::bra && ins.aux <= jump) return i == jump + 1 && ins.guard == kNoGuard ? 0 : kLeavesLoop;
    stays = stays || needs_a_branch(ins) || (ins.op == Op::bra && ins.aux <= i);
    loads = loads || ins.cls == Class::memory;
    // A way inside, which what was loaded here decides: that one becomes predicates, and this one stays.
    stays = stays || (loads && ins.op == Op::bra && ins.guard != kNoGuard);
    if (!(ins.flags & kHidden)) ++size;
  }
  const Ins* const target = body_[jump].aux < body_.size() ? &body_[body_[jump].aux] : nullptr;
  if (target == nullptr || target->op == Op::exit || target->op == Op::ret) return 0;
  return stays || size > (in_loop ? kLongestIfInLoop : kLongestIf) ? kStaysABranch : kBecomesPredicates;
}

void FunctionLowering::mark_branches() {
  std::vector<std::int32_t> loops(body_.size() + 1);  // that begin here, less those that end before
  for (std::uint32_t jump = 0; jump < body_.size(); ++jump)
    if (const Ins& branch = body_[jump]; branch.op == Op::bra && branch.aux <= jump) {
      ++loops[branch.aux];
      --loops[jump + 1];
    }
  std::int32_t depth = 0;
  for (std::uint32_t jump = 0; jump < body_.size(); ++jump) {
    Ins& branch = body_[jump];
    depth += loops[jump];
    if (branch.op != Op::bra) continue;
    if (branch.aux > jump) {
      if (branch.guard != kNoGuard) branch.imm = way_forward(jump, depth > 0);
      if (branch.imm == kBecomesPredicates) branch.flags |= kMerged;
      if (branch.guard != kNoGuard && jumps_over_a_jump(jump)) body_[jump + 1].flags |= kMerged;
      continue;
    }
    // The way out stands before the way back: the machine has one branch that says the opposite.
    if (branch.guard == kNoGuard && jump > branch.aux && is_way_out(body_[jump - 1], jump))
      branch.flags |= kMerged;
    if (const std::uint32_t turns = mark_unrolled(branch.aux, jump); turns > 1) {
      branch.imm = turns;
      continue;
    }
    const std::uint32_t turns = turns_side_by_side(branch.aux, jump);
    branch.imm = turns > 1 ? turns : 0;
    if (turns != kTurnsSideBySide) continue;
    branch.flags |= kOncePerTurns;
    for (std::uint32_t i = branch.aux; i < jump; ++i) {
      Ins& ins = body_[i];
      const bool compares = (ins.defs & kFieldD) && ins.d == branch.guard / 2;
      if (compares || (is_step(ins) && ins.d == ins.a)) ins.flags |= kOncePerTurns;
    }
  }
}

}  // namespace simgpu::lower
