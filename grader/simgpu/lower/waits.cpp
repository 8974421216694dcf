/// @file
/// Where a warp has to wait for global or local memory. There its turn ends, and others load before it goes on: what each finds
/// in L1 depends on that.
///
/// Machine code is not in the order of the PTX text: ptxas moves loads ahead of the wait for earlier ones where it may. So in a
/// stretch of straight code, loads whose addresses are known are taken as issued together, and the wait stands where the text
/// first uses one of them after the last. A stretch ends at a barrier, a call or a division with a slow way, and before a load that must
/// stay behind a store. One that only needs another part of the struct whose parts were stored stands ahead of them, and has come when they
/// have what they store: `p[i].x += a; p[i].y += b;` waits once.
#include <algorithm>
#include <utility>
#include <vector>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {
namespace {

constexpr std::uint32_t kNever = 0xFFFF'FFFFu;

bool is_far(AddressSpace space) {
  return space == AddressSpace::global || space == AddressSpace::generic || space == AddressSpace::local;
}

/// What a stretch has stored: parts of what one register points to, or anything.
class Stored {
 public:
  bool any() const { return any_; }
  void add(const Ins& ins, const MemoryOp& m) {
    const bool parts =
        ins.op != Op::atom && (ins.a & kPoolBit) == 0 && (!any_ || (is_parts_ && ins.a == base_));
    is_parts_ = parts;
    any_ = true;
    base_ = ins.a;
    parts_.push_back({ins.imm, ins.imm + m.total_bytes});
  }
  /// The register points elsewhere from here on.
  void redefine(Operand o) { is_parts_ = is_parts_ && o != base_; }
  /// Does the text show that it reads none of that?
  bool leaves(const Ins& ins, const MemoryOp& m) const {
    const bool plain = m.kind == observe::AccessKind::load && m.ordering == observe::Ordering::weak;
    if (!is_parts_ || !plain || ins.op == Op::atom || ins.a != base_) return false;
    return std::none_of(parts_.begin(), parts_.end(), [&](const auto& part) {
      return ins.imm < part.second && part.first < ins.imm + m.total_bytes;
    });
  }

 private:
  bool any_ = false, is_parts_ = false;
  Operand base_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> parts_;  ///< [first byte, end)
};

bool stops_loads(const Ins& ins) {
  return (ins.cls == Class::control && ins.op != Op::bra) || ins.op == Op::fence || has_slow_path(ins);
}

}  // namespace

bool FunctionLowering::is_far_load(const Ins& ins) const {
  if (ins.cls != Class::memory) return false;
  if (ins.op == Op::atom) return (ins.defs & kFieldD) != 0 && is_far(code_.memory_ops[ins.aux].space);
  if ((ins.flags & kVector) == 0) return false;
  const MemoryOp& m = code_.memory_ops[ins.aux];
  return m.kind != observe::AccessKind::store && is_far(m.space);
}

