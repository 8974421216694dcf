/// @file
/// Control flow of one function: where diverged lanes meet again (immediate post-dominators), which registers
/// live where, and from that a compact frame, so that a warp's registers stay in the host's cache.
#include <algorithm>
#include <bit>
#include <queue>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

namespace {

bool ends_block(const Ins& ins) {
  return ins.op == Op::bra || ins.op == Op::brx_idx || ins.op == Op::ret || ins.op == Op::exit ||
         ins.op == Op::trap;
}

}  // namespace

/// Branch targets from PTX instruction numbers to positions in the body.
void FunctionLowering::link_branches() {
  const auto end = static_cast<std::uint32_t>(body_.size() - 1);
  for (Ins& ins : body_)
    if (ins.op == Op::bra) ins.aux = ins.aux < position_.size() ? position_[ins.aux] : end;
  for (std::size_t t = first_table_; t < code_.tables.size(); ++t)
    for (std::uint32_t& target : code_.tables[t].targets)
      target = target < position_.size() ? position_[target] : end;
}

std::vector<FunctionLowering::Block> FunctionLowering::make_blocks() const {
  const auto n = static_cast<std::uint32_t>(body_.size());
  std::vector<bool> leader(n + 1);
  leader[0] = true;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Ins& ins = body_[i];
    if (ins.op == Op::bra) leader[ins.aux] = true;
    if (ins.op == Op::brx_idx)
      for (std::uint32_t t : code_.tables[ins.aux].targets) leader[t] = true;
    if (ends_block(ins)) leader[i + 1] = true;
  }
  std::vector<Block> blocks;
  std::vector<std::uint32_t> block_of(n + 1);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (leader[i]) blocks.push_back({i, i, {}});
    blocks.back().last = i + 1;
    block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
  }
  const auto exit = static_cast<std::uint32_t>(blocks.size());
  for (std::uint32_t b = 0; b < exit; ++b) {
    const Ins& ins = body_[blocks[b].last - 1];
    auto& next = blocks[b].next;
    auto link = [&](std::uint32_t to) { next.push_back(to); };
    if (ins.op == Op::bra) link(block_of[ins.aux]);
    if (ins.op == Op::brx_idx)
      for (std::uint32_t t : code_.tables[ins.aux].targets) link(block_of[t]);
    if (ins.op == Op::ret || ins.op == Op::exit || ins.op == Op::trap) link(exit);
    if (!ends_block(ins) || ins.guard != kNoGuard) link(b + 1 < exit ? b + 1 : exit);
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
  return blocks;
}

