/// @file
/// Warp-wide instructions with a member mask: lanes that come by different ways wait for one another here.
///
/// Since Volta a lane waits for the lanes that its mask names, not for an instruction's address: they meet wherever each of
/// them executes the same kind of instruction (same operation, same qualifiers, same mask), also in both arms of an `if`.
/// Lanes that have ended are not waited for.
#include <array>

#include "simgpu/exec/splits.hpp"
#include "simgpu/exec/unwritten.hpp"

namespace simgpu::exec {
namespace {

/// What the operands of a warp-wide instruction are: nothing, one mask for all lanes, rows of 4 or of 8 bytes a lane.
enum class Sort : u8 { none, predicate, word, wide };
struct Operands {
  Sort a = Sort::none, b = Sort::none, c = Sort::none, d = Sort::none, f = Sort::none;
  bool anywhere = true;  ///< lanes may meet at different places
};

Operands operands_of(Op op) {
  using enum Sort;
  switch (op) {
    case Op::shfl_up:
    case Op::shfl_down:
    case Op::shfl_bfly:
    case Op::shfl_idx:
      return {word, word, word, word, predicate};
    case Op::vote_all:
    case Op::vote_any:
    case Op::vote_uni:
      return {.a = predicate, .d = predicate};
    case Op::vote_ballot:
      return {.a = predicate, .d = word};
    case Op::match_any_b32:
    case Op::redux:
      return {.a = word, .d = word};
    case Op::match_any_b64:
      return {.a = wide, .d = word};
    case Op::match_all_b32:
      return {.a = word, .d = word, .f = predicate};
    case Op::match_all_b64:
      return {.a = wide, .d = word, .f = predicate};
    case Op::elect:
      return {.d = word, .f = predicate};
    case Op::bar_warp_sync:
      return {};
    default:
      return {.anywhere = false};  // of matrices: all lanes of the warp execute the one instruction
  }
}

/// Whether lanes that wait in @p s are among those that meet at @p i.
bool meets(const Warp& w, const Split& s, const Ins& i, u32 want) {
  if (s.state != Split::State::gather || s.want != want) return false;
  if (s.pc == w.pc && s.frame == w.frame) return true;
  const Ins& other = w.machine->code.instructions[s.pc];
  return other.op == i.op && other.imm == i.imm && operands_of(i.op).anywhere;
}

void move_operand(Sort sort, std::byte* to, const std::byte* from, u32 lanes) {
  if (sort == Sort::predicate) {
    u32 now, then;
    std::memcpy(&now, to, 4);
    std::memcpy(&then, from, 4);
    now = (now & ~lanes) | (then & lanes);
    std::memcpy(to, &now, 4);
    return;
  }
  const u32 bytes = sort == Sort::wide ? 8 : 4;
  for (; lanes; lanes &= lanes - 1) {
    const u32 at = static_cast<u32>(__builtin_ctz(lanes)) * bytes;
    std::memcpy(to + at, from + at, bytes);
  }
}

/// Executes one instruction for lanes that stand at different ones: their operands are brought together, and what comes out
/// is given to each.
void execute_together(Warp& w, const Ins& i, u32 all, u32 want) {
  const Operands sorts = operands_of(i.op);
  struct Field {
    Operand Ins::*operand;
    Sort sort;
    bool result;
  };
  const Field fields[] = {{&Ins::a, sorts.a, false},
                          {&Ins::b, sorts.b, false},
                          {&Ins::c, sorts.c, false},
                          {&Ins::d, sorts.d, true},
                          {&Ins::f, sorts.f, true}};
  constexpr u32 kRow = 256;
  alignas(64) std::byte rows[std::size(fields) * kRow] = {};
  Ins joint = i;
  for (u32 n = 0; n < std::size(fields); ++n)
    joint.*fields[n].operand = fields[n].sort == Sort::none ? lower::kNoOperand : n * kRow;
  const auto each_part = [&](bool results) {
    const auto part = [&](u32 pc, const Frame& frame, u32 lanes) {
      const Ins& ins = w.machine->code.instructions[pc];
      for (u32 n = 0; n < std::size(fields); ++n) {
        const Operand o = ins.*fields[n].operand;
        if (fields[n].sort == Sort::none || fields[n].result != results || o == lower::kNoOperand) continue;
        const bool in_frame = (o & lower::kPoolBit) == 0 && !lower::is_kept(o);
        std::byte* const own = in_frame ? frame.rows + o : w.row<std::byte>(o);
        std::byte* const common = rows + n * kRow;
        move_operand(fields[n].sort, results ? own : common, results ? common : own, lanes);
        for (const auto* trail : {&w.unwritten, &w.undefined})
          if (*trail) (*trail)->move(results ? own : common, results ? common : own, lanes);
      }
    };
    part(w.pc, *w.frame, w.mask);
    for (const Split& s : w.splits)
      if (meets(w, s, i, want)) part(s.pc, *s.frame, s.mask);
  };
  each_part(false);
  std::byte* const frame = w.base[0];
  w.base[0] = rows;
  w.machine->handlers[static_cast<std::size_t>(i.op)](w, joint, all);
  w.base[0] = frame;
  each_part(true);
  for (const auto* trail : {&w.unwritten, &w.undefined})
    for (u32 n = 0; *trail && n < std::size(fields); ++n) (*trail)->move(rows + n * kRow, nullptr, kFull);
}

/// Those of @p mask whose own mask names them.
u32 named_by_themselves(const u32* members, u32 mask) {
  u32 named = 0;
  for (u32 left = mask; left; left &= left - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(left));
    named |= members[l] & 1u << l;
  }
  return named;
}

/// Executes @p i for @p lanes whose masks do not name them, and leaves the others of @p mask to themselves. The result is undefined, and
/// hardware says nothing: nobody is waited for, and the instruction is executed for all that are here. There are programs that
/// count on that, and on a ballot that has no more bits than its mask.
void execute_unnamed(Warp& w, const Ins& i, u32 mask, u32 lanes, const u32* members) {
  Machine& machine = *w.machine;
  const u32 first = static_cast<u32>(__builtin_ctz(lanes));
  machine.undefined(
      w, i, observe::FindingKind::undefined_mask, first,
      Machine::who(w, first) +
          " executes a warp-wide instruction whose member mask does not name its own lane: what comes is "
          "undefined. Include every lane that executes it in the mask.");
  const Operands sorts = operands_of(i.op);
  u32 own[32];  // the result may take their place
  std::memcpy(own, members, sizeof own);
  alignas(64) std::byte kept_d[256] = {}, kept_f[4] = {};
  std::byte* const d = sorts.d == Sort::none ? nullptr : w.row<std::byte>(i.d);
  std::byte* const f = sorts.f == Sort::none || i.f == lower::kNoOperand ? nullptr : w.row<std::byte>(i.f);
  if (d) move_operand(sorts.d, kept_d, d, mask);
  if (f) move_operand(sorts.f, kept_f, f, mask);
  const auto keep = [&](bool back) {
    for (const auto* trail : {&w.unwritten, &w.undefined})
      if (*trail && d) (*trail)->move(back ? d : kept_d, back ? kept_d : d, mask & ~lanes);
  };
  keep(false);
  machine.handlers[static_cast<std::size_t>(i.op)](w, i, mask);
  keep(true);
  for (const auto* trail : {&w.unwritten, &w.undefined})
    if (*trail) (*trail)->move(kept_d, nullptr, kFull);
  if (d) move_operand(sorts.d, d, kept_d, mask & ~lanes);
  if (f) move_operand(sorts.f, f, kept_f, mask & ~lanes);
  if (i.op != Op::vote_ballot) return;
  u32* const ballots = w.row<u32>(i.d);
  for (u32 left = lanes; left; left &= left - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(left));
    ballots[l] &= own[l];
  }
}

