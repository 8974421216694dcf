/// @file
/// The step loop, and what happens when the lanes of a warp go different ways.
///
/// Diverged lanes form splits that take turns, so that a thread waiting for another one of its warp lets it
/// run (a spin lock finishes). Where a branch's ways meet again (its immediate post-dominator), the splits
/// wait for one another and go on as one; but that is for speed and like hardware only: lanes that have
/// waited too long are let go alone.
#include <algorithm>

#include "simgpu/exec/scoreboard.hpp"
#include "simgpu/exec/state.hpp"

namespace simgpu::exec {
namespace {

/// Deepest nesting of calls; hardware ends with a stack overflow too, much later or earlier.
constexpr u32 kMaxDepth = 256;
/// Patience with waiting lanes: a spin hint costs kHintCost, the end of a turn 1; at kPatience lanes that
/// wait to reconverge are released.
constexpr u32 kPatience = 400, kHintCost = 12;
/// Hints in one turn after which the warp gives up the rest of its turn.
constexpr u32 kHintsPerTurn = 8;

s32 new_meet(Warp& w, const Reconvergence& r) {
  for (std::size_t n = 0; n < w.meets.size(); ++n)
    if (!w.meets[n].used) return w.meets[n] = r, static_cast<s32>(n);
  w.meets.push_back(r);
  return static_cast<s32>(w.meets.size() - 1);
}

u32 rpc_under(const Warp& w, s32 parent) {
  return parent < 0 || w.meets[static_cast<std::size_t>(parent)].call
             ? kNoRpc
             : w.meets[static_cast<std::size_t>(parent)].pc;
}

void add_split(Warp& w, u32 pc, u32 mask, s32 parent, Frame* frame) {
  Split s;
  s.pc = pc;
  s.mask = mask;
  s.parent = parent;
  s.rpc = rpc_under(w, parent);
  s.frame = frame;
  w.splits.push_back(s);
}

/// If all lanes of entry @p index have come, they go on as one split.
void complete_if_full(Warp& w, s32 index) {
  Reconvergence& e = w.meets[static_cast<std::size_t>(index)];
  if (e.arrived != e.mask) return;
  e.used = false;
  if (e.mask) add_split(w, e.pc, e.mask, e.parent, e.frame);
}

void remove_current(Warp& w) {
  w.splits[w.current] = w.splits.back();
  w.splits.pop_back();
  w.current = kNoRpc;
}

/// Lanes leave the entries from @p index up (to the nearest call's entry if @p to_call), never to arrive
/// there.
s32 leave(Warp& w, s32 index, u32 lanes, bool to_call) {
  while (index >= 0) {
    Reconvergence& e = w.meets[static_cast<std::size_t>(index)];
    if (to_call && e.call) return index;
    const s32 parent = e.parent;
    e.mask &= ~lanes;
    e.arrived &= ~lanes;
    complete_if_full(w, index);
    index = parent;
  }
  return -1;
}

void arrive(Warp& w) {
  const s32 parent = w.splits[w.current].parent;
  w.meets[static_cast<std::size_t>(parent)].arrived |= w.mask;
  remove_current(w);
  complete_if_full(w, parent);
  choose_split(w);
}

/// Replaces the current split by up to 32 groups, which meet again at @p meet (kNoPc: only when they end).
void diverge(Warp& w, u32 meet, const std::pair<u32, u32>* groups, std::size_t count) {
  s32 parent = w.splits[w.current].parent;
  if (meet != lower::kNoPc && meet != w.rpc) {
    Reconvergence e;
    e.pc = meet;
    e.mask = w.mask;
    e.parent = parent;
    e.frame = w.frame;
    e.used = true;
    parent = new_meet(w, e);
  }
  Frame* frame = w.frame;
  Split& s = w.splits[w.current];
  s.parent = parent;
  s.rpc = w.rpc = rpc_under(w, parent);
  w.pc = groups[0].first;
  w.mask = groups[0].second;
  save_split(w);
  for (std::size_t g = 1; g < count; ++g) add_split(w, groups[g].first, groups[g].second, parent, frame);
}

Frame* new_frame(Warp& w, const lower::Function& f) {
  Frame* frame;
  if (w.free_frames.empty()) {
    frame = &w.frame_store.emplace_back();
  } else {
    frame = w.free_frames.back();
    w.free_frames.pop_back();
  }
  if (frame->storage.size() < f.frame_bytes + 128) frame->storage.resize(f.frame_bytes + 128);
  const auto at = reinterpret_cast<std::uintptr_t>(frame->storage.data());
  frame->rows = frame->storage.data() + ((at + 127) / 128 * 128 - at);
  frame->function = &f;
  for (const auto& r : f.zeroed) std::memset(frame->rows + r.offset, 0, r.bytes);
  return frame;
}

/// Copies parameter bytes of lanes @p mask between two frames' parameter areas.
void copy_params(Frame& to, u32 to_offset, const Frame& from, u32 from_offset, u32 bytes, u32 mask) {
  for (; mask; mask &= mask - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(mask));
    std::memcpy(to.rows + to.function->param_base + l * to.function->param_stride + to_offset,
                from.rows + from.function->param_base + l * from.function->param_stride + from_offset, bytes);
  }
}

void call(Warp& w, const Ins& i, u32 mask) {
  const lower::CallOp& op = w.machine->code.calls[i.aux];
  Machine& machine = *w.machine;
  if (op.builtin != lower::Builtin::none) {
    ++w.pc;
    return call_builtin(w, i, op, mask);
  }
  const auto& kernel = machine.code.kernels[machine.launch.kernel->entry];
  std::pair<u32, u32> groups[32];  // function, lanes
  std::size_t count = 0;
  if (!op.indirect) {
    groups[count++] = {op.function, mask};
  } else {
    const u64* target = w.row<u64>(i.a);
    for (u32 left = mask; left; left &= left - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(left));
      u32 function = 0xFFFF'FFFFu;
      for (u32 f = kernel.first; f < kernel.last; ++f)
        if (target[l] == lower::kFunctionBase + 16ull * machine.code.functions[f].module_index) function = f;
      if (function == 0xFFFF'FFFFu)
        return machine.fault(w, i, observe::FindingKind::bad_call, l,
                             Machine::who(w, l) +
                                 " calls a function through a pointer that does not hold a device function's "
                                 "address; set the pointer in device code.",
                             observe::Memory::global, target[l]);
      std::size_t g = 0;
      while (g < count && groups[g].first != function) ++g;
      if (g == count) groups[count++] = {function, 0};
      groups[g].second |= 1u << l;
    }
  }
  const u32 lane = static_cast<u32>(__builtin_ctz(mask));
  if (w.frame->depth + 1 > kMaxDepth)
    return machine.fault(w, i, observe::FindingKind::stack_overflow, lane,
                         Machine::who(w, lane) + " has called functions " + std::to_string(kMaxDepth) +
                             " deep; a recursion seems to have no end.");
  Reconvergence e;
  e.pc = w.pc + 1;
  e.mask = w.mask;
  e.arrived = w.mask & ~mask;
  e.parent = w.splits[w.current].parent;
  e.frame = w.frame;
  e.call = e.used = true;
  const s32 meet = new_meet(w, e);
  Frame* caller = w.frame;
  for (std::size_t g = 0; g < count; ++g) {
    const lower::Function& f = machine.code.functions[groups[g].first];
    if (f.parameters.size() != op.arguments.size())
      return machine.fault(
          w, i, observe::FindingKind::bad_call, lane,
          Machine::who(w, lane) + " calls " + f.name + " with the wrong number of arguments.");
    Frame* frame = new_frame(w, f);
    frame->caller = caller;
    frame->call = &op;
    frame->live = groups[g].second;
    frame->depth = caller->depth + 1;
    frame->stack = w.stack;
    frame->local_base = (caller->local_base + caller->function->local_bytes + 15) / 16 * 16;
    if (frame->local_base + f.local_bytes + kernel.alloca_bytes > machine.local_bytes)
      return machine.fault(w, i, observe::FindingKind::stack_overflow, lane,
                           Machine::who(w, lane) + " has used up its stack of " +
                               std::to_string(machine.local_bytes) + " bytes by calling " + f.name + ".");
    for (std::size_t a = 0; a < op.arguments.size(); ++a)
      copy_params(*frame, f.parameters[a].offset, *caller, op.arguments[a].offset,
                  std::min(f.parameters[a].bytes, op.arguments[a].bytes), frame->live);
    if (g == 0) {
      Split& s = w.splits[w.current];
      s.parent = meet;
      s.frame = frame;
      s.pc = f.entry;
      s.mask = frame->live;
      s.rpc = kNoRpc;
    } else {
      add_split(w, f.entry, frame->live, meet, frame);
    }
  }
  load_split(w, w.current);
}

void ret(Warp& w, u32 mask) {
  Frame* frame = w.frame;
  if (frame->depth == 0) return exit_lanes(w, mask);
  for (std::size_t r = 0; r < frame->call->results.size() && r < frame->function->results.size(); ++r)
    copy_params(*frame->caller, frame->call->results[r].offset, *frame, frame->function->results[r].offset,
                std::min(frame->call->results[r].bytes, frame->function->results[r].bytes), mask);
  for (u32 l = 0; l < 32; ++l)
    if (mask >> l & 1) w.stack[l] = frame->stack[l];
  const s32 parent = w.splits[w.current].parent;
  w.mask &= ~mask;
  ++w.pc;
  save_split(w);
  const bool all = w.mask == 0;
  if (all) remove_current(w);
  const s32 meet = leave(w, parent, mask, true);
  frame->live &= ~mask;
  if (frame->live == 0) w.free_frames.push_back(frame);
  if (meet >= 0) {
    w.meets[static_cast<std::size_t>(meet)].arrived |= mask;
    complete_if_full(w, meet);
  }
  if (all) choose_split(w);
}

/// The current split keeps @p keep; lanes @p other form a split of their own at @p pc.
void cut(Warp& w, u32 keep, u32 other, u32 pc) {
  if (!other) return;
  w.mask = keep;
  save_split(w);
  add_split(w, pc, other, w.splits[w.current].parent, w.frame);
}

/// A *.sync instruction: runs once all the lanes that its mask names have come.
void gather(Warp& w, const Ins& i, u32 mask) {
  const u32* members = w.row<u32>(i.e);
  const u32 want = members[__builtin_ctz(mask)];
  u32 group = mask;
  if (!(i.e & lower::kPoolBit))
    for (u32 left = mask; left; left &= left - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(left));
      if (members[l] != want) group &= ~(1u << l);
    }
  Machine& machine = *w.machine;
  if (group & ~want) {
    const u32 l = static_cast<u32>(__builtin_ctz(group & ~want));
    return machine.fault(
        w, i, observe::FindingKind::illegal_instruction, l,
        Machine::who(w, l) +
            " executes a warp-wide instruction whose member mask does not name its own lane; the "
            "result is undefined. Include every lane that executes it in the mask.");
  }
  const Handler handler = machine.handlers[static_cast<std::size_t>(i.op)];
  u32 all = group;
  if (group != w.mask || (want & w.live & ~group)) {
    cut(w, w.mask & ~(mask & ~group), mask & ~group, w.pc);
    cut(w, group, w.mask & ~group, w.pc + 1);
    for (const Split& s : w.splits)
      if (s.state == Split::State::gather && s.pc == w.pc && s.frame == w.frame && s.want == want)
        all |= s.mask;
    if (want & w.live & ~all) {
      Split& s = w.splits[w.current];
      s.state = Split::State::gather;
      s.want = want;
      s.pc = w.pc;
      choose_split(w);
      return;
    }
    for (Split& s : w.splits)
      if (s.state == Split::State::gather && s.pc == w.pc && s.frame == w.frame && s.want == want) {
        s.state = Split::State::running;
        ++s.pc;
      }
  }
  ++w.pc;
  handler(w, i, all);
  for (observe::Observer* o : machine.observers) o->warp_sync(w.id, all);
  if (all != group) {
    save_split(w);
    merge_splits(w);
  }
}

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