/// Immediate post-dominators (Cooper, Harvey, Kennedy: iterate to a fixed point in reverse post-order of the
/// reverse graph).
void FunctionLowering::find_reconvergence(std::vector<Block>& blocks) {
  const auto exit = static_cast<std::uint32_t>(blocks.size());
  std::vector<std::vector<std::uint32_t>> before(exit + 1);
  for (std::uint32_t b = 0; b < exit; ++b)
    for (std::uint32_t t : blocks[b].next) before[t].push_back(b);
  std::vector<std::uint32_t> order;  // post-order of the reverse graph
  std::vector<std::uint8_t> seen(exit + 1);
  auto walk = [&](std::uint32_t root) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{root, 0}};
    seen[root] = 1;
    while (!stack.empty()) {
      auto& [node, edge] = stack.back();
      if (edge < before[node].size()) {
        const std::uint32_t to = before[node][edge++];
        if (!seen[to]) seen[to] = 1, stack.push_back({to, 0});
      } else {
        order.push_back(node);
        stack.pop_back();
      }
    }
  };
  // Loops without an exit never reach the virtual one: tie the last block of each to it.
  std::vector<std::uint32_t> extra;
  {
    std::vector<std::uint8_t> reached(exit + 1);
    auto flood = [&](std::uint32_t root) {
      std::vector<std::uint32_t> stack{root};
      reached[root] = 1;
      while (!stack.empty()) {
        const std::uint32_t node = stack.back();
        stack.pop_back();
        for (std::uint32_t p : before[node])
          if (!reached[p]) reached[p] = 1, stack.push_back(p);
      }
    };
    flood(exit);
    for (std::uint32_t b = exit; b-- > 0;)
      if (!reached[b]) {
        extra.push_back(b);
        flood(b);
      }
  }
  for (std::uint32_t b : extra) {
    before[exit].push_back(b);
    blocks[b].next.push_back(exit);
  }
  walk(exit);
  std::vector<std::uint32_t> number(exit + 1);
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  constexpr std::uint32_t kNone = 0xFFFF'FFFFu;
  std::vector<std::uint32_t> ipdom(exit + 1, kNone);
  ipdom[exit] = exit;
  std::size_t steps = 0;
  for (bool changed = true; changed && steps <= kMostFlowSteps;) {
    changed = false;
    for (std::size_t i = order.size(); i-- > 0 && steps <= kMostFlowSteps;) {
      const std::uint32_t b = order[i];
      if (b == exit) continue;
      std::uint32_t best = kNone;
      for (std::uint32_t s : blocks[b].next) {
        ++steps;
        if (ipdom[s] == kNone) continue;
        if (best == kNone) {
          best = s;
          continue;
        }
        std::uint32_t x = best, y = s;
        while (x != y) {
          while (number[x] < number[y]) x = ipdom[x], ++steps;
          while (number[y] < number[x]) y = ipdom[y], ++steps;
        }
        best = x;
      }
      if (best != kNone && ipdom[b] != best) ipdom[b] = best, changed = true;
    }
  }
  // A safe guess: lanes that part never meet again.
  if (steps > kMostFlowSteps) std::fill(ipdom.begin(), ipdom.end(), kNone);
  for (std::uint32_t b = 0; b < exit; ++b) {
    Ins& ins = body_[blocks[b].last - 1];
    if (ins.op == Op::bra || ins.op == Op::brx_idx)
      ins.aux2 = ipdom[b] == kNone || ipdom[b] == exit ? kNoPc : blocks[ipdom[b]].first;
  }
}