void FunctionLowering::mark_waits(const std::vector<Block>& blocks) {
  constexpr std::uint8_t kDeepest = 15;  // loads whose address comes from a load whose address ...
  std::vector<std::uint8_t> level(registers_.size()), loaded(registers_.size());
  std::vector<std::uint32_t> touched;  // registers whose level is not 0
  const auto forget = [&] {
    for (const std::uint32_t r : touched) level[r] = loaded[r] = 0;
    touched.clear();
  };

  // What takes too long is left unmarked: no compiler writes such code, and only modelled caches depend on it.
  std::size_t steps = 0;
  const auto too_long = [&](std::size_t more) { return (steps += more) > kMostFlowSteps; };

  // Marks the first use of any of `registers` (marked in `owed`) on every way from the begin of block `from`.
  std::vector<std::uint8_t> owed(registers_.size()), seen(blocks.size() + 1);
  const auto mark_later = [&](const std::vector<std::uint32_t>& registers, const Block& from) {
    for (const std::uint32_t r : registers) owed[r] = 1;
    std::fill(seen.begin(), seen.end(), 0);
    std::vector<std::uint32_t> ways(from.next);
    while (!ways.empty() && !too_long(1 + seen.size() / 64)) {
      const std::uint32_t b = ways.back();
      ways.pop_back();
      if (b >= blocks.size() || seen[b]) continue;
      seen[b] = 1;
      steps += blocks[b].last - blocks[b].first;
      bool used = false;
      for (std::uint32_t i = blocks[b].first; i < blocks[b].last && !used; ++i) {
        used = body_[i].guard != kNoGuard && owed[body_[i].guard / 2];
        visit_registers(body_[i], [&](Operand& o, bool def) { used |= !def && owed[o]; });
        if (used) body_[i].flags |= kWaits;
      }
      if (!used) ways.insert(ways.end(), blocks[b].next.begin(), blocks[b].next.end());
    }
    for (const std::uint32_t r : registers) owed[r] = 0;
  };

  for (const Block& block : blocks) {
    std::vector<std::uint32_t> unused;  // loaded here, and nobody has waited for it yet
    for (std::uint32_t first = block.first; first < block.last;) {
      // How deep each load of the stretch is in a chain of loads, and which is the last at each depth.
      std::array<std::uint32_t, kDeepest + 1> last_load;
      last_load.fill(kNever);
      Stored stored;
      std::uint32_t end = first;
      if (too_long(unused.size())) return;
      for (; end < block.last; ++end) {
        Ins& ins = body_[end];
        const bool load = is_far_load(ins);
        const bool vector = ins.flags & kVector || ins.op == Op::atom;
        MemoryOp* m = vector && ins.cls == Class::memory ? &code_.memory_ops[ins.aux] : nullptr;
        const bool behind = load && stored.any() && !m->non_coherent;
        if (behind && !stored.leaves(ins, *m)) break;
        if (behind) m->ahead_of_stores = true;
        if (m != nullptr && m->kind != observe::AccessKind::load && is_far(m->space)) stored.add(ins, *m);
        std::uint8_t deepest = ins.guard != kNoGuard ? level[ins.guard / 2] : 0;
        visit_registers(ins, [&](Operand& o, bool def) {
          if (!def) deepest = std::max(deepest, level[o]);
        });
        if (load && !behind) {
          deepest = std::min<std::uint8_t>(static_cast<std::uint8_t>(deepest + 1), kDeepest);
          last_load[deepest] = end;
        }
        visit_registers(ins, [&](Operand& o, bool def) {
          if (!def) return;
          stored.redefine(o);
          if (level[o] == 0 && deepest != 0) touched.push_back(o);
          level[o] = deepest;
        });
        if (stops_loads(ins)) {
          ++end;
          break;
        }
      }
      // The first use of each depth that comes after its last load.
      for (std::uint32_t i = first; i < end; ++i) {
        Ins& ins = body_[i];
        std::uint32_t waits_for = 0;  // depths
        const auto use = [&](std::uint32_t r) {
          const std::uint8_t depth = loaded[r];
          if (depth != 0 && (depth == kDeepest + 1 || (last_load[depth] != kNever && last_load[depth] < i)))
            waits_for |= 1u << depth;
        };
        if (ins.guard != kNoGuard) use(ins.guard / 2);
        visit_registers(ins, [&](Operand& o, bool def) {
          if (!def) use(o);
        });
        if (waits_for != 0 && !too_long(unused.size())) {
          ins.flags |= kWaits;
          std::erase_if(unused, [&](std::uint32_t r) {
            if (!(waits_for >> loaded[r] & 1)) return false;
            loaded[r] = 0;
            return true;
          });
        }
        const bool load =
            is_far_load(ins) && (ins.op == Op::atom || !code_.memory_ops[ins.aux].ahead_of_stores);
        visit_registers(ins, [&](Operand& o, bool def) {
          if (!def) return;
          if (loaded[o] != 0 && !too_long(unused.size())) std::erase(unused, o);
          loaded[o] = load ? level[o] : 0;
          if (load) unused.push_back(o);
        });
      }
      // What the stretch leaves open counts as one more depth for those that follow.
      for (const std::uint32_t r : touched) level[r] = 0;
      touched.clear();
      for (const std::uint32_t r : unused) {
        loaded[r] = kDeepest + 1;
        touched.push_back(r);
      }
      first = end;
    }
    if (!unused.empty()) mark_later(unused, block);
    for (const std::uint32_t r : unused) loaded[r] = 0;
    forget();
  }

  // A loop that stores without ever waiting for a load: the queue to L2 is soon full, and warps come through it in turns.
  for (const Block& block : blocks) {
    Ins& jump = body_[block.last - 1];
    if (jump.op != Op::bra || jump.aux > block.first || too_long(block.last - jump.aux)) continue;
    bool stores = false, waits = false;
    for (std::uint32_t i = jump.aux; i < block.last; ++i) {
      const Ins& ins = body_[i];
      waits |= (ins.flags & kWaits) != 0;
      if ((ins.flags & kVector) == 0 || ins.cls != Class::memory) continue;
      const MemoryOp& m = code_.memory_ops[ins.aux];
      stores |= m.kind == observe::AccessKind::store && is_far(m.space);
    }
    if (stores && !waits) jump.flags |= kWaits;
  }
}

}  // namespace simgpu::lower
