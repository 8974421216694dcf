/// @file
/// Block barriers: bar.sync, bar.arrive, bar.red and their barrier.* forms; and what to say when nothing can
/// go on.
#include <fmt/format.h>

#include <bit>
#include <map>

#include "simgpu/exec/scoreboard.hpp"
#include "simgpu/exec/splits.hpp"
#include "simgpu/exec/warp_clock.hpp"
#include "simgpu/observe/coalescing.hpp"

namespace simgpu::exec {
namespace {

/// Tells observers of a barrier of some threads. @param came lanes of each warp
void tell_partial(const Block& block, u32 id, const std::array<u32, 32>& came) {
  std::array<observe::BarrierPart, 32> parts;
  std::size_t count = 0;
  for (u32 n = 0; n < block.warp_count; ++n) {
    const Warp& w = *block.warps[n];
    if (came[n]) parts[count++] = {w.id, came[n] | ~w.live};  // lanes that have ended count as arrived
  }
  const Warp& first = *block.warps[0];
  for (observe::Observer* o : first.machine->observers) o->partial_barrier(first.id, id, parts.data(), count);
}

/// Everybody has come: the waiting splits get their results and go on.
void release(Block& block, u32 id) {
  Barrier& b = block.barriers[id];
  const Barrier done = b;
  b = Barrier{};
  block.barriers_waited_at &= ~(1u << id);
  Warp* any = nullptr;
  std::array<u32, 32> came;  // lanes, by warp
  u32 threads = 0;
  for (u32 n = 0; n < block.warp_count; ++n) {
    Warp& w = *block.warps[n];
    bool woken = false;
    u32 lanes = 0;
    for (Split& s : w.splits) {
      if (s.state != Split::State::arrived || s.want != id) continue;
      const Ins& i = w.machine->code.instructions[s.pc];
      if (i.op == Op::bar_red) {
        auto* row = reinterpret_cast<u32*>(s.frame->rows + i.d);
        if (i.imm == 0) {
          for (u32 l = 0; l < 32; ++l)
            if (s.mask >> l & 1) row[l] = done.votes;
        } else {
          const bool value = i.imm == 1 ? done.anded : done.ored;
          *row = value ? *row | s.mask : *row & ~s.mask;
        }
      }
      ++s.pc;
      s.state = Split::State::running;
      lanes |= s.mask;
      woken = true;
      any = &w;
    }
    threads += observe::count_lanes(lanes);
    if (woken && w.clock) w.clock->wait_until(done.meeting.end() + w.machine->launch.clock.barrier);
    came[n] = lanes;
    if (woken) {
      if (w.status == Warp::Status::blocked || w.current >= w.splits.size()) {
        w.current = kNoRpc;
        merge_splits(w);
        choose_split(w);
      }
    }
  }
  const Warp& first = *block.warps[0];
  if (threads == block.live_threads) {
    for (observe::Observer* o : first.machine->observers) o->block_barrier(first.id);
  } else {
    tell_partial(block, id, came);
  }
  if (!any) return;
  if (block.async) block.async->proxy.barrier();
  Scoreboard::barrier(block);
}

/// "lane 3", "lanes 16-31", "lanes 0, 4-7"
std::string lanes_in_words(u32 mask) {
  std::string text;
  for (u32 from = 0; from < 32; ++from) {
    if (!(mask >> from & 1)) continue;
    u32 to = from;
    while (to < 31 && (mask >> (to + 1) & 1)) ++to;
    text += (text.empty() ? "" : ", ") + std::to_string(from) + (to > from ? "-" + std::to_string(to) : "");
    from = to;
  }
  return (std::popcount(mask) == 1 ? "lane " : "lanes ") + text;
}

bool complete(const Block& block, const Barrier& b) {
  return b.arrived && b.arrived >= (b.expected ? b.expected : block.live_threads);
}

}  // namespace

std::string place_of(const Warp& w, u32 pc) {
  const observe::Site* site = w.machine->site_of(w.machine->code.instructions[pc]);
  if (!site) return "?";
  if (site->file.empty()) return fmt::format("{} (PTX line {})", site->name, site->ptx_line);
  const std::string_view file = site->file;
  const std::size_t slash = file.rfind('/');
  return fmt::format("{}:{}", file.substr(slash == std::string_view::npos ? 0 : slash + 1), site->line);
}

void check_barriers(Block& block) {
  for (u32 left = block.barriers_waited_at; left != 0; left &= left - 1) {
    const auto id = static_cast<u32>(std::countr_zero(left));
    if (complete(block, block.barriers[id])) release(block, id);
  }
}

void barrier_instruction(Warp& w, const Ins& i, u32 mask) {
  Block& block = *w.block;
  const u32 lane = static_cast<u32>(__builtin_ctz(mask));
  const u32 id = w.row<u32>(i.a)[lane];
  const u32 count = i.b == lower::kNoOperand ? 0 : w.row<u32>(i.b)[lane];
  if (id >= block.barriers.size())
    return w.machine->fault(
        w, i, observe::FindingKind::illegal_instruction, lane,
        Machine::who(w, lane) + " uses barrier " + std::to_string(id) + "; a block has barriers 0 to 15.");
  // Lanes that the guard excludes go on by themselves.
  if (w.mask & ~mask) {
    const u32 others = w.mask & ~mask;
    w.mask = mask;
    save_split(w);
    Split rest = w.splits[w.current];
    rest.mask = others;
    rest.pc = w.pc + 1;
    w.splits.push_back(rest);
  }
  Barrier& b = block.barriers[id];
  const bool aligned = !(i.flags & lower::kTwo);
  if (aligned && i.op != Op::bar_arrive) {
    u32 all = mask;
    for (const Split& s : w.splits)
      if (s.state == Split::State::barrier && s.pc == w.pc && s.frame == w.frame) all |= s.mask;
    if (w.live & ~all) {  // wait for the rest of the warp
      save_split(w);
      w.splits[w.current].state = Split::State::barrier;
      choose_split(w);
      return;
    }
    mask = all;
  }
  for (observe::Observer* o : w.machine->observers) o->block_barrier_arrival(w.id);
  const bool whole_warp = aligned && count;
  block.barriers_waited_at |= 1u << id;
  b.arrived += whole_warp ? 32 : observe::count_lanes(mask);
  if (count) b.expected = count;
  if (w.clock) b.meeting.come(w.clock->now());
  if (i.op == Op::bar_red) {
    const u32 p = w.predicate(i.c) & mask;
    b.votes += static_cast<u32>(__builtin_popcount(p));
    b.anded &= p == mask;
    b.ored |= p != 0;
  }
  if (i.op == Op::bar_arrive) {
    for (observe::Observer* o : w.machine->observers) o->barrier_arrive(w.id, mask, id);
    ++w.pc;
    save_split(w);
    if (complete(block, b)) release(block, id);
    return;
  }
  save_split(w);
  Split& self = w.splits[w.current];
  self.state = Split::State::arrived;
  self.want = id;
  for (Split& s : w.splits)
    if (s.state == Split::State::barrier && s.pc == self.pc && s.frame == self.frame)
      s.state = Split::State::arrived, s.want = id;
  w.current = kNoRpc;
  if (complete(block, b)) {
    w.status = Warp::Status::blocked;
    release(block, id);
  } else if (w.splits.size() == 1 && w.meets.empty()) {
    w.status = Warp::Status::blocked;  // all of the warp
    w.spins = 0;
  } else {
    choose_split(w);
  }
}

void report_deadlock(Cluster& cluster) {
  // Who waits where, in a few words: places with the number of threads and the first of them.
  struct Group {
    u32 threads = 0, lane = 0;
    Warp* warp = nullptr;
    Split split;
    std::string why;
  };
  std::map<std::pair<u32, std::string>, Group> groups;  // (pc, what it waits for)
  for (Block* block : cluster.blocks)
    for (u32 n = 0; block->live_warps && n < block->warp_count; ++n) {
      Warp& w = *block->warps[n];
      for (const Split& s : w.splits) {
        std::string why;
        if (s.state == Split::State::gather) {
          why = fmt::format(
              " for {} of its warp, which the member mask 0x{:08x} names and which never execute this kind "
              "of "
              "instruction with the same mask.",
              lanes_in_words(s.want & w.live & ~gathered(w, s)), s.want);
        } else if (s.state == Split::State::waiting) {
          why = waits_for(w, s);
        } else if (s.state == Split::State::barrier) {
          why = " for the rest of its warp.";
        } else {
          const Barrier& b = block->barriers[s.want & 15];
          why = fmt::format(" at barrier {} for {} threads, of which {} have come.", s.want,
                            b.expected ? b.expected : block->live_threads, b.arrived);
        }
        Group& g = groups[{s.pc, why}];
        if (!g.warp) g = {0, static_cast<u32>(__builtin_ctz(s.mask)), &w, s, why};
        g.threads += static_cast<u32>(__builtin_popcount(s.mask));
      }
    }
  const bool many = cluster.blocks.size() > 1;
  std::string text = fmt::format("Deadlock: no thread of the {} can go on.", many ? "cluster" : "block");
  const Group* first = nullptr;
  for (const auto& [key, g] : groups) {
    const observe::Dim3 t = g.warp->machine->thread_of(*g.warp, g.lane);
    const std::string where = place_of(*g.warp, g.split.pc);
    if (g.threads == 1)
      text += fmt::format(" Thread ({},{},{}) waits at {}", t.x, t.y, t.z, where);
    else
      text += fmt::format(" {} threads (first: ({},{},{})) wait at {}", g.threads, t.x, t.y, t.z, where);
    text += g.why;
    if (!first) first = &g;
  }
  if (first)
    first->warp->machine->fault(*first->warp, first->warp->machine->code.instructions[first->split.pc],
                                observe::FindingKind::deadlock, first->lane, text, observe::Memory::shared);
}

}  // namespace simgpu::exec