/// Most registers live within one block; only those that a block reads before it has written them take part in the exact
/// analysis over all blocks.
std::vector<FunctionLowering::Interval> FunctionLowering::live_intervals(
    const std::vector<Block>& blocks, std::vector<std::uint32_t>& live_at_entry) {
  const auto count = static_cast<std::uint32_t>(registers_.size());
  const auto exit = static_cast<std::uint32_t>(blocks.size());
  constexpr std::uint32_t kNone = 0xFFFF'FFFFu;
  std::vector<Interval> intervals(count);
  const auto extend = [&](std::uint32_t r, std::uint32_t at) {
    intervals[r].first = std::min(intervals[r].first, at);
    intervals[r].last = std::max(intervals[r].last, at);
  };
  // (block, register) of every use of a value from before the block, and of every block's unconditional writes.
  struct Event {
    std::uint32_t block, reg;
  };
  std::vector<Event> exposed, killed;
  std::vector<std::uint32_t> global(count, kNone), globals, killed_in(count, kNone), exposed_in(count, kNone);
  for (std::uint32_t b = 0; b < exit; ++b)
    for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      Ins& ins = body_[i];
      const auto use = [&](std::uint32_t r) {
        extend(r, i);
        if (killed_in[r] == b || exposed_in[r] == b) return;
        exposed_in[r] = b;
        exposed.push_back({b, r});
        if (global[r] == kNone) global[r] = static_cast<std::uint32_t>(globals.size()), globals.push_back(r);
      };
      if (ins.guard != kNoGuard) use(ins.guard / 2);
      visit_registers(ins, [&](Operand& o, bool def) {
        if (!def) use(o);
      });
      visit_registers(ins, [&](Operand& o, bool def) {
        if (!def) return;
        extend(o, i);
        if (ins.guard != kNoGuard || killed_in[o] == b) return;
        killed_in[o] = b;
        killed.push_back({b, o});
      });
    }
  const std::size_t words = (globals.size() + 63) / 64;
  bool exact = words * exit <= kMostLivenessWords;
  if (exact) {
    std::vector<std::uint64_t> used(words * exit), dead(words * exit), in(words * exit), out(words * exit);
    const auto add = [&](std::vector<std::uint64_t>& bits, const Event& e) {
      if (global[e.reg] != kNone) bits[e.block * words + global[e.reg] / 64] |= 1ull << (global[e.reg] % 64);
    };
    for (const Event& e : exposed) add(used, e);
    for (const Event& e : killed) add(dead, e);
    std::size_t steps = 0;
    for (bool changed = true; changed && exact;) {
      changed = false;
      for (std::uint32_t b = exit; b-- > 0;) {
        const std::size_t row = b * words;
        for (std::uint32_t s : blocks[b].next)
          if (s < exit)
            for (std::size_t w = 0; w < words; ++w) out[row + w] |= in[s * words + w];
        for (std::size_t w = 0; w < words; ++w) {
          const std::uint64_t v = used[row + w] | (out[row + w] & ~dead[row + w]);
          if (v != in[row + w]) in[row + w] = v, changed = true;
        }
        steps += words * (1 + blocks[b].next.size());
      }
      exact = steps <= kMostFlowSteps;
    }
    const auto extend_all = [&](const std::vector<std::uint64_t>& bits, std::uint32_t block,
                                std::uint32_t at) {
      for (std::size_t w = 0; w < words; ++w)
        for (std::uint64_t v = bits[block * words + w]; v; v &= v - 1)
          extend(globals[w * 64 + static_cast<std::size_t>(std::countr_zero(v))], at);
    };
    for (std::uint32_t b = 0; b < exit && exact; ++b) {
      extend_all(in, b, blocks[b].first);
      extend_all(out, b, blocks[b].last);
    }
    for (std::uint32_t g = 0; g < globals.size() && exit > 0 && exact; ++g)
      if (in[g / 64] >> (g % 64) & 1) live_at_entry.push_back(globals[g]);
  }
  if (!exact) {  // a safe guess: from the first instruction to the last
    for (const std::uint32_t r : globals) extend(r, 0), extend(r, static_cast<std::uint32_t>(body_.size()));
    live_at_entry = globals;
  }
  std::sort(live_at_entry.begin(), live_at_entry.end());
  return intervals;
}

