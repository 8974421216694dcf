/// @file
/// See loads_in_flight.hpp.
#include "simgpu/exec/loads_in_flight.hpp"

namespace simgpu::exec {
namespace {

/// Loads of global memory; a generic address counts as one, since nearly all are.
bool loads_global(const Ins& ins, const MemoryOp* m) {
  return m && (ins.op == Op::ld_global || ins.op == Op::ld_any) && m->kind == observe::AccessKind::load &&
         (m->space == lower::AddressSpace::global || m->space == lower::AddressSpace::generic);
}

}  // namespace

bool LoadsInFlight::needs(const Warp& w, const Ins& ins, u32 mask, const Load& load) const {
  if (load.stored || load.rows != w.base[0] || (load.mask & mask) == 0) return false;
  const MemoryOp* m = memory_op_of(w, ins);
  const lower::Function& f = *w.frame->function;
  const u8 fields = ins.uses | ins.defs;
  for (u32 n = 0; n < load.op->count; ++n) {
    const Operand filled = load.op->registers[n];
    const auto is = [&](lower::Field field, Operand o) {
      return (fields & field) != 0 && f.frame_place(o) == filled;
    };
    if (is(lower::kFieldA, ins.a) || is(lower::kFieldB, ins.b) || is(lower::kFieldC, ins.c) ||
        is(lower::kFieldD, ins.d) || is(lower::kFieldE, ins.e) || is(lower::kFieldF, ins.f))
      return true;
    for (u32 k = 0; m && k < m->count; ++k)
      if (f.frame_place(m->registers[k]) == filled) return true;
  }
  return false;
}

/// Fields that the instruction does not use may say so wrongly.
inline bool LoadsInFlight::may_need(const Ins& ins, const MemoryOp* m) const {
  // Of a register that is kept, the place in the frame has no bit.
  if (lower::is_kept(ins.d) || (m && lower::is_kept(m->registers[0]))) return true;
  bool any = filled_.may_hold(ins.a) | filled_.may_hold(ins.b) | filled_.may_hold(ins.c) |
             filled_.may_hold(ins.d) | filled_.may_hold(ins.e) | filled_.may_hold(ins.f);
  for (u32 k = 0; m && k < m->count; ++k) any |= filled_.may_hold(m->registers[k]);
  return any;
}

void LoadsInFlight::note_filled(const Load& load) {
  for (u32 n = 0; n < load.op->count; ++n) filled_.add(load.op->registers[n]);
}

void LoadsInFlight::step(const Warp& w, const Ins& ins, u32 mask) {
  if (ins.flags & lower::kHidden || mask == 0) return;
  const MemoryOp* const m = memory_op_of(w, ins);
  // Read-only loads that follow in straight code are moved ahead of a store by ptxas: it does not wait here, and the register that it
  // stores stays taken in machine code, whatever else comes to lie in it here.
  const bool later =
      m != nullptr && m->kind == observe::AccessKind::store && (ins.flags & lower::kWaits) == 0;
  for (std::size_t n = !loads_.empty() && may_need(ins, m) ? loads_.size() : 0; n-- > 0;) {
    if (!needs(w, ins, mask, loads_[n])) continue;
    if (later) {
      loads_[n].stored = true;
      continue;
    }
    if (fresh_) {
      u32 threads = 0;
      for (const Load& load : loads_) {
        bytes_ += static_cast<u64>(__builtin_popcount(load.mask)) * load.op->total_bytes;
        threads |= load.mask;
      }
      threads_ += static_cast<u64>(__builtin_popcount(threads));
      fresh_ = false;
    }
    loads_.erase(loads_.begin(), loads_.begin() + static_cast<std::ptrdiff_t>(n) + 1);
    filled_ = {};
    for (const Load& load : loads_) note_filled(load);
    break;
  }
  if (!loads_global(ins, m)) return;
  loads_.push_back({w.base[0], m, mask});
  note_filled(loads_.back());
  fresh_ = true;
}

}  // namespace simgpu::exec
