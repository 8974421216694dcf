/// @file
/// What happens when the lanes of a warp go different ways.
///
/// Diverged lanes form splits that take turns, so that a thread waiting for another one of its warp lets it
/// run (a spin lock finishes). Where a branch's ways meet again (its immediate post-dominator), the splits
/// wait for one another and go on as one; but that is for speed and like hardware only: lanes that have
/// waited too long are let go alone.
#include "simgpu/exec/splits.hpp"

#include <algorithm>

#include "simgpu/observe/coalescing.hpp"

namespace simgpu::exec {
namespace {

/// Patience with waiting lanes: a spin hint costs kHintCost, the end of a turn 1; at kPatience lanes that
/// wait to reconverge are released.
constexpr u32 kPatience = 400, kHintCost = 12;
/// Hints in one turn after which the warp gives up the rest of its turn.
constexpr u32 kHintsPerTurn = 8;

u32 rpc_under(const Warp& w, s32 parent) {
  return parent < 0 || w.meets[static_cast<std::size_t>(parent)].call
             ? kNoRpc
             : w.meets[static_cast<std::size_t>(parent)].pc;
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

/// The next split that can run becomes the current one.
void rotate(Warp& w) {
  if (w.splits.size() < 2) return;
  merge_splits(w);
  for (std::size_t step = 1; step <= w.splits.size(); ++step) {
    const std::size_t n = (w.current + step) % w.splits.size();
    if (w.splits[n].state == Split::State::running) {
      load_split(w, static_cast<u32>(n));
      break;
    }
  }
}

}  // namespace

s32 new_meet(Warp& w, const Reconvergence& r) {
  for (std::size_t n = 0; n < w.meets.size(); ++n)
    if (!w.meets[n].used) return w.meets[n] = r, static_cast<s32>(n);
  w.meets.push_back(r);
  return static_cast<s32>(w.meets.size() - 1);
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

void complete_if_full(Warp& w, s32 index) {
  Reconvergence& e = w.meets[static_cast<std::size_t>(index)];
  if (e.arrived != e.mask) return;
  e.used = false;
  if (e.mask) add_split(w, e.pc, e.mask, e.parent, e.frame);
}

void remove_current(Warp& w) {
  if (w.current + 1 != w.splits.size()) w.splits[w.current] = w.splits.back();
  w.splits.pop_back();
  w.current = kNoRpc;
}

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

void cut(Warp& w, u32 keep, u32 other, u32 pc) {
  if (!other) return;
  w.mask = keep;
  save_split(w);
  add_split(w, pc, other, w.splits[w.current].parent, w.frame);
}

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

void begin_turn(Warp& w, u32 end) {
  if (w.splits.size() < 2) return;
  save_split(w);
  const Split self = w.splits[w.current];
  for (std::size_t n = 0; n < w.splits.size(); ++n) {
    const Split& s = w.splits[n];
    const bool late = s.state == Split::State::running && s.parent == self.parent && s.frame == self.frame &&
                      s.pc > self.pc && s.pc <= end;
    if (!late) continue;
    load_split(w, static_cast<u32>(n));
    return;
  }
  merge_splits(w);
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
  w.looked = true;
  if (w.splits.size() > 1 || !w.meets.empty()) {
    w.spins += kHintCost;
    save_split(w);
    if (w.spins >= kPatience) release_waiting(w);
    rotate(w);
  }
  if (++w.hints >= kHintsPerTurn) {
    w.forfeited += w.budget;
    w.budget = 0;
  }
}

void end_turn(Warp& w) {
  if (w.status != Warp::Status::ready || (w.splits.size() < 2 && w.meets.empty())) return;
  save_split(w);
  if (++w.spins >= kPatience) release_waiting(w);
  rotate(w);
}

void exit_lanes(Warp& w, u32 mask) {
  // Of a warp whose lanes have stayed together nothing is looked at that lies elsewhere: its only split leaves.
  const bool together = w.splits.size() == 1 && w.meets.empty();
  const s32 parent = together ? -1 : w.splits[w.current].parent;
  w.mask &= ~mask;
  ++w.pc;
  const bool all = w.mask == 0;
  if (!all) save_split(w);
  for (Frame* f = w.frame; f; f = f->caller) {
    f->live &= ~mask;
    if (f->live == 0 && f->depth > 0) w.free_frames.push_back(f);
  }
  if (all) remove_current(w);
  leave(w, parent, mask, false);
  w.live &= ~mask;
  leave_cluster_barrier(w, mask);
  w.block->live_threads -= observe::count_lanes(mask);
  if (w.live == 0) {
    w.status = Warp::Status::done;
    w.forfeited += w.budget;  // not executed: they count neither for the SM nor towards the limit
    w.budget = 0;
    --w.block->live_warps;
    if (w.machine->uses_copies) w.block->pending_copies -= static_cast<u32>(w.copies.wait_all(kFull));
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

}  // namespace simgpu::exec