void control(Warp& w, const Ins& i, u32 mask) {
  switch (i.op) {
    case Op::bra:
      if (mask == w.mask) {
        w.pc = i.aux;
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
      return w.machine->fault(w, i, observe::FindingKind::trap, l,
                              Machine::who(w, l) +
                                  " executed a trap (__trap(), or code that the compiler proved to be "
                                  "unreachable or undefined).");
    }
    case Op::nanosleep:
      ++w.pc;
      return spin_hint(w);
    case Op::nop:
      ++w.pc;
      return;
    case Op::barrier_cluster_arrive:
    case Op::barrier_cluster_wait:
      return cluster_barrier_instruction(w, i, mask);
    default:
      if (!async_instruction(w, i, mask)) unsupported(w, i, mask);
      return;
  }
}

/// Lets lanes that wait to reconverge go on alone. @return whether there were any.
bool release_waiting(Warp& w) {
  bool any = false;
  for (std::size_t n = 0; n < w.meets.size(); ++n) {
    Reconvergence& e = w.meets[n];
    if (!e.used || !e.arrived) continue;
    const u32 lanes = e.arrived;
    e.mask &= ~lanes;
    e.arrived = 0;
    add_split(w, e.pc, lanes, e.parent, e.frame);
    any = true;
  }
  w.spins = 0;
  return any;
}

