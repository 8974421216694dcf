/// @file
/// mbarriers: the objects in shared memory, arrivals and waits. The rules are in async/mbarrier.hpp.
#include "simgpu/exec/asynchronous.hpp"
#include "simgpu/exec/warp_clock.hpp"

namespace simgpu::exec::asynchronous {

void store_image(const Place& p, const Mbarrier& b) {
  const u64 image = b.image();
  std::memcpy(p.block->shared.data() + p.offset, &image, sizeof image);
}

/// The object at a resolved place. @return nullptr after a fault.
Mbarrier* object_at(Warp& w, const Ins& i, u32 lane, const Place& p) {
  Mbarrier* b = p.block->async ? p.block->async->mbarriers.find(p.offset) : nullptr;
  if (!b) {
    illegal(
        w, i, lane,
        fmt::format(
            "uses the mbarrier at shared memory offset {}{}, which has not been initialised: let one thread "
            "call init() (mbarrier.init), then synchronise before the others use it.",
            p.offset, p.block == w.block ? "" : fmt::format(" of the block of rank {}", p.block->rank)),
        observe::Memory::shared, p.offset);
    return nullptr;
  }
  u64 held;
  std::memcpy(&held, p.block->shared.data() + p.offset, sizeof held);
  if (held != b->image()) {
    illegal(
        w, i, lane,
        fmt::format(
            "uses the mbarrier at shared memory offset {}, whose 8 bytes have been overwritten by something "
            "else since: another array or a copy reaches into it.",
            p.offset),
        observe::Memory::shared, p.offset);
    return nullptr;
  }
  return b;
}

Mbarrier* object(Warp& w, const Ins& i, u32 lane, AsyncOp::Place which, Place& p) {
  const AsyncOp& a = op_of(w, i);
  if (!find_shared(w, i, lane, address_of(w, i, a, which, lane), a.space[which], 8, 8, p)) return nullptr;
  return object_at(w, i, lane, p);
}

namespace {

const std::vector<observe::Observer*>& observers_of(const Block& b) {
  return b.warps[0]->machine->observers;
}

/// @p w goes on after a phase of the mbarrier at @p offset: tells how much is still on its way into its block. Loads that were begun
/// after those of this phase are, for this warp: that a warp ahead of it has waited for them already is the simulator's order of warps.
void tell_passed(const Warp& w, u32 offset) {
  const Block& b = *w.block;
  const Mbarrier* bar = b.async->mbarriers.find(offset);
  const u64 landed = bar != nullptr ? bar->landed_copies : 0;
  u64 bytes = 0, copies = 0;
  if (landed != 0) {
    bytes = b.async->begun_bytes - bar->landed_bytes;
    copies = b.async->begun_copies - landed;
  }
  for (const Load& load : b.async->loads) {
    if (landed != 0 && load.begun_copies > landed) continue;  // counted above
    bytes += load.bytes;
    ++copies;
  }
  for (u32 n = 0; n < b.warp_count; ++n) {
    bytes += b.warps[n]->copies.bytes();
    copies += b.warps[n]->copies.size();
  }
  for (observe::Observer* o : w.machine->observers) o->mbarrier_passed(w.id, offset, bytes, copies);
}

void tell_use(Warp& w, const Ins& i, u32 lanes, const Place& p) {
  for (observe::Observer* o : w.machine->observers)
    o->mbarrier_used(*w.machine->site_of(i), w.id, lanes, p.block->warps[0]->id, p.offset);
}

void tell_arrivals(const Place& p, u32 count) {
  for (observe::Observer* o : observers_of(*p.block))
    o->mbarrier_arrivals(p.block->warps[0]->id, p.offset, count);
}

}  // namespace

/// Calls f(lanes) for lanes that name the same address, one after the other.
template <class F>
void each_address(Warp& w, const Ins& i, u32 mask, F f) {
  const AsyncOp& a = op_of(w, i);
  while (mask) {
    const u64 first = address_of(w, i, a, AsyncOp::kTo, static_cast<u32>(__builtin_ctz(mask)));
    u32 same = 0;
    each_lane(mask,
              [&](u32 l) { same |= static_cast<u32>(address_of(w, i, a, AsyncOp::kTo, l) == first) << l; });
    f(same);
    mask &= ~same;
  }
}

/// What lanes @p mask did so far comes before the end of the phase of the mbarrier that they arrive at.
void tell_arrival(Warp& w, const Ins& i, u32 mask) {
  if (!w.machine->any_observer) return;
  each_address(w, i, mask, [&](u32 lanes) {
    Place p;
    if (w.machine->stop || !object(w, i, static_cast<u32>(__builtin_ctz(lanes)), AsyncOp::kTo, p)) return;
    tell_use(w, i, lanes, p);
    for (observe::Observer* o : w.machine->observers)
      o->mbarrier_arrive(w.id, lanes, p.block->warps[0]->id, p.offset, op_of(w, i).relaxed);
  });
}

void phase_ended(Block& b, u32 offset) {
  b.cluster->timeouts = 0;
  b.async->proxy.barrier();
  for (observe::Observer* o : observers_of(b)) o->mbarrier_phase(b.warps[0]->id, offset);
}

/// Somebody waits for @p bar: what completes on it completes now, as far as the phase lacks nothing else.
void advance(Block& block, Mbarrier& bar) {
  async::BlockAsync& all = *block.async;
  const u64 phase = bar.phase;
  bool landed = false;
  if (bar.pending && !all.arrivals.empty()) {
    const auto mine = [&](const async::DeferredArrival& d) { return d.mbarrier == bar.offset; };
    if (std::count_if(all.arrivals.begin(), all.arrivals.end(), mine) >= static_cast<s64>(bar.pending))
      for (std::size_t n = 0; n < all.arrivals.size() && bar.phase == phase && bar.pending;) {
        const async::DeferredArrival d = all.arrivals[n];
        if (!mine(d)) {
          ++n;
          continue;
        }
        all.arrivals.erase(all.arrivals.begin() + static_cast<std::ptrdiff_t>(n));
        block.pending_copies -=
            static_cast<u32>(block.warps[d.warp]->copies.complete_until(d.lane, d.copies_until));
        bar.arrive(1);
        tell_arrivals({&block, bar.offset}, 1);
        landed = true;
      }
  }
  while (bar.phase == phase && bar.pending == 0 && bar.bytes > 0) {
    const auto next = std::find_if(all.loads.begin(), all.loads.end(),
                                   [&](const Load& l) { return l.mbarrier == bar.offset; });
    if (next == all.loads.end()) break;
    next->perform(block.shared.data());
    const u32 bytes = next->bytes;
    bar.landed_bytes = std::max(bar.landed_bytes, next->begun_bytes);
    bar.landed_copies = std::max(bar.landed_copies, next->begun_copies);
    bar.latest = std::max(bar.latest, next->lands);
    all.loads.erase(next);
    --block.pending_copies;
    bar.complete(bytes);
    landed = true;
  }
  if (bar.phase != phase) {
    phase_ended(block, bar.offset);
    if (landed)
      for (observe::Observer* o : observers_of(block)) o->mbarrier_landed(block.warps[0]->id, bar.offset);
  }
  store_image({&block, bar.offset}, bar);
}

void init(Warp& w, const Ins& i, u32 mask) {
  each_lane(mask, [&](u32 l) {
    if (w.machine->stop) return;
    const AsyncOp& a = op_of(w, i);
    Place p;
    if (!find_shared(w, i, l, address_of(w, i, a, AsyncOp::kTo, l), a.space[AsyncOp::kTo], 8, 8, p)) return;
    const u32 count = w.row<u32>(i.e)[l];
    if (count == 0 || count > async::kMostArrivals) {
      illegal(w, i, l,
              fmt::format("initialises an mbarrier for {} arrivals; 1 to {} are possible.", count,
                          async::kMostArrivals));
      return;
    }
    if (p.block != w.block) {
      illegal(w, i, l, "initialises an mbarrier of another block; each block has to initialise its own.");
      return;
    }
    store_image(p, p.block->async->mbarriers.init(p.offset, count));
    for (observe::Observer* o : w.machine->observers) {
      o->shared_filled(p.block->warps[0]->id, p.offset, 8);
      o->mbarrier_init(p.block->warps[0]->id, p.offset);
      o->mbarrier_made(*w.machine->site_of(i), w.id, l, p.block->warps[0]->id, p.offset);
    }
  });
}

void inval(Warp& w, const Ins& i, u32 mask) {
  each_lane(mask, [&](u32 l) {
    Place p;
    if (w.machine->stop || !object(w, i, l, AsyncOp::kTo, p)) return;
    p.block->async->mbarriers.remove(p.offset);
    std::memset(p.block->shared.data() + p.offset, 0, 8);
  });
}

bool expect(Warp& w, const Ins& i, u32 lane, const Place& p, Mbarrier& b, u32 bytes) {
  if (b.expect(bytes)) {
    for (observe::Observer* o : w.machine->observers)
      o->mbarrier_expect(p.block->warps[0]->id, p.offset, bytes);
    return true;
  }
  return illegal(
      w, i, lane,
      fmt::format(
          "announces {} more bytes at an mbarrier that waits for {} already; one phase can hold {} at "
          "most.",
          bytes, b.bytes, async::kMostArrivals));
}

void arrive(Warp& w, const Ins& i, u32 mask) {
  tell_arrival(w, i, mask);
  each_lane(mask, [&](u32 l) {
    if (w.machine->stop) return;
    Place p;
    Mbarrier* b = object(w, i, l, AsyncOp::kTo, p);
    if (!b) return;
    const u64 token = b->token(), phase = b->phase;
    if (w.clock) b->latest = std::max(b->latest, w.clock->now());
    u32 count = i.e == lower::kNoOperand ? 1 : w.row<u32>(i.e)[l];
    if (i.imm) {
      if (!expect(w, i, l, p, *b, count)) return;
      count = 1;
    }
    if (!(i.flags & lower::kTwo ? b->arrive_and_drop(count) : b->arrive(count))) {
      illegal(
          w, i, l,
          fmt::format("arrives {} time{} at an mbarrier whose phase waits for {} more arrival{} only (it was "
                      "initialised for {}): too many threads arrive, or one arrives twice in a phase.",
                      count, count == 1 ? "" : "s", b->pending, b->pending == 1 ? "" : "s", b->expected));
      return;
    }
    tell_arrivals(p, count);
    if (i.d != lower::kNoOperand) w.row<u64>(i.d)[l] = token;
    if (b->phase != phase) phase_ended(*p.block, p.offset);
    store_image(p, *b);
  });
}

void transactions(Warp& w, const Ins& i, u32 mask) {
  each_lane(mask, [&](u32 l) {
    Place p;
    if (w.machine->stop) return;
    Mbarrier* b = object(w, i, l, AsyncOp::kTo, p);
    if (!b) return;
    tell_use(w, i, 1u << l, p);
    const u32 bytes = w.row<u32>(i.e)[l];
    const u64 phase = b->phase;
    if (i.op == Op::mbarrier_expect_tx) {
      if (!expect(w, i, l, p, *b, bytes)) return;
    } else if (!b->complete(bytes)) {
      illegal(w, i, l, fmt::format("completes {} bytes at an mbarrier, more than it can count.", bytes));
      return;
    }
    if (b->phase != phase) phase_ended(*p.block, p.offset);
    store_image(p, *b);
  });
}

void cp_async_arrive(Warp& w, const Ins& i, u32 mask) {
  tell_arrival(w, i, mask);
  each_lane(mask, [&](u32 l) {
    Place p;
    if (w.machine->stop) return;
    Mbarrier* b = object(w, i, l, AsyncOp::kTo, p);
    if (!b) return;
    if (p.block != w.block) {
      illegal(w, i, l, "signals the completion of cp.async at an mbarrier of another block.");
      return;
    }
    if (!(i.flags & lower::kTwo) && !b->add_pending()) {
      illegal(w, i, l, "adds an arrival to an mbarrier that can count no more.");
      return;
    }
    if (w.clock) b->latest = std::max(b->latest, w.clock->copies_land());
    p.block->async->arrivals.push_back({p.offset, w.id.warp, l, w.copies.next()});
    store_image(p, *b);
  });
}

/// Lanes of @p mask whose wait is over.
u32 over(Warp& w, const Ins& i, u32 mask) {
  u32 done = 0;
  each_lane(mask, [&](u32 l) {
    if (w.machine->stop) return;
    Place p;
    Mbarrier* b = object(w, i, l, AsyncOp::kTo, p);
    if (!b) return;
    if (p.block != w.block) {
      illegal(w, i, l, "waits at an mbarrier of another block; a thread can wait only at its own block's.");
      return;
    }
    tell_use(w, i, 1u << l, p);
    const bool parity = i.flags & lower::kTwo;
    const u64 token = parity ? 0 : w.row<u64>(i.b)[l];
    if (!parity) {
      if (!Mbarrier::is_token(token)) {
        illegal(w, i, l, "waits at an mbarrier with a value that no arrive has returned.");
        return;
      }
      if (Mbarrier::phase_of(token) + 1 < (b->phase & ((1ull << 41) - 1))) {
        illegal(
            w, i, l,
            fmt::format(
                "waits for phase {} of an mbarrier that is in phase {} already: a thread may wait for the "
                "current phase or the one before only.",
                Mbarrier::phase_of(token), b->phase));
        return;
      }
    }
    const auto ended = [&] { return parity ? b->ended_parity(w.row<u32>(i.b)[l]) : b->ended(token); };
    if (!ended()) advance(*p.block, *b);
    if (ended()) done |= 1u << l;
  });
  return done;
}

void tell_wait(Warp& w, const Ins& i, u32 mask) {
  const AsyncOp& a = op_of(w, i);
  each_address(w, i, mask, [&](u32 lanes) {
    const u64 address = address_of(w, i, a, AsyncOp::kTo, static_cast<u32>(__builtin_ctz(lanes)));
    const u32 offset = static_cast<u32>(address) & kOffsetMask;
    const Mbarrier* const bar = w.clock ? w.block->async->mbarriers.find(offset) : nullptr;
    if (bar) w.clock->wait_until(bar->latest);
    for (observe::Observer* o : w.machine->observers) o->mbarrier_wait(w.id, lanes, w.id, offset, a.relaxed);
    tell_passed(w, offset);
  });
}

void wait(Warp& w, const Ins& i, u32 mask) {
  const u32 done = over(w, i, mask);
  if (w.machine->stop) return;
  Split& self = w.splits[w.current];
  const bool give_up = i.op == Op::mbarrier_test_wait || self.timed_out;
  if (!done && !give_up) {
    --w.machine->executions[i.site];  // it will be executed again
    return wait_here(w, mask);
  }
  self.timed_out = false;
  u32& d = w.predicate(i.d);
  d = (d & ~mask) | done;
  tell_wait(w, i, done);
  ++w.pc;
  if (done != mask) spin_hint(w);
}

}  // namespace simgpu::exec::asynchronous
