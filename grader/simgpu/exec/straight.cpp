/// @file
/// See straight.hpp.
#include "simgpu/exec/straight.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "simgpu/exec/kept_rows.hpp"
#include "simgpu/lower/builder.hpp"

namespace simgpu::exec {
namespace {

/// Whether @p i leaves its warp where it is, and needs to know nothing of where that is.
bool is_straight(const Machine& m, const Ins& i) {
  if (m.handlers[static_cast<std::size_t>(i.op)] == nullptr || (i.flags & lower::kGather)) return false;
  switch (i.op) {
    case Op::special_register:  // a clock tells what was executed before it
      return !lower::is_clock(static_cast<lower::Special>(i.imm));
    case Op::ld_global:
    case Op::ld_shared:
    case Op::ld_any:
    case Op::atom:
      return !m.code.memory_ops[i.aux].spin_hint;
    default:
      return true;
  }
}

bool is_plain_access(Op op) {
  return op == Op::ld_global || op == Op::st_global || op == Op::ld_shared || op == Op::st_shared;
}
/// @return count: it is none.
WordAccess word_access(const Machine& m, const Ins& i) {
  if (!is_plain_access(i.op)) return WordAccess::count;
  const MemoryOp& op = m.code.memory_ops[i.aux];
  if (op.element_bytes != 4 || op.registers_wide != 0 || op.has_policy || op.spin_hint)
    return WordAccess::count;
  if (op.count != 1) return i.op == Op::ld_shared ? WordAccess::counted_ld_shared : WordAccess::count;
  switch (i.op) {
    case Op::ld_global:
      return WordAccess::ld_global;
    case Op::st_global:
      return WordAccess::st_global;
    case Op::ld_shared:
      return WordAccess::ld_shared;
    case Op::st_shared:
      return WordAccess::st_shared;
    default:
      return WordAccess::count;
  }
}

/// Calls f(operand) for each register that @p i writes.
template <class F>
void each_written(const lower::Code& code, const Ins& i, F&& f) {
  lower::each_operand(i, i.defs, f);
  if (i.flags & lower::kVector) lower::each_result(code.memory_ops[i.aux], f);
  if (i.flags & lower::kMatrix)
    for (const Operand o : code.matrix_ops[i.aux2].results) f(o);
}

/// Of units that never touch memory.
bool is_arithmetic(lower::Class c) {
  return c <= lower::Class::conversion;
}

bool are_alike(const observe::MachineAccesses* a, const observe::MachineAccesses* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->count == b->count && a->alike == b->alike &&
         std::equal(a->parts.begin(), a->parts.begin() + a->count, b->parts.begin(),
                    [](const auto& x, const auto& y) { return x.offset == y.offset && x.bytes == y.bytes; });
}
/// In all that no execution adds.
bool are_alike(const observe::Access& x, const observe::Access& y) {
  const auto of = [](const observe::Access& a) {
    return std::tuple(a.memory, a.kind, a.hint, a.ordering, a.scope, a.bytes, a.non_coherent, a.evict_first,
                      a.asynchronous, a.adds_one, a.indexed, a.uniform_pieces, a.uniform, a.one_address,
                      a.cost);
  };
  return of(x) == of(y) && are_alike(x.machine, y.machine);
}
u32 number_of(std::vector<observe::Access>& all, observe::Access access) {
  access.mask = kFull;
  const auto same =
      std::find_if(all.begin(), all.end(), [&](const observe::Access& a) { return are_alike(a, access); });
  const auto number = static_cast<u32>(same - all.begin());
  if (same == all.end()) all.push_back(access);
  return number;
}

}  // namespace

void StraightRuns::prepare(Machine& m) {
  const auto& kernel = m.code.kernels[m.launch.kernel->entry];
  const auto& functions = m.code.functions;
  first_ = functions[kernel.first].entry;
  u32 end = first_;
  for (u32 f = kernel.first; f < kernel.last; ++f) {
    first_ = std::min(first_, functions[f].entry);
    end = std::max(end, functions[f].end);
  }
  length_.assign(end - first_ + 1, 0);
  ready_length_.assign(end - first_ + 1, 0);
  changes_.assign(end - first_ + 1, 0);
  off_.assign(end - first_ + 1, 0);
  owing_.assign(end - first_ + 1, 0);
  std::vector<bool> meets(end - first_ + 1);
  for (u32 f = kernel.first; f < kernel.last; ++f)
    for (u32 pc = functions[f].entry; pc < functions[f].end; ++pc) {
      const Ins& i = m.code.instructions[pc];
      if ((i.op == Op::bra || i.op == Op::brx_idx) && i.aux2 >= first_ && i.aux2 < end)
        meets[i.aux2 - first_] = true;
    }
  for (u32 f = kernel.first; f < kernel.last; ++f) {
    u32 length = 0, ready_length = 0;
    for (u32 pc = functions[f].end; pc-- > functions[f].entry;) {
      const Ins& i = m.code.instructions[pc];
      const bool straight = is_straight(m, i), may_go_on = i.op == Op::bra && i.guard != lower::kNoGuard;
      const auto longer = [](u32 by_one) {
        return std::min<u32>(by_one + 1, std::numeric_limits<u16>::max());
      };
      length = straight ? longer(length) : 0;
      ready_length = straight || may_go_on ? longer(ready_length) : 0;
      length_[pc - first_] = static_cast<u16>(length);
      ready_length_[pc - first_] = static_cast<u16>(ready_length);
      if (meets[pc - first_] || (i.flags & lower::kWaits)) length = ready_length = 0;
    }
  }
  make_steps(m, end);
}

void StraightRuns::make_steps(Machine& m, u32 end) {
  std::vector<bool> filled(end - first_);
  if (m.kept->filled())
    for (const auto* fills : {&m.entry.fills_kept_by_all, &m.entry.fills_kept_by_warp})
      for (const u32 pc : *fills) filled[pc - first_] = true;
  steps_.reserve(end - first_);
  first_step_.resize(end - first_ + 1);
  std::vector<Kind> kinds;
  std::vector<u32> pcs;  // of the steps
  bool begins = true;
  for (u32 pc = first_; pc < end; ++pc) {
    first_step_[pc - first_] = static_cast<u32>(steps_.size());
    if (pc == first_ || ready_length_[pc - first_] + 1 != ready_length_[pc - first_ - 1]) begins = true;
    const Ins& i = m.code.instructions[pc];
    if (ready_length_[pc - first_] == 0 || filled[pc - first_]) continue;
    steps_.push_back({m.handlers[static_cast<std::size_t>(i.op)], i});
    kinds.push_back({word_access(m, i), std::exchange(begins, false)});
    pcs.push_back(pc);
    if (i.op == Op::bra) steps_.back().ins.b = pc;
    if (kinds.back().access == WordAccess::count) continue;
    ReadyIns& word = steps_.back();
    const MemoryOp& op = m.code.memory_ops[i.aux];
    if (op.count == 1) word.run = handler_of(m.handlers, kinds.back().access);
    word.ins.aux2 = kLaneBytes * op.total_bytes + (op.wide_address ? u32{kWideWordAddress} : 0);
    word.ins.d = op.registers[0];
    word.ins.b = number_of(m.stretch_accesses, m.access_of(i, op));
  }
  first_step_[end - first_] = static_cast<u32>(steps_.size());
  fold_sums(m, kinds, pcs);
  share_shapes(m.code, kinds);
  count_loads(m, kinds);
}

u32 StraightRuns::pc_of(const ReadyIns* step) const noexcept {
  const auto number = static_cast<u32>(step - steps_.data());
  const auto behind = std::upper_bound(first_step_.begin(), first_step_.end(), number);
  return first_ + static_cast<u32>(behind - first_step_.begin()) - 1;
}

/// A sum of what all warps have and a register's values, which is nothing but the address of one access behind it in its stretch (lower/addresses.cpp):
/// lanes lie as that register says, so that the access adds the other one to the first lane's. The sum has no step then. It is executed after all
/// where the access is none of a known shape, and where a warp leaves the stretch between the two.
void StraightRuns::fold_sums(const Machine& m, std::vector<Kind>& kinds, const std::vector<u32>& pcs) {
  const auto writes = [&](const Ins& i, Operand o) {
    bool any = false;
    each_written(m.code, i, [&](Operand d) { any = any || d == o; });
    return any;
  };
  const auto by_all = [](Operand o) {
    return lower::is_kept(o) && (o & lower::kKeptByAll) == lower::kKeptByAll;
  };
  std::vector<bool> gone(steps_.size());
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    const Ins& sum = m.code.instructions[pcs[n]];
    if (sum.op != Op::add_b64 || !(sum.flags & lower::kOnlyAddress) || by_all(sum.a) == by_all(sum.b))
      continue;
    const Operand uniform = by_all(sum.a) ? sum.a : sum.b, lanes = by_all(sum.a) ? sum.b : sum.a;
    if (lanes & lower::kPoolBit) continue;
    for (std::size_t k = n + 1; k < steps_.size() && !kinds[k].begins; ++k) {
      const Ins& i = m.code.instructions[pcs[k]];
      const bool plain = kinds[k].access == WordAccess::ld_global || kinds[k].access == WordAccess::st_global;
      if (plain && i.guard == lower::kNoGuard && i.a == sum.d && (steps_[k].ins.aux2 & kWideWordAddress)) {
        Ins& access = steps_[k].ins;
        access.a = lanes;
        access.c = uniform;
        access.e = pcs[n];
        access.f = pcs[k];
        access.aux2 |= kPlusUniform;
        folded_.push_back({pcs[n], pcs[k]});
        gone[n] = true;
        break;
      }
      if (writes(i, lanes) || writes(i, sum.d) || i.op == Op::bra) break;
    }
  }
  if (folded_.empty()) return;
  for (const Folded& f : folded_)
    for (u32 pc = f.sum + 1; pc <= f.access; ++pc) owing_[pc - first_] = 1;
  // Without their steps.
  std::vector<u32> now(steps_.size() + 1);  // numbers of those that stay
  std::size_t to = 0;
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    now[n] = static_cast<u32>(to);
    if (gone[n]) {
      if (kinds[n].begins && n + 1 < steps_.size()) kinds[n + 1].begins = true;
      continue;
    }
    steps_[to] = steps_[n];
    kinds[to++] = kinds[n];
  }
  now[steps_.size()] = static_cast<u32>(to);
  steps_.resize(to);
  kinds.resize(to);
  for (u32& step : first_step_) step = now[step];
}

