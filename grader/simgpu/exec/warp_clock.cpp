/// @file
/// See warp_clock.hpp.
#include "simgpu/exec/warp_clock.hpp"

#include "simgpu/exec/scoreboard.hpp"
#include "simgpu/lower/builder.hpp"

namespace simgpu::exec {
namespace {

// From one turn of a loop to the next: a chain of 16 multiply-adds a turn takes 4.46 cycles each on an H200, not 4.
constexpr double kJumpByClock = 10;
constexpr double kConstantPass = 2.4, kTexture = 60;
constexpr double kAtomic = 60;  // beyond a load's way to the L2 and back
// Of shared memory of another block: a warp stands for so long behind what nobody waits for (57 to 64 cycles a round), and a turn of a
// loop of compare and swap has two ways there and back.
constexpr double kRemoteStore = 25, kRemoteSum = 18, kRemoteTurn = 443, kRemoteLoop = 600;
constexpr double kCopyEngine = 104;  // a bulk copy beyond a load (published, H800)
// Of the load-store unit, for each line beyond the wavefronts: of what L1 has four are looked up at a time.
constexpr double kLine = 0.4, kHitLine = 0.25;
// Atomics of shared memory: h200_probes.json; see timing/model.hpp.
constexpr double kSharedAtomic = 1.89, kSharedLoop = 9.1, kSharedLoopTurn = 13.8;
constexpr double kSector = 32;
// Work that a warp may have in the queue to the load-store unit before it is held up: a few requests. Not measured.
constexpr double kQueue = 32;

/// Registers change their names, and nothing is executed.
bool is_renaming(const Ins& ins) {
  return (ins.op == Op::mov_b32 || ins.op == Op::mov_b64 || ins.op == Op::mov_pred) &&
         ins.guard == lower::kNoGuard && !(ins.flags & lower::kVector);
}

const MemoryOp* access_of(const Warp& w, const Ins& ins) {
  return ins.cls == lower::Class::memory ? memory_op_of(w, ins) : nullptr;
}

/// The registers that one is put together from, or taken apart into; nullptr: it does neither.
const MemoryOp* parts_of(const Warp& w, const Ins& ins) {
  return ins.cls != lower::Class::memory && (ins.flags & lower::kVector) ? memory_op_of(w, ins) : nullptr;
}

bool is_far(const MemoryOp& m) {
  return m.space == lower::AddressSpace::global || m.space == lower::AddressSpace::generic;
}

/// Sums of floats in shared memory have no unit of their own, nor has anything of 64 bits but an exchange: a loop of compare and swap.
bool is_loop(const MemoryOp& m) {
  if (m.atomic == lower::AtomicOp::cas || m.atomic == lower::AtomicOp::exch) return false;
  return m.element_bytes == 8 || (m.atomic == lower::AtomicOp::add && lower::is_float(m.type));
}

}  // namespace

Clocks::Sm::Sm() = default;

Clocks::Clocks(const Launch& launch) : rates(launch.clock), sms_(std::max(1u, launch.sm_count)) {}

Clocks::Sm& Clocks::sm(u32 index) {
  if (!sms_[index]) sms_[index] = std::make_unique<Sm>();
  return *sms_[index];
}

double Clocks::begin_block(std::size_t place, u32 index) {
  if (place >= free_.size()) {
    free_.resize(place + 1);
    spun_.resize(place + 1);
  }
  Sm& s = sm(index);
  const double begin = std::max(free_[place], s.next_begin);
  s.next_begin = begin + rates.block_interval;
  return begin;
}

void Clocks::end_block(std::size_t place, double time, u32 warps, double spun, double shown) {
  spun_[place] += spun;
  longest_shown = std::max({longest_shown, spun_[place], shown});
  free_[place] = time + rates.block_turnover + rates.warp_turnover * warps;
}

void WarpClock::start(Clocks& clocks, const lower::Function& f, u32 warp, u32 sm, double time) {
  std::vector<double> registers = std::move(registers_);
  std::vector<double> groups = std::move(groups_);
  *this = {};
  registers_ = std::move(registers);  // their memory
  groups_ = std::move(groups);
  groups_.clear();
  clocks_ = &clocks;
  sm_ = &clocks.sm(sm);
  scheduler_ = warp % kSchedulers;
  now_ = latest_ = time;
  turns_.start();
  enter(f);
}

void WarpClock::enter(const lower::Function& f) {
  function_ = &f;
  predicate_bytes_ = f.predicate_bytes;
  registers_.assign(f.predicate_bytes / 4 + (f.all_rows_bytes() - f.predicate_bytes) / 128 + 1, now_);
  choice_ = {};
  joins_ = {};
}

void WarpClock::jump() {
  settle();
  now_ += kJumpByClock;
}

/// The warp looks at its clock. If it has been doing nothing else for long, it looks less and less often, and is late by a part of its
/// whole wait at most: a grid whose warps all wait for a millisecond would take billions of instructions.
void WarpClock::look(const Ins& ins) {
  constexpr u32 kFew = 12, kPatience = 256;
  constexpr double kLate = 1.0 / 256;
  settle();
  if (&ins != looked_ || since_look_ > kFew) {
    looks_ = 0;
    spins_since_ = now_;
  } else {
    if (++looks_ > kPatience) now_ += kLate * (now_ - spins_since_);
    spun_ += now_ - looked_at_;
  }
  if (!has_looked_) first_look_ = now_;
  has_looked_ = true;
  looked_ = &ins;
  looked_at_ = now_;
  since_look_ = 0;
}

void WarpClock::issue(const Warp& w, const Ins& ins) {
  if (ins.flags & lower::kHidden) return;
  if (w.frame->function != function_) {
    jump();
    enter(*w.frame->function);
  }
  if (turns_.begins_with(ins)) jump();
  const bool counts = ins.cls == lower::Class::integer || ins.cls == lower::Class::multiply ||
                      ins.cls == lower::Class::other || ins.op == Op::bra;
  since_look_ = std::min(since_look_ + (counts ? 1 : kWork), kWork);
  if (lower::reads_clock(ins)) look(ins);
  double at = now_;
  const auto need = [&](Operand o) { at = std::max(at, ready(o)); };
  // A loop's branch back is part of what a turn costs.
  const bool back =
      ins.op == Op::bra && !is_branch_forward(ins) && !leaves_loop(ins) && !becomes_predicates(ins);
  if (ins.guard != lower::kNoGuard) at = std::max(at, ready(ins.guard / 2) + (back ? 0 : kGuardBehind));
  if (choice_.holds(ins)) at = std::max(at, chosen_);
  if (becomes_predicates(ins)) choice_.begin(w, ins), chosen_ = at;
  if (is_branch_forward(ins) || leaves_loop(ins))
    at = std::max(at, latest_);  // all before it has been issued
  if (is_branch_forward(ins)) {
    now_ = std::max(now_, at + joins_.latency(ins));
    joins_.open(ins);
  }
  if (leaves_loop(ins)) now_ = std::max(now_, at + 1);
  lower::each_operand(ins, ins.uses, need);
  const MemoryOp* const parts = parts_of(w, ins);
  if (parts != nullptr && parts->kind != observe::AccessKind::load)
    for (u32 n = 0; n < parts->count; ++n)
      if (!(parts->registers[n] & lower::kPoolBit)) need(parts->registers[n]);
  const auto give_all = [&](double time) {
    const auto give_one = [&](Operand o) { ready(o) = time; };
    lower::each_operand(ins, ins.defs, give_one);
    if (parts != nullptr) lower::each_result(*parts, give_one);
  };
  if (is_renaming(ins) || (ins.flags & lower::kMerged) || turns_.is_done(ins)) return give_all(at);
  const lower::MatrixOp* const product = matrix_op_of(w, ins);
  if (product != nullptr)
    for (const Operand o : product->sources)
      if (!(o & lower::kPoolBit)) need(o);
  const MemoryOp* const m = access_of(w, ins);
  if (m != nullptr) {
    const bool stores = m->kind != observe::AccessKind::load;
    if (stores && (ins.flags & lower::kVector))
      for (u32 n = 0; n < m->count; ++n)
        if (!(m->registers[n] & lower::kPoolBit)) need(m->registers[n]);
    at = std::max(at, load_store_ - kQueue);  // what it has asked for and is not begun yet
    if (m->space == lower::AddressSpace::shared || is_far(*m)) {
      Order& order = is_far(*m) ? global_ : shared_;
      if (stores)
        at = std::max(at, order.used);
      else if (!m->non_coherent && !m->ahead_of_stores)
        at = std::max(at, order.stored);
      if (stores) order.stored = at;
      order.used = std::max(order.used, at);
    }
  }
  // Its scheduler, and its pipe: both have other warps' work to do, and the warp's own before this.
  const Sequence sequence = sequence_of(ins, takes_other_way(w, ins, w.mask));
  const double issues = sequence.issues;
  at = sm_->issue[scheduler_].take(at, issues) - issues;
  const ClockRates& rates = clocks_->rates;
  Unit unit = unit_of(ins);
  double busy = 0;
  if (sequence.multiply > 1 && sequence.issues == 1) {
    busy = 2.0 * sequence.multiply;
  } else if (unit == Unit::adder) {
    unit = pipes_[static_cast<std::size_t>(Unit::integer)] <= pipes_[static_cast<std::size_t>(Unit::multiply)]
               ? Unit::integer
               : Unit::multiply;
    busy = 2;
  } else if (sequence.issues > 1) {
    unit = sequence.fp64 != 0                                         ? Unit::fp64
           : sequence.special != 0 || ins.cls == lower::Class::divide ? Unit::special
           : sequence.multiply > sequence.integer                     ? Unit::multiply
                                                                      : Unit::integer;
    busy = std::max({static_cast<double>(sequence.special_cycles()), sequence.fp64 * rates.fp64_cycles,
                     sequence.integer * 2.0, sequence.multiply * 2.0});
  } else if (unit == Unit::fp32) {
    busy = rates.fp32_cycles;
  } else if (unit == Unit::fp64) {
    busy = rates.fp64_cycles;
  } else if (unit == Unit::integer || unit == Unit::multiply) {
    busy = 2;
  } else if (unit == Unit::special) {
    busy = 8;
  } else if (unit == Unit::tensor) {
    busy = rates.tensor_cycles * static_cast<double>(ins.imm);
  }
  if (busy > 1) {
    const auto index = static_cast<std::size_t>(unit);
    auto& pipe = sm_->pipes[scheduler_][index];
    if (!pipe) pipe = std::make_unique<Calendar>();
    // What is laid before the warp's own latest work there does not wait for it.
    double& own = pipes_[index];
    if (at >= own - busy) at = std::max(at, own);
    const double end = pipe->take(at, busy);
    at = end - busy;
    own = std::max(own, end);
  }
  at_ = at;
  latest_ = std::max(latest_, at);
  now_ += issues;
  const double done = at + (sequence.latency != 0 ? sequence.latency : ins.latency);
  give_all(done);
  if (product != nullptr)
    for (const Operand o : product->results) ready(o) = done;
  if (m != nullptr) give(ins, *m, at + kMoveLatency);  // until it is known what it cost
  wait_for_memory(ins);
}

/// If that is what the instruction is for.
void WarpClock::wait_for_memory(const Ins& ins) {
  switch (ins.op) {
    case Op::fence:  // until others see what was stored; a block's own threads see it anyway
      if (ins.imm > static_cast<s64>(observe::Scope::cta)) wait_until(stored_until_);
      return;
    case Op::cp_async_commit:
      groups_.push_back(copied_);
      return;
    case Op::cp_async_wait:
      if (const auto left = static_cast<std::size_t>(ins.imm); groups_.size() > left)
        wait_until(groups_[groups_.size() - 1 - left]);
      return;
    case Op::cp_async_wait_all:
      wait_until(copied_);
      return;
    default:
      return;
  }
}

void WarpClock::give(const Ins& ins, const MemoryOp& m, double time) {
  lower::each_operand(ins, ins.defs, [&](Operand o) { ready(o) = time; });
  if (ins.flags & lower::kVector) lower::each_result(m, [&](Operand o) { ready(o) = time; });
}

/// @return when the last of @p cycles passes begins.
double WarpClock::through_load_store(double time, double cycles) {
  load_store_ = sm_->load_store.take(std::max(time, load_store_), cycles);
  return load_store_ - std::min(cycles, 1.0);
}

double WarpClock::copy_lands(u64 bytes, const observe::AccessCost& cost) {
  const ClockRates& rates = clocks_->rates;
  settle();
  const auto amount = static_cast<double>(bytes);
  double time = sm_->l2.take(now_, amount / rates.l2_bytes);
  if (cost.dram_sectors != 0)
    time = std::max(time, clocks_->dram.take(now_, kSector * cost.dram_sectors / rates.dram_bytes));
  return time + (cost.dram_sectors != 0 ? rates.dram : rates.l2) + kCopyEngine;
}

/// @return when what an access of global or local memory asks for is there.
double WarpClock::fetch(const observe::AccessCost& cost, bool atomic) {
  const ClockRates& rates = clocks_->rates;
  const double wavefronts = cost.wavefronts, lines = cost.lines;
  double time = through_load_store(at_, cost.l2_sectors == 0
                                            ? wavefronts + kHitLine * std::max(0.0, lines - wavefronts)
                                            : std::max({wavefronts + kLine * (lines - 1), lines, 1.0}));
  double latency = rates.l1;
  if (cost.l2_sectors != 0) {
    latency = rates.l2;
    const double sector = kSector / rates.l2_bytes;
    time = std::max(time, sm_->l2.take(time, sector * cost.l2_sectors) - sector);
  }
  if (cost.dram_sectors != 0) {
    latency = rates.dram;
    const double sector = kSector / rates.dram_bytes;
    time = std::max(time, clocks_->dram.take(time, sector * cost.dram_sectors) - sector);
  }
  return time + latency + (atomic ? kAtomic + cost.line_cycles : 0);
}

/// @return when what an access of another block's shared memory asks for is there.
double WarpClock::far_shared(const MemoryOp& m, const observe::AccessCost& cost, bool atomic) {
  const ClockRates& rates = clocks_->rates;
  const bool loop = atomic && is_loop(m), store = m.kind == observe::AccessKind::store;
  double cycles = (store ? rates.remote_store_line : rates.remote_line) * cost.remote_lines;
  if (loop)
    cycles *= 2;  // it loads, and swaps
  else if (atomic)
    cycles +=
        rates.remote_lane * (cost.remote_lanes - cost.remote_lines) + rates.remote_turn * cost.remote_turns;
  const double sent = sm_->remote.take(through_load_store(at_, 1), cycles);
  if (loop) {
    const double swapped = sent + kRemoteLoop + kRemoteTurn * cost.remote_turns;
    wait_until(swapped);
    return swapped;
  }
  if (store || m.result_unused)
    wait_until(std::max(at_ + (store ? kRemoteStore : kRemoteSum), sent - kQueue));
  return sent + rates.remote_latency;
}

void WarpClock::accessed(const Warp& w, const Ins& ins, const observe::AccessCost& cost) {
  const ClockRates& rates = clocks_->rates;
  if (cost.texels != 0) {
    const double done = fetch(cost, false) + kTexture;
    lower::each_operand(ins, ins.defs, [&](Operand o) { ready(o) = done; });
    if (ins.flags & lower::kVector)
      lower::each_result(w.machine->code.memory_ops[ins.aux], [&](Operand o) { ready(o) = done; });
    return;
  }
  const MemoryOp* const m = access_of(w, ins);
  if (m == nullptr) return;
  const bool atomic = observe::is_atomic(m->kind);
  double done = at_ + kMoveLatency;
  if (ins.op == Op::cp_async) {
    const double arrives = fetch(cost, false);
    // Its bytes come through the unit when they are there; what the warp does until then does not stay behind them.
    copied_ = std::max(copied_, sm_->load_store.take(arrives, std::max(1u, cost.shared_wavefronts)));
    return;
  }
  if (cost.remote) {
    done = far_shared(*m, cost, atomic);
  } else if (cost.shared_wavefronts != 0) {
    double cycles = cost.shared_wavefronts;
    if (atomic)
      cycles = is_loop(*m) ? kSharedLoop + kSharedLoopTurn * (cycles - 1) : std::max(cycles, kSharedAtomic);
    done = through_load_store(at_, cycles) + rates.shared;
  } else if (cost.constant_passes != 0) {
    done = at_ + kConstantLatency + kConstantPass * (cost.constant_passes - 1);
  } else if (cost.lines != 0) {
    done = fetch(cost, atomic);
    loaded_ = std::max(loaded_, done);
    if (m->kind != observe::AccessKind::load) {
      // Nobody waits for a store but a fence: it is seen once the L2 has it.
      stored_until_ = std::max(stored_until_, atomic ? done : load_store_ + rates.l2);
    }
  } else if (m->regrouped && is_far(*m)) {
    done = std::max(done, loaded_);  // another one's access brings it along
  }
  give(ins, *m, done);
}

}  // namespace simgpu::exec