/// Lanes of the warp that lie in the segment of lane @p lane, as operand c of a shuffle divides it.
u32 segment_of(u32 lane, u32 c) {
  const u32 segment = c >> 8 & 31;
  u32 lanes = 0;
  for (u32 l = 0; l < 32; ++l) lanes |= static_cast<u32>((l & segment) == (lane & segment)) << l;
  return lanes;
}

/// Groups of lanes that each shuffle among themselves, all of whom are here: the machine does it in one instruction (ptxas puts a comparison of
/// the masks before it: cooperative groups of 8 and 16 lanes, whose executed instructions ncu counts so).
/// @return whether it was done. Else nothing was.
bool shuffle_in_groups(Warp& w, const Ins& i, u32 mask) {
  if (i.op != Op::shfl_up && i.op != Op::shfl_down && i.op != Op::shfl_bfly && i.op != Op::shfl_idx)
    return false;
  const u32 *const members = w.row<u32>(i.e), *const c = w.row<u32>(i.c);
  std::array<u32, 32> groups;  // the destination may take the masks' place
  u32 count = 0;
  for (u32 left = mask; left != 0; left &= ~groups[count++]) {
    const u32 first = static_cast<u32>(__builtin_ctz(left)), want = members[first], group = want & mask;
    if ((want & w.live & ~mask) != 0 || (segment_of(first, c[first]) & w.live) != group) return false;
    for (u32 others = group; others != 0; others &= others - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(others));
      if (members[l] != want || c[l] != c[first]) return false;
    }
    groups[count] = group;
  }
  if (count < 2) return false;
  Machine& machine = *w.machine;
  ++w.pc;
  machine.handlers[static_cast<std::size_t>(i.op)](w, i, mask);
  for (u32 n = 0; n < count; ++n)
    for (observe::Observer* o : machine.observers) o->warp_exchange(w.id, groups[n]);
  return true;
}

}  // namespace

