/// @file
/// Control flow of one function: where diverged lanes meet again (immediate post-dominators), which registers
/// live where, and from that a compact frame, so that a warp's registers stay in the host's cache.
#include <algorithm>
#include <bit>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

namespace {

bool ends_block(const Ins& ins) {
  return ins.op == Op::bra || ins.op == Op::brx_idx || ins.op == Op::ret || ins.op == Op::exit ||
         ins.op == Op::trap;
}

using Bits = std::vector<std::uint64_t>;
bool test(const Bits& b, std::uint32_t i) {
  return b[i / 64] >> (i % 64) & 1;
}
void add(Bits& b, std::uint32_t i) {
  b[i / 64] |= 1ull << (i % 64);
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
    auto link = [&](std::uint32_t to) {
      if (std::find(next.begin(), next.end(), to) == next.end()) next.push_back(to);
    };
    if (ins.op == Op::bra) link(block_of[ins.aux]);
    if (ins.op == Op::brx_idx)
      for (std::uint32_t t : code_.tables[ins.aux].targets) link(block_of[t]);
    if (ins.op == Op::ret || ins.op == Op::exit || ins.op == Op::trap) link(exit);
    if (!ends_block(ins) || ins.guard != kNoGuard) link(b + 1 < exit ? b + 1 : exit);
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
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint32_t b = order[i];
      if (b == exit) continue;
      std::uint32_t best = kNone;
      for (std::uint32_t s : blocks[b].next) {
        if (ipdom[s] == kNone) continue;
        if (best == kNone) {
          best = s;
          continue;
        }
        std::uint32_t x = best, y = s;
        while (x != y) {
          while (number[x] < number[y]) x = ipdom[x];
          while (number[y] < number[x]) y = ipdom[y];
        }
        best = x;
      }
      if (best != kNone && ipdom[b] != best) ipdom[b] = best, changed = true;
    }
  }
  for (std::uint32_t b = 0; b < exit; ++b) {
    Ins& ins = body_[blocks[b].last - 1];
    if (ins.op == Op::bra || ins.op == Op::brx_idx)
      ins.aux2 = ipdom[b] == kNone || ipdom[b] == exit ? kNoPc : blocks[ipdom[b]].first;
  }
}

void FunctionLowering::allocate(std::vector<Block>& blocks) {
  const auto count = static_cast<std::uint32_t>(registers_.size());
  const std::size_t words = (count + 63) / 64;
  const auto exit = static_cast<std::uint32_t>(blocks.size());
  std::vector<Bits> used(exit, Bits(words)), killed(exit, Bits(words)), in(exit, Bits(words)),
      out(exit, Bits(words));
  for (std::uint32_t b = 0; b < exit; ++b)
    for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      Ins& ins = body_[i];
      auto use = [&](std::uint32_t r) {
        if (!test(killed[b], r)) add(used[b], r);
      };
      if (ins.guard != kNoGuard) use(ins.guard / 2);
      visit_registers(ins, [&](Operand& o, bool def) {
        if (!def) use(o);
      });
      if (ins.guard == kNoGuard)
        visit_registers(ins, [&](Operand& o, bool def) {
          if (def) add(killed[b], o);
        });
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t b = exit; b-- > 0;) {
      for (std::uint32_t s : blocks[b].next)
        if (s < exit)
          for (std::size_t w = 0; w < words; ++w) out[b][w] |= in[s][w];
      for (std::size_t w = 0; w < words; ++w) {
        const std::uint64_t v = used[b][w] | (out[b][w] & ~killed[b][w]);
        if (v != in[b][w]) in[b][w] = v, changed = true;
      }
    }
  }
  struct Interval {
    std::uint32_t first = 0xFFFF'FFFFu, last = 0;
  };
  std::vector<Interval> intervals(count);
  auto extend = [&](std::uint32_t r, std::uint32_t at) {
    intervals[r].first = std::min(intervals[r].first, at);
    intervals[r].last = std::max(intervals[r].last, at);
  };
  for (std::uint32_t b = 0; b < exit; ++b) {
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t v = in[b][w]; v; v &= v - 1)
        extend(static_cast<std::uint32_t>(w * 64 + std::countr_zero(v)), blocks[b].first);
      for (std::uint64_t v = out[b][w]; v; v &= v - 1)
        extend(static_cast<std::uint32_t>(w * 64 + std::countr_zero(v)), blocks[b].last);
    }
    for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      if (body_[i].guard != kNoGuard) extend(body_[i].guard / 2, i);
      visit_registers(body_[i], [&](Operand& o, bool) { extend(o, i); });
    }
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t r = 0; r < count; ++r)
    if (intervals[r].first != 0xFFFF'FFFFu) order.push_back(r);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto x, auto y) { return intervals[x].first < intervals[y].first; });
  // One class of slots per width: 0, 4, 8, 16 bytes a lane.
  auto class_of = [&](std::uint32_t r) {
    return registers_[r].width == 0 ? 0 : registers_[r].width == 4 ? 1 : registers_[r].width == 8 ? 2 : 3;
  };
  std::vector<std::uint32_t> slot(count), free_slots[4], active;
  std::uint32_t slots[4] = {};
  for (std::uint32_t r : order) {
    std::erase_if(active, [&](std::uint32_t a) {
      if (intervals[a].last >= intervals[r].first) return false;
      free_slots[class_of(a)].push_back(slot[a]);
      return true;
    });
    const int c = class_of(r);
    if (free_slots[c].empty()) {
      slot[r] = slots[c]++;
    } else {
      slot[r] = free_slots[c].back();
      free_slots[c].pop_back();
    }
    active.push_back(r);
  }
  constexpr std::uint32_t kRow[] = {4, 128, 256, 512};
  std::uint32_t base[4], at = 0;
  for (int c = 0; c < 4; ++c) {
    base[c] = at;
    at = (at + slots[c] * kRow[c] + 127) / 128 * 128;
  }
  auto place = [&](std::uint32_t r) {
    const int c = class_of(r);
    return base[c] + slot[r] * kRow[c];
  };
  result_.predicate_bytes = base[1];
  result_.param_base = at;
  result_.frame_bytes = (at + result_.param_stride * 32 + 127) / 128 * 128;
  if (exit > 0)
    for (std::uint32_t r = 0; r < count; ++r)
      if (test(in[0], r)) result_.zeroed.push_back({place(r), kRow[class_of(r)]});
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
  }
}

}  // namespace simgpu::lower