void StraightRuns::pay(Warp& w, u32 pc, u32 mask) const {
  for (const Folded& f : folded_) {
    if (pc <= f.sum || pc > f.access) continue;
    const Ins& sum = w.machine->code.instructions[f.sum];
    w.machine->handlers[static_cast<std::size_t>(sum.op)](w, sum, mask);
  }
}

/// Accesses of one stretch that have their address from the same register, which nobody writes in between: what lanes lie like one another in the
/// first do so in all.
void StraightRuns::share_shapes(const lower::Code& code, const std::vector<Kind>& kinds) {
  struct Known {
    ReadyIns* leader = nullptr;
    Operand address = lower::kNoOperand;
    u32 lane_bytes = 0;
  };
  std::array<Known, kShapeSlots> known;  // by place in Machine::stretch_shapes
  u32 next = 0;
  const auto written = [&](Operand o) {
    for (Known& k : known)
      if (k.address == o) k = {};
  };
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    Ins& i = steps_[n].ins;
    if (kinds[n].begins) known.fill({});
    if (kinds[n].access != WordAccess::count && i.guard == lower::kNoGuard) {
      const u32 bytes = i.aux2 / kLaneBytes;
      const auto same = std::find_if(known.begin(), known.end(), [&](const Known& k) {
        return k.address == i.a && k.lane_bytes == bytes;
      });
      if (same == known.end()) {
        known[next++ % known.size()] = {&steps_[n], i.a, bytes};
      } else {
        const auto slot = static_cast<u32>(same - known.begin());
        if (!(same->leader->ins.aux2 & kLeadsShape)) same->leader->ins.aux2 |= kLeadsShape | slot;
        i.aux2 |= kFollowsShape | slot;
      }
    }
    each_written(code, i, written);
  }
}