bool any_waiting(const Warp& w) {
  if (!w.waits) return false;
  return std::any_of(w.splits.begin(), w.splits.end(),
                     [](const Split& s) { return s.state == Split::State::waiting; });
}

/// Part of a warp waits at a __syncthreads() that the rest has gone around: finds such a split.
const Split* bypassed_barrier(const Warp& w) {
  for (const Split& s : w.splits) {
    if (s.state != Split::State::barrier) continue;
    for (s32 p = s.parent; p >= 0; p = w.meets[static_cast<std::size_t>(p)].parent) {
      const Reconvergence& e = w.meets[static_cast<std::size_t>(p)];
      const Op next = w.machine->code.instructions[e.pc].op;
      // Lanes that have nothing left to do but end are like lanes that ended before the barrier: allowed.
      if (e.arrived && !(e.frame->depth == 0 && (next == Op::ret || next == Op::exit))) return &s;
    }
  }
  return nullptr;
}

void report_divergent_barrier(Warp& w, const Split& s, u32 missing) {
  const Ins& i = w.machine->code.instructions[s.pc];
  const u32 lane = static_cast<u32>(__builtin_ctz(s.mask));
  const u32 other = missing ? static_cast<u32>(__builtin_ctz(missing)) : lane;
  const observe::Dim3 t = w.machine->thread_of(w, other);
  w.machine->fault(w, i, observe::FindingKind::divergent_barrier, lane,
                   Machine::who(w, lane) + " waits at a __syncthreads() that thread (" + std::to_string(t.x) +
                       "," + std::to_string(t.y) + "," + std::to_string(t.z) +
                       ") of the same warp does not reach; all threads of a block must reach the same "
                       "__syncthreads(), so move it out of the branch or loop.",
                   observe::Memory::shared);
}

}  // namespace

