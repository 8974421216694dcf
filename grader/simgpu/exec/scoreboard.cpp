/// @file
/// See scoreboard.hpp. Each warp issues in order, one instruction a cycle; four schedulers share the block's
/// warps, so a stretch between barriers also lasts as long as its busiest scheduler has instructions.
#include "simgpu/exec/scoreboard.hpp"

#include <algorithm>

namespace simgpu::exec {
namespace {

constexpr double kShared = 29, kConstant = 8, kParam = 4, kBarrier = 20, kAtomicExtra = 60;
constexpr u32 kSchedulers = 4;

}  // namespace

void Scoreboard::enter(const lower::Function& f) {
  function_ = &f;
  predicate_bytes_ = f.predicate_bytes;
  registers_.assign(f.predicate_bytes / 4 + (f.frame_bytes - f.predicate_bytes) / 128 + 1, now_);
}

void Scoreboard::start(const lower::Function& f) {
  now_ = {};
  issued_ = load_bytes_ = 0;
  enter(f);
}

void Scoreboard::step(const Warp& w, const Ins& ins, u32 mask) {
  if (ins.flags & lower::kHidden) return;
  if (w.frame->function != function_) enter(*w.frame->function);
  ++issued_;
  const MemoryOp* m = ins.flags & lower::kVector || ins.op == Op::atom || ins.op == Op::cp_async
                          ? &w.machine->code.memory_ops[ins.aux]
                          : nullptr;
  const bool vector = ins.flags & lower::kVector;
  const bool loads = m && ins.cls == lower::Class::memory && m->kind != observe::AccessKind::store;
  const bool far =
      loads && (m->space == lower::AddressSpace::global || m->space == lower::AddressSpace::generic ||
                m->space == lower::AddressSpace::local);
  if (far && ins.op != Op::atom) load_bytes_ += __builtin_popcount(mask) * m->total_bytes;
  for (std::size_t k = 0; k < 3; ++k) {
    double at = now_[k] + 1;
    auto need = [&](Operand o) { at = std::max(at, ready(o)[k]); };
    if (ins.guard != lower::kNoGuard) need(ins.guard / 2);
    const u8 touched = ins.uses | ins.defs;
    if (touched & lower::kFieldA) need(ins.a);
    if (touched & lower::kFieldB) need(ins.b);
    if (touched & lower::kFieldC) need(ins.c);
    if (touched & lower::kFieldE) need(ins.e);
    if (touched & lower::kFieldF) need(ins.f);
    if (touched & lower::kFieldD) need(ins.d);
    if (vector)
      for (u32 n = 0; n < m->count; ++n)
        if (!(m->registers[n] & lower::kPoolBit)) need(m->registers[n]);
    now_[k] = at;
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
          latency = kLoadLatency[0];
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
    for (std::size_t k = 0; k < 3; ++k) now_[k] += kLoadLatency[k];
}

/// All warps to the time of the latest, and not before the busiest scheduler has issued everything.
void Scoreboard::settle(Block& block) {
  Clock latest{};
  std::array<double, kSchedulers> issued{};
  double busiest = 0;
  for (u32 n = 0; n < block.warp_count; ++n) issued[n % kSchedulers] += block.scoreboards[n]->issued_;
  for (double i : issued) busiest = std::max(busiest, i);
  for (std::size_t k = 0; k < 3; ++k) {
    for (u32 n = 0; n < block.warp_count; ++n) latest[k] = std::max(latest[k], block.scoreboards[n]->now_[k]);
    latest[k] = std::max(latest[k], block.settled[k] + busiest);
    block.settled[k] = latest[k];
  }
  for (u32 n = 0; n < block.warp_count; ++n) {
    block.scoreboards[n]->issued_ = 0;
    block.scoreboards[n]->now_ = latest;
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
  for (u32 n = 0; n < block.warp_count; ++n) t.load_bytes += block.scoreboards[n]->load_bytes_;
  return t;
}

}  // namespace simgpu::exec
