/// @file
/// The step loop.
#include <algorithm>
#include <utility>

#include "simgpu/exec/kept_rows.hpp"
#include "simgpu/exec/scoreboard.hpp"
#include "simgpu/exec/splits.hpp"
#include "simgpu/exec/straight.hpp"
#include "simgpu/exec/unwritten.hpp"
#include "simgpu/exec/warp_clock.hpp"
#include "simgpu/lower/builder.hpp"

namespace simgpu::exec {
namespace {

void unsupported(Warp& w, const Ins& i, u32 mask) {
  const observe::Site* site = w.machine->site_of(i);
  const u32 l = static_cast<u32>(__builtin_ctz(mask));
  std::string reason =
      i.op == Op::unsupported && static_cast<std::size_t>(i.imm) < w.machine->code.reasons.size()
          ? w.machine->code.reasons[static_cast<std::size_t>(i.imm)]
          : "not simulated";
  w.machine->fault(w, i, observe::FindingKind::unsupported_instruction, l,
                   "The simulated GPU cannot execute the instruction " +
                       (site ? site->name : std::string("?")) + " (" + reason + "); it was reached by " +
                       Machine::who(w, l) + ".");
}

/// Whether the kernel asks for the barrier of a whole grid.
bool syncs_grid(const Machine& m) {
  const auto& kernel = m.code.kernels[m.launch.kernel->entry];
  for (u32 f = kernel.first; f < kernel.last; ++f)
    for (u32 pc = m.code.functions[f].entry; pc < m.code.functions[f].end; ++pc) {
      const Ins& i = m.code.instructions[pc];
      if (i.op == Op::special_register && static_cast<lower::Special>(i.imm) == lower::Special::envreg2)
        return true;
    }
  return false;
}

/// The lane that sleeps longest holds the others of its warp: they share its clock. How often a warp sleeps that looks at a flag in between is
/// the simulator's affair, which runs warps in an order of its own: that is not counted.
void sleep(Warp& w, const Ins& i, u32 mask) {
  constexpr u32 kLongest = 1'000'000;  // [ns]
  const u32* const asked = w.row<u32>(i.a);
  u32 longest = 0;
  for (u32 l = 0; l < 32; ++l)
    if (mask >> l & 1) longest = std::max(longest, asked[l]);
  longest = std::min(longest, kLongest);
  if (!w.looked) w.slept += longest;
  if (w.clock) w.clock->wait_until(w.clock->now() + longest * 1e-9 * w.machine->launch.clock.hz);
}

/// The machine has predicates for a short branch: it executes what all lanes of @p w jump over, from @p from on, with all of them off.
void jump_over(Warp& w, u32 from) {
  w.machine->straight->skipped(from, w.pc);
  if (!w.scoreboard) return;
  for (u32 pc = from; pc < w.pc; ++pc) w.scoreboard->step(w, w.machine->code.instructions[pc], 0);
}

void control(Warp& w, const Ins& i, u32 mask) {
  switch (i.op) {
    case Op::bra:
      if (mask == w.mask) {
        const u32 end = w.pc;
        w.pc = i.aux;
        if (i.aux == end)
          spin_hint(w);  // for ever: what others still do comes first, then the scheduler says so
        else if (i.aux < end)
          begin_turn(w, end);
        else if (i.imm == lower::kBecomesPredicates)
          jump_over(w, end + 1);
      } else {
        const std::pair<u32, u32> groups[2] = {{w.pc + 1, w.mask & ~mask}, {i.aux, mask}};
        diverge(w, i.aux2, groups, 2);
      }
      return;
    case Op::ret:
      return ret(w, mask);
    case Op::exit:
      return exit_lanes(w, mask);
    case Op::call:
      return call(w, i, mask);
    case Op::bar_sync:
    case Op::bar_arrive:
    case Op::bar_red:
      return barrier_instruction(w, i, mask);
    case Op::brx_idx: {
      const auto& targets = w.machine->code.tables[i.aux].targets;
      const u32* index = w.row<u32>(i.a);
      std::pair<u32, u32> groups[33];
      std::size_t count = 0;
      if (w.mask & ~mask) groups[count++] = {w.pc + 1, w.mask & ~mask};
      for (u32 left = mask; left; left &= left - 1) {
        const u32 l = static_cast<u32>(__builtin_ctz(left));
        if (index[l] >= targets.size())
          return w.machine->fault(w, i, observe::FindingKind::illegal_instruction, l,
                                  Machine::who(w, l) + " branches beyond the end of a jump table.");
        std::size_t g = 0;
        while (g < count && groups[g].first != targets[index[l]]) ++g;
        if (g == count) groups[count++] = {targets[index[l]], 0};
        groups[g].second |= 1u << l;
      }
      if (count == 1)
        w.pc = groups[0].first;
      else
        diverge(w, i.aux2, groups, count);
      return;
    }
    case Op::trap:
    case Op::brkpt: {
      const u32 l = static_cast<u32>(__builtin_ctz(mask));
      std::string text =
          Machine::who(w, l) +
          " executed a trap (__trap(), or code that the compiler proved to be unreachable or undefined).";
      if (syncs_grid(*w.machine) && !w.machine->launch.cooperative)
        text +=
            " The kernel uses this_grid().sync(), which traps unless the kernel was launched by "
            "cudaLaunchCooperativeKernel.";
      return w.machine->fault(w, i, observe::FindingKind::trap, l, std::move(text));
    }
    case Op::nanosleep:
      ++w.pc;
      sleep(w, i, mask);
      spin_hint(w);
      w.looked = false;
      return;
    case Op::nop:
      ++w.pc;
      if (i.imm == 0) return;
      for (observe::Observer* o : w.machine->observers)
        i.imm == lower::kGridDependencyWait ? o->grid_dependency_wait(w.id, mask)
                                            : o->grid_dependency_trigger(w.id);
      return;
    case Op::barrier_cluster_arrive:
    case Op::barrier_cluster_wait:
      return cluster_barrier_instruction(w, i, mask);
    default:
      if (!async_instruction(w, i, mask)) unsupported(w, i, mask);
      return;
  }
}

/// Lanes that execute @p i: those of the current split that its guard lets through.
inline u32 active(const Warp& w, const Ins& i) {
  if (i.guard == lower::kNoGuard) return w.mask;
  const u32 p = *reinterpret_cast<const u32*>(w.base[0] + (i.guard >> 1));
  return w.mask & (i.guard & 1 ? ~p : p);
}

inline void follow_unwritten(Warp& w, const Ins& i, u32 mask) {
  if (!w.unwritten && !w.undefined) [[likely]]
    return;
  for (auto* const trail : {&w.unwritten, &w.undefined}) {
    if (!*trail) continue;
    (*trail)->step(w, i, mask);
    if ((*trail)->empty()) trail->reset();
  }
}

inline void time_before(Warp& w, const Ins& i, u32 mask) {
  if (w.scoreboard) w.scoreboard->step(w, i, mask);
  if (!w.clock) return;
  *w.machine->cost = {};
  w.clock->issue(w, i);
}
/// By now it is known what it cost.
inline void time_after(Warp& w, const Ins& i) {
  if (w.clock && i.cls == lower::Class::memory) w.clock->accessed(w, i, *w.machine->cost);
}

/// Runs @p n instructions of a straight stretch, or up to the one that ends the launch.
template <bool timed>
void run_straight(Warp& w, u32 n) {
  Machine& machine = *w.machine;
  const Handler* const handlers = machine.handlers;
  const Ins* i = machine.code.instructions.data() + w.pc;
  const Ins* const end = i + n;
  const u32 from = w.pc, all = w.mask;  // none of these instructions changes it
  const std::byte* const frame = w.base[0];
  w.budget -= n;
  w.pc += n;
  do {
    const Ins& ins = *i++;
    u32 mask = all;
    if (ins.guard != lower::kNoGuard) {
      u32 p;
      std::memcpy(&p, frame + (ins.guard >> 1), sizeof p);
      mask &= ins.guard & 1 ? ~p : p;
    }
    const bool attention = machine.attention;
    if (attention && machine.stop) [[unlikely]] {
      --i;
      break;
    }
    if (timed) time_before(w, ins, mask);
    if (attention) [[unlikely]]
      follow_unwritten(w, ins, mask);
    if (mask) handlers[static_cast<std::size_t>(ins.op)](w, ins, mask);
    if (timed) time_after(w, ins);
  } while (i != end);
  const auto left = static_cast<u32>(end - i);  // a fault ended the launch: these were not executed
  w.pc -= left;
  w.forfeited += left;
  machine.straight->ran(from, w.pc);
}

/// The same of a warp that nobody times, while no instruction has to be looked at.
/// @return false: the next one is a branch that lanes take.
bool run_steps(Warp& w, u32 n) {
  Machine& machine = *w.machine;
  StraightRuns& straight = *machine.straight;
  const u32 from = w.pc, to = from + n, all = w.mask;
  const ReadyIns* s = straight.steps_before(from);
  const ReadyIns* const end = straight.steps_before(to);
  const std::byte* const frame = w.base[0];
  w.budget -= n;
  w.pc = to;
  machine.stretch_shapes.fill(nullptr);
  for (; s != end; ++s) {
    u32 mask = all;
    if (s->ins.guard != lower::kNoGuard) {
      u32 p;
      std::memcpy(&p, frame + (s->ins.guard >> 1), sizeof p);
      mask &= s->ins.guard & 1 ? ~p : p;
      if (mask == 0) continue;
      if (s->run == nullptr) {
        w.pc = s->ins.b;
        break;
      }
    }
    s->run(w, s->ins, mask);
    if (machine.attention) [[unlikely]] {  // from the next one on
      w.pc = straight.pc_of(s) + 1;
      break;
    }
  }
  if (straight.owes(w.pc)) [[unlikely]]
    straight.pay(w, w.pc, all);
  if (machine.counted.by) [[unlikely]]  // it has not come to the last of its loads
    machine.counted.end(w.id);
  straight.ran(from, w.pc);
  if (w.pc == to) return true;
  (machine.stop ? w.forfeited : w.budget) += to - w.pc;
  return s->run != nullptr;
}

}  // namespace

void run_warp(Warp& w) {
  Machine& machine = *w.machine;
  const Ins* code = machine.code.instructions.data();
  const Handler* handlers = machine.handlers;
  StraightRuns& straight = *machine.straight;
  ++w.id.turn;
  while (w.budget > 0 && w.status == Warp::Status::ready) {
    if (w.pc == w.rpc) {
      arrive(w);
      continue;
    }
    // The warp goes on here in its next turn, with what is left of its quantum: no other lanes take over.
    if ((code[w.pc].flags & lower::kWaits) && w.budget < w.turn) return;
    if (!w.timed && !machine.attention) {
      const u32 length = straight.ready_length(w.pc);
      if (length != 0 && run_steps(w, static_cast<u32>(std::min<s64>(length, w.budget)))) continue;
    } else if (const u32 length = straight.length(w.pc)) {
      const auto n = static_cast<u32>(std::min<s64>(length, w.budget));
      w.timed ? run_straight<true>(w, n) : run_straight<false>(w, n);
      continue;
    }
    const Ins& i = code[w.pc];
    const u32 mask = active(w, i);
    ++machine.executions[i.site];
    --w.budget;
    if (w.timed) time_before(w, i, mask);
    follow_unwritten(w, i, mask);
    if (mask == 0) {
      ++w.pc;
    } else if (i.flags & lower::kGather) {
      gather(w, i, mask);
    } else if (const Handler h = handlers[static_cast<std::size_t>(i.op)]) {
      ++w.pc;
      h(w, i, mask);
    } else {
      control(w, i, mask);
    }
    if (w.timed) time_after(w, i);
  }
  end_turn(w);
}

void start_warp(Machine& machine, Block& block, Warp& w, u32 index) {
  const u32 threads = static_cast<u32>(machine.launch.block.count());
  w.machine = &machine;
  w.block = &block;
  w.threads = std::min(32u, threads - index * 32);
  w.live = w.threads == 32 ? kFull : (1u << w.threads) - 1;
  // One by one: put together elsewhere and copied, the host would wait for itself.
  w.id.block_linear = block.linear;
  w.id.block = block.index;
  w.id.warp = index;
  w.id.sm = block.sm;
  w.id.slot = block.slot;
  w.id.turn = 0;
  const lower::Function& f = machine.entry;
  Frame& k = w.kernel_frame;
  if (k.function != &f || k.storage.empty()) {
    k.storage.assign(f.frame_bytes + 128, std::byte{0});
    const auto at = reinterpret_cast<std::uintptr_t>(k.storage.data());
    k.rows = k.storage.data() + ((at + 127) / 128 * 128 - at);
    k.function = &f;
  }
  for (const auto& r : f.zeroed) std::memset(k.rows + r.offset, 0, r.bytes);
  k.live = w.live;
  machine.kept->give_to(w, machine, index);
  w.splits.clear();
  w.meets.clear();
  w.spins = w.hints = 0;
  w.looked = false;
  w.slept = w.executed = 0;
  w.budget = 0;
  if (machine.uses_copies) {
    w.copies.reset();
    w.bulk_stores.reset();
  }
  w.waits = false;
  w.unwritten.reset();
  w.undefined.reset();
  if (std::exchange(w.met_cluster, false)) w.cluster_ticket.fill(0);
  if (machine.code.kernels[machine.launch.kernel->entry].alloca_bytes != 0) w.stack.fill(0);
  Split s;
  s.pc = f.entry;
  s.mask = w.live;
  s.frame = &k;
  w.splits.push_back(s);
  load_split(w, 0);
  w.status = Warp::Status::ready;
}

}  // namespace simgpu::exec