void save_split(Warp& w) {
  if (w.current >= w.splits.size()) return;
  Split& s = w.splits[w.current];
  s.pc = w.pc;
  s.mask = w.mask;
  s.rpc = w.rpc;
}

void load_split(Warp& w, u32 index) {
  Split& s = w.splits[index];
  w.current = index;
  w.pc = s.pc;
  w.mask = s.mask;
  w.rpc = s.rpc;
  w.frame = s.frame;
  w.base[0] = s.frame->rows;
}

void merge_splits(Warp& w) {
  for (std::size_t a = 0; a < w.splits.size(); ++a)
    for (std::size_t b = w.splits.size(); b-- > a + 1;) {
      Split &x = w.splits[a], &y = w.splits[b];
      if (x.state != Split::State::running || y.state != Split::State::running || x.pc != y.pc ||
          x.parent != y.parent || x.frame != y.frame)
        continue;
      x.mask |= y.mask;
      const auto last = static_cast<u32>(w.splits.size() - 1);
      if (w.current == b)
        w.current = static_cast<u32>(a);
      else if (w.current == last)
        w.current = static_cast<u32>(b);
      y = w.splits.back();
      w.splits.pop_back();
    }
  if (w.current < w.splits.size()) load_split(w, w.current);
}

bool release_reconverging(Warp& w) {
  if (w.live == 0 || !release_waiting(w)) return false;
  merge_splits(w);
  choose_split(w);
  return true;
}

