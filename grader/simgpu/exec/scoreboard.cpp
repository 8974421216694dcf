/// @file
/// See scoreboard.hpp. Each warp issues one instruction a cycle; four schedulers share the block's warps, so the time between
/// two barriers is also at least what its busiest scheduler has to issue.
#include "simgpu/exec/scoreboard.hpp"

#include <algorithm>

namespace simgpu::exec {
namespace {

constexpr double kMove = 4, kShared = 29, kConstant = 8, kParam = 4, kBarrier = 20, kAtomicExtra = 60;
constexpr u32 kSchedulers = 4;
// Turns that ptxas lays side by side of a loop that counts to a constant; a loop up to n it leaves as it is. (H200: a padded
// transpose with such a loop of four turns, against a sum over n.) Stores that might alias still hold back the next turn's loads.
constexpr u32 kUnrolled = 4;

}  // namespace

void Scoreboard::enter(const lower::Function& f) {
  function_ = &f;
  predicate_bytes_ = f.predicate_bytes;
  constant_bound_.assign(f.predicate_bytes / 4 + 1, false);
  registers_.assign(f.predicate_bytes / 4 + (f.frame_bytes - f.predicate_bytes) / 128 + 1, now_);
}

void Scoreboard::start(const lower::Function& f) {
  now_ = latest_ = global_stored_ = shared_stored_ = global_used_ = shared_used_ = {};
  last_ = nullptr;
  turns_ = 0;
  issued_ = load_bytes_ = 0;
  flight_.start();
  enter(f);
}

void Scoreboard::end_of_stretch() {
  for (std::size_t k = 0; k < 3; ++k) now_[k] = std::max(now_[k], latest_[k]);
}

void Scoreboard::step(const Warp& w, const Ins& ins, u32 mask) {
  if (ins.flags & lower::kHidden) return;
  flight_.step(w, ins, mask);
  if (w.frame->function != function_) {
    end_of_stretch();
    enter(*w.frame->function);
  }
  if (&ins <= last_ && !(counted_ && ++turns_ % kUnrolled != 0))
    end_of_stretch();  // a loop starts its next turn
  last_ = &ins;
  if (ins.guard != lower::kNoGuard) counted_ = constant_bound_[ins.guard / 2 / 4];
  if ((ins.defs & lower::kFieldD) && ins.d < predicate_bytes_)
    constant_bound_[ins.d / 4] = !(ins.uses & lower::kFieldB);
  ++issued_;
  const MemoryOp* m = ins.flags & lower::kVector || ins.op == Op::atom || ins.op == Op::cp_async
                          ? &w.machine->code.memory_ops[ins.aux]
                          : nullptr;
  const bool vector = ins.flags & lower::kVector;
  const bool loads = m && ins.cls == lower::Class::memory && m->kind != observe::AccessKind::store;
  const bool in_register = m && m->space == lower::AddressSpace::local && w.machine->local_in_registers;
  const bool far = loads &&
                   (m->space == lower::AddressSpace::global || m->space == lower::AddressSpace::generic ||
                    m->space == lower::AddressSpace::local) &&
                   !in_register;
  if (far && ins.op != Op::atom) load_bytes_ += __builtin_popcount(mask) * m->total_bytes;
  const bool accesses = m && ins.cls == lower::Class::memory;
  const bool stores = accesses && m->kind != observe::AccessKind::load;
  const bool shared = accesses && m->space == lower::AddressSpace::shared;
  const bool global = accesses && !shared &&
                      (m->space == lower::AddressSpace::global || m->space == lower::AddressSpace::generic);
  for (std::size_t k = 0; k < 3; ++k) {
    now_[k] += 1;
    double at = now_[k];
    auto need = [&](Operand o) { at = std::max(at, ready(o)[k]); };
    if (ins.guard != lower::kNoGuard) need(ins.guard / 2);
    if (ins.uses & lower::kFieldA) need(ins.a);
    if (ins.uses & lower::kFieldB) need(ins.b);
    if (ins.uses & lower::kFieldC) need(ins.c);
    if (ins.uses & lower::kFieldE) need(ins.e);
    if (ins.uses & lower::kFieldF) need(ins.f);
    if (ins.uses & lower::kFieldD) need(ins.d);
    if (vector && stores)
      for (u32 n = 0; n < m->count; ++n)
        if (!(m->registers[n] & lower::kPoolBit)) need(m->registers[n]);
    if (global) {
      if (stores)
        at = std::max(at, global_used_[k]);
      else if (!m->non_coherent)
        at = std::max(at, global_stored_[k]);
      if (stores) global_stored_[k] = std::max(global_stored_[k], at);
      global_used_[k] = std::max(global_used_[k], at);
    } else if (shared) {
      at = std::max(at, stores ? shared_used_[k] : shared_stored_[k]);
      if (stores) shared_stored_[k] = std::max(shared_stored_[k], at);
      shared_used_[k] = std::max(shared_used_[k], at);
    }
    latest_[k] = std::max(latest_[k], at);
    double latency = ins.latency;
    if (loads) {
      switch (m->space) {
        case lower::AddressSpace::shared:
          latency = kShared;
          break;
        case lower::AddressSpace::constant:
          latency = kConstant;
          break;
        case lower::AddressSpace::param:
          latency = kParam;
          break;
        case lower::AddressSpace::local:
          latency = in_register ? kMove : kLoadLatency[0];
          break;
        default:
          latency = kLoadLatency[k];
          break;
      }
      if (ins.op == Op::atom && m->space != lower::AddressSpace::shared)
        latency = std::max(latency, kLoadLatency[1]) + kAtomicExtra;
    }
    const double done = at + latency;
    if (ins.defs & lower::kFieldD) ready(ins.d)[k] = done;
    if (ins.defs & lower::kFieldE) ready(ins.e)[k] = done;
    if (ins.defs & lower::kFieldF) ready(ins.f)[k] = done;
    if (vector && m->kind == observe::AccessKind::load)
      for (u32 n = 0; n < m->count; ++n) ready(m->registers[n])[k] = done;
    if (vector && m->kind == observe::AccessKind::atomic)
      for (u32 n = 0; n < m->count && n < m->results.size(); ++n) ready(m->results[n])[k] = done;
  }
  if (ins.op == Op::cp_async_wait || ins.op == Op::cp_async_wait_all ||
      (ins.op == Op::mbarrier_try_wait && !w.block->async->loads.empty()))
    for (std::size_t k = 0; k < 3; ++k) now_[k] = std::max(now_[k], latest_[k]) + kLoadLatency[k];
}

/// All warps to the time of the latest, and not before the busiest scheduler has issued everything.
void Scoreboard::settle(Block& block) {
  Clock latest{};
  std::array<double, kSchedulers> issued{};
  double busiest = 0;
  for (u32 n = 0; n < block.warp_count; ++n) issued[n % kSchedulers] += block.scoreboards[n]->issued_;
  for (double i : issued) busiest = std::max(busiest, i);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 n = 0; n < block.warp_count; ++n) {
      block.scoreboards[n]->end_of_stretch();
      latest[k] = std::max(latest[k], block.scoreboards[n]->now_[k]);
    }
    latest[k] = std::max(latest[k], block.settled[k] + busiest);
    block.settled[k] = latest[k];
  }
  for (u32 n = 0; n < block.warp_count; ++n) {
    block.scoreboards[n]->issued_ = 0;
    block.scoreboards[n]->now_ = block.scoreboards[n]->latest_ = latest;
  }
}

void Scoreboard::barrier(Block& block) {
  if (!block.sampled) return;
  settle(block);
  for (u32 n = 0; n < block.warp_count; ++n)
    for (double& t : block.scoreboards[n]->now_) t += kBarrier;
  for (double& t : block.settled) t += kBarrier;
}

BlockTime Scoreboard::finish(Block& block) {
  settle(block);
  BlockTime t;
  t.cycles_at_l1 = block.settled[0];
  t.cycles_at_l2 = block.settled[1];
  t.cycles_at_dram = block.settled[2];
  for (u32 n = 0; n < block.warp_count; ++n) {
    const Scoreboard& warp = *block.scoreboards[n];
    t.load_bytes += warp.load_bytes_;
    t.waiting_bytes += warp.flight_.bytes();
    t.waiting_threads += warp.flight_.threads();
  }
  return t;
}

}  // namespace simgpu::exec