u32 gathered(const Warp& w, const Split& split) {
  const Ins& i = w.machine->code.instructions[split.pc];
  u32 all = 0;
  for (const Split& s : w.splits) {
    if (s.state != Split::State::gather || s.want != split.want) continue;
    const Ins& other = w.machine->code.instructions[s.pc];
    if (s.pc == split.pc || (other.op == i.op && other.imm == i.imm)) all |= s.mask;
  }
  return all;
}

void gather(Warp& w, const Ins& i, u32 mask) {
  const u32 entered = w.mask;
  const u32* members = w.row<u32>(i.e);
  const bool one_mask = i.e & lower::kPoolBit;
  const u32 rest = mask & (one_mask ? *members : named_by_themselves(members, mask));
  if (rest != mask) [[unlikely]] {
    execute_unnamed(w, i, mask, mask & ~rest, members);
    if (!rest) return void(++w.pc);
    cut(w, rest, w.mask & ~rest, w.pc + 1);
    mask = rest;
  }
  const bool apart = w.mask != entered;
  if (!one_mask && !apart && shuffle_in_groups(w, i, mask)) return;
  const u32 want = members[__builtin_ctz(mask)];
  u32 group = mask;
  if (!one_mask)
    for (u32 left = mask; left; left &= left - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(left));
      if (members[l] != want) group &= ~(1u << l);
    }
  Machine& machine = *w.machine;
  const Handler handler = machine.handlers[static_cast<std::size_t>(i.op)];
  u32 all = group;
  bool together = false;
  if (group != w.mask || (want & w.live & ~group)) {
    cut(w, w.mask & ~(mask & ~group), mask & ~group, w.pc);
    cut(w, group, w.mask & ~group, w.pc + 1);
    for (const Split& s : w.splits)
      if (meets(w, s, i, want)) {
        all |= s.mask;
        together |= s.pc != w.pc || s.frame != w.frame;
      }
    if (want & w.live & ~all) {
      Split& s = w.splits[w.current];
      s.state = Split::State::gather;
      s.want = want;
      s.pc = w.pc;
      choose_split(w);
      return;
    }
    if (together) execute_together(w, i, all, want);
    for (Split& s : w.splits)
      if (meets(w, s, i, want)) {
        s.state = Split::State::running;
        ++s.pc;
      }
  }
  ++w.pc;
  if (!together) handler(w, i, all);
  // Those that have ended are taken to have come.
  const u32 met = all == w.live ? kFull : all | (want & ~w.live);
  for (observe::Observer* o : machine.observers)
    i.op == Op::bar_warp_sync ? o->warp_sync(w.id, met) : o->warp_exchange(w.id, met);
  if (all != group || apart) {
    save_split(w);
    merge_splits(w);
  }
}

}  // namespace simgpu::exec