void wait_here(Warp& w, u32 mask) {
  if (w.mask & ~mask) {
    const u32 others = w.mask & ~mask;
    w.mask = mask;
    save_split(w);
    Split rest = w.splits[w.current];
    rest.mask = others;
    rest.pc = w.pc + 1;
    rest.timed_out = false;
    w.splits.push_back(rest);
  }
  save_split(w);
  w.splits[w.current].state = Split::State::waiting;
  w.waits = true;
  choose_split(w);
}

bool choose_split(Warp& w) {
  for (;;) {
    for (std::size_t n = w.splits.size(); n-- > 0;)
      if (w.splits[n].state == Split::State::running) {
        w.status = Warp::Status::ready;
        load_split(w, static_cast<u32>(n));
        return true;
      }
    w.current = kNoRpc;
    if (w.live == 0) break;
    if (const Split* s = bypassed_barrier(w)) {
      report_divergent_barrier(w, *s, w.live & ~s->mask);
      return false;
    }
    // Lanes at an mbarrier come back as a rule: the others wait for them where their ways meet. If nothing else can
    // go on, the scheduler lets them go.
    if (any_waiting(w) || !release_waiting(w)) break;
  }
  w.status = w.live ? Warp::Status::blocked : Warp::Status::done;
  if (w.live) {
    bool arrived = false;
    const Split* partial = nullptr;
    for (const Split& s : w.splits) {
      arrived |= s.state == Split::State::arrived;
      if (s.state == Split::State::barrier) partial = &s;
    }
    if (partial && !arrived && !any_waiting(w))
      report_divergent_barrier(w, *partial, w.live & ~partial->mask);
  }
  return false;
}

void spin_hint(Warp& w) {
  if (w.splits.size() > 1 || !w.meets.empty()) {
    w.spins += kHintCost;
    save_split(w);
    if (w.spins >= kPatience) release_waiting(w);
    if (w.splits.size() > 1) {
      merge_splits(w);
      for (std::size_t step = 1; step <= w.splits.size(); ++step) {
        const std::size_t n = (w.current + step) % w.splits.size();
        if (w.splits[n].state == Split::State::running) {
          load_split(w, static_cast<u32>(n));
          break;
        }
      }
    }
  }
  if (++w.hints >= kHintsPerTurn) {
    w.forfeited += w.budget;
    w.budget = 0;
  }
}