void FunctionLowering::allocate(std::vector<Block>& blocks) {
  const auto count = static_cast<std::uint32_t>(registers_.size());
  std::vector<std::uint32_t> live_at_entry;
  const std::vector<Interval> intervals = live_intervals(blocks, live_at_entry);
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < count; ++r)
    if (intervals[r].first != 0xFFFF'FFFFu) order.push_back(r);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto x, auto y) { return intervals[x].first < intervals[y].first; });
  // One class of slots per width: 0, 4, 8, 16 bytes a lane.
  auto class_of = [&](std::uint32_t r) {
    return registers_[r].width == 0 ? 0 : registers_[r].width == 4 ? 1 : registers_[r].width == 8 ? 2 : 3;
  };
  std::vector<std::uint32_t> slot(count), free_slots[4];
  std::uint32_t slots[4] = {};
  const auto ends_later = [&](std::uint32_t x, std::uint32_t y) {
    return std::pair(intervals[x].last, x) > std::pair(intervals[y].last, y);
  };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(ends_later)> active(ends_later);
  for (std::uint32_t r : order) {
    for (; !active.empty() && intervals[active.top()].last < intervals[r].first; active.pop())
      free_slots[class_of(active.top())].push_back(slot[active.top()]);
    const int c = class_of(r);
    if (free_slots[c].empty()) {
      slot[r] = slots[c]++;
    } else {
      slot[r] = free_slots[c].back();
      free_slots[c].pop_back();
    }
    active.push(r);
  }
  constexpr std::uint32_t kRow[] = {4, 128, 256, 512};
  std::uint64_t needed = 0;
  for (int c = 0; c < 4; ++c) needed += (std::uint64_t{slots[c]} * kRow[c] + 127) / 128 * 128;
  if (needed > kMostFrameBytes)
    refuse("keeps " + std::to_string(needed / 128) + " registers of a thread in use at once, more than the " +
               std::to_string(kMostFrameBytes / 128) + " that are simulated.",
           function_.ptx_line);
  std::uint32_t base[4], at = 0;
  for (int c = 0; c < 4; ++c) {
    base[c] = at;
    at = (at + slots[c] * kRow[c] + 127) / 128 * 128;
  }
  result_.predicate_bytes = base[1];
  result_.param_base = at;
  result_.frame_bytes = (at + result_.param_stride * 32 + 127) / 128 * 128;
  // Those that are kept leave their places in the frame empty: nobody touches them, so they cost the host's caches nothing.
  const std::vector<Kept> kept = find_kept(live_at_entry);
  std::vector<Operand> kept_place(count, kNoOperand);
  for (std::uint32_t r = 0; r < count; ++r)
    if (kept[r] == Kept::by_warp) {
      kept_place[r] = kKeptByWarp | (result_.frame_bytes + result_.kept_by_warp_bytes);
      result_.kept_by_warp_bytes += kRow[class_of(r)];
    }
  for (std::uint32_t r = 0; r < count; ++r)
    if (kept[r] == Kept::by_all) {
      kept_place[r] = kKeptByAll | result_.all_rows_bytes();
      result_.kept_by_all_bytes += kRow[class_of(r)];
    }
  const auto in_frame = [&](std::uint32_t r) { return base[class_of(r)] + slot[r] * kRow[class_of(r)]; };
  const auto place = [&](std::uint32_t r) {
    return kept_place[r] != kNoOperand ? kept_place[r] : in_frame(r);
  };
  result_.kept_places.resize((result_.kept_by_warp_bytes + result_.kept_by_all_bytes) / 128);
  for (std::uint32_t r = 0; r < count; ++r)
    if (kept_place[r] != kNoOperand)
      result_.kept_places[(offset_of(kept_place[r]) - result_.frame_bytes) / 128] = in_frame(r);
  for (const std::uint32_t r : live_at_entry) result_.zeroed.push_back({place(r), kRow[class_of(r)]});
  for (Ins& ins : body_) {
    if (ins.guard != kNoGuard) ins.guard = place(ins.guard / 2) * 2 + (ins.guard & 1);
    // A field that is read and written is visited twice: rewrite each once.
    auto rewrite = [&](std::uint8_t bit, Operand& o) {
      if ((ins.uses | ins.defs) & bit) o = place(o);
    };
    rewrite(kFieldD, ins.d);
    rewrite(kFieldA, ins.a);
    rewrite(kFieldB, ins.b);
    rewrite(kFieldC, ins.c);
    rewrite(kFieldE, ins.e);
    rewrite(kFieldF, ins.f);
    if (ins.flags & kVector) {
      MemoryOp& m = code_.memory_ops[ins.aux];
      for (unsigned i = 0; i < m.count; ++i)
        if (!(m.registers[i] & kPoolBit)) m.registers[i] = place(m.registers[i]);
      if (m.kind == observe::AccessKind::atomic)
        for (unsigned i = 0; i < m.count && i < m.results.size(); ++i) m.results[i] = place(m.results[i]);
    }
    if (ins.flags & kMatrix) {
      MatrixOp& m = code_.matrix_ops[ins.aux2];
      for (Operand& o : m.sources)
        if (!(o & kPoolBit)) o = place(o);
      for (Operand& o : m.results) o = place(o);
    }
  }
}

}  // namespace simgpu::lower