/// Several loads of shared memory with nothing but arithmetic between them, which observers are not told of.
void StraightRuns::count_loads(const Machine& m, const std::vector<Kind>& kinds) {
  constexpr std::size_t kFewest = 4;
  std::vector<ReadyIns*> loads;
  const auto close = [&] {
    if (loads.size() >= kFewest) {
      for (ReadyIns* const load : loads) load->run = handler_of(m.handlers, WordAccess::counted_ld_shared);
      loads.front()->ins.aux2 |= kBeginsCount;
      loads.back()->ins.aux2 |= kEndsCount;
    }
    loads.clear();
  };
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    Ins& i = steps_[n].ins;
    if (kinds[n].begins) close();
    if (is_arithmetic(i.cls) || i.op == Op::bra) continue;
    const bool loads_shared =
        kinds[n].access == WordAccess::ld_shared || kinds[n].access == WordAccess::counted_ld_shared;
    const observe::MachineAccesses* machine = loads_shared ? m.stretch_accesses[i.b].machine : nullptr;
    if (!loads_shared || i.guard != lower::kNoGuard || (machine && !machine->alike)) {
      close();
      continue;
    }
    i.aux2 |= kMachineLoads * (machine ? machine->count : 1);
    loads.push_back(&steps_[n]);
  }
  close();
}

std::vector<u64> StraightRuns::off() const {
  std::vector<u64> all(off_.size());
  u64 n = 0;
  for (std::size_t k = 0; k < off_.size(); ++k) all[k] = n += off_[k];
  return all;
}

void StraightRuns::add_to(std::vector<u64>& executions, const lower::Code& code) {
  u64 n = 0;
  for (std::size_t k = 0; k < changes_.size(); ++k) {
    n += changes_[k];
    changes_[k] = 0;
    if (n) executions[code.instructions[first_ + k].site] += n;
  }
}

}  // namespace simgpu::exec