void exit_lanes(Warp& w, u32 mask) {
  const s32 parent = w.splits[w.current].parent;
  w.mask &= ~mask;
  ++w.pc;
  save_split(w);
  const bool all = w.mask == 0;
  for (Frame* f = w.frame; f; f = f->caller) {
    f->live &= ~mask;
    if (f->live == 0 && f->depth > 0) w.free_frames.push_back(f);
  }
  if (all) remove_current(w);
  leave(w, parent, mask, false);
  w.live &= ~mask;
  leave_cluster_barrier(w, mask);
  w.block->live_threads -= static_cast<u32>(__builtin_popcount(mask));
  if (w.live == 0) {
    w.status = Warp::Status::done;
    w.forfeited += w.budget;  // not executed: they count neither for the SM nor towards the limit
    w.budget = 0;
    --w.block->live_warps;
    w.block->pending_copies -= static_cast<u32>(w.copies.wait_all(kFull));
    if (w.block->live_warps) check_barriers(*w.block);
    check_cluster_barrier(*w.block->cluster);
    return;
  }
  // Whoever waited for these lanes may be complete now: let them look again.
  for (Split& s : w.splits)
    if (s.state == Split::State::gather || s.state == Split::State::barrier) s.state = Split::State::running;
  check_barriers(*w.block);
  check_cluster_barrier(*w.block->cluster);
  if (all) choose_split(w);
}

void run_warp(Warp& w) {
  Machine& machine = *w.machine;
  const Ins* code = machine.code.instructions.data();
  u64* executions = machine.executions.data();
  const Handler* handlers = machine.handlers;
  w.hints = 0;
  while (w.budget > 0 && w.status == Warp::Status::ready) {
    if (w.pc == w.rpc) {
      arrive(w);
      continue;
    }
    const Ins& i = code[w.pc];
    u32 mask = w.mask;
    if (i.guard != lower::kNoGuard) {
      const u32 p = *reinterpret_cast<const u32*>(w.base[0] + (i.guard >> 1));
      mask &= i.guard & 1 ? ~p : p;
    }
    ++executions[i.site];
    --w.budget;
    if (w.scoreboard) w.scoreboard->step(w, i, mask);
    if (mask == 0) {
      ++w.pc;
      continue;
    }
    if (i.flags & lower::kGather) {
      gather(w, i, mask);
      continue;
    }
    if (const Handler h = handlers[static_cast<std::size_t>(i.op)]) {
      ++w.pc;
      h(w, i, mask);
    } else {
      control(w, i, mask);
    }
  }
  if (w.status == Warp::Status::ready && (w.splits.size() > 1 || !w.meets.empty())) {
    save_split(w);
    if (++w.spins >= kPatience) release_waiting(w);
    if (w.splits.size() > 1) {
      merge_splits(w);
      for (std::size_t step = 1; step <= w.splits.size(); ++step) {
        const std::size_t n = (w.current + step) % w.splits.size();
        if (w.splits[n].state == Split::State::running) {
          load_split(w, static_cast<u32>(n));
          break;
        }
      }
    }
  }
}

void start_warp(Machine& machine, Block& block, Warp& w, u32 index) {
  const u32 threads = static_cast<u32>(machine.launch.block.count());
  w.machine = &machine;
  w.block = &block;
  w.threads = std::min(32u, threads - index * 32);
  w.live = w.threads == 32 ? kFull : (1u << w.threads) - 1;
  w.id = {block.linear, block.index, index, block.sm, block.slot};
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
  w.base[1] = reinterpret_cast<std::byte*>(const_cast<u64*>(machine.code.pool.data()));
  w.splits.clear();
  w.meets.clear();
  w.spins = 0;
  w.copies.reset();
  w.bulk_stores.reset();
  w.waits = false;
  w.cluster_ticket.fill(0);
  w.stack.fill(0);
  Split s;
  s.pc = f.entry;
  s.mask = w.live;
  s.frame = &k;
  w.splits.push_back(s);
  load_split(w, 0);
  w.status = Warp::Status::ready;
}

}  // namespace simgpu::exec
