/// @file
/// mbarriers, bulk and tensor copies, asynchronous stores, and addresses within a cluster. The rules are in async/;
/// here operands are resolved and checked, and threads wait.
#include <fmt/format.h>

#include <algorithm>

#include "simgpu/async/tensor_map.hpp"
#include "simgpu/exec/state.hpp"

namespace simgpu::exec {
namespace {

using async::Load;
using async::Mbarrier;
using async::Store;
using lower::AddressSpace;
using lower::AsyncOp;
using observe::FindingKind;

constexpr u32 kOffsetMask = (1u << memory::kClusterShift) - 1;

template <class F>
void each_lane(u32 mask, F f) {
  for (; mask; mask &= mask - 1) f(static_cast<u32>(__builtin_ctz(mask)));
}

/// Bytes of some block's shared memory.
struct Place {
  Block* block = nullptr;
  u32 offset = 0;
};

const AsyncOp& op_of(const Warp& w, const Ins& i) {
  return w.machine->code.async_ops[i.aux2];
}

u64 address_of(const Warp& w, const Ins& i, const AsyncOp& a, AsyncOp::Place which, u32 lane) {
  const Operand o = which == AsyncOp::kTo ? i.a : which == AsyncOp::kFrom ? i.b : i.c;
  if (a.wide[which]) return w.row<u64>(o)[lane] + static_cast<u64>(a.offset[which]);
  return static_cast<u32>(w.row<u32>(o)[lane] + static_cast<u32>(a.offset[which]));
}

bool illegal(Warp& w, const Ins& i, u32 lane, std::string what,
             observe::Memory space = observe::Memory::shared, u64 address = 0) {
  w.machine->fault(w, i, FindingKind::illegal_instruction, lane, Machine::who(w, lane) + " " + what, space,
                   address);
  return false;
}

/// Resolves an address of shared memory, of any block of the cluster. @return false after a fault.
bool find_shared(Warp& w, const Ins& i, u32 lane, u64 address, AddressSpace space, u32 bytes, u32 align,
                 Place& out) {
  if (space == AddressSpace::generic) {
    if (address - memory::kSharedWindow >= memory::kSharedWindowSize)
      return illegal(w, i, lane,
                     fmt::format("uses address {:#x} here, which does not lie in shared memory.", address),
                     observe::Memory::global, address);
    address -= memory::kSharedWindow;
  }
  out.block = w.block;
  if (const u64 rank = address >> memory::kClusterShift; rank && rank - 1 < w.block->cluster->blocks.size()) {
    out.block = w.block->cluster->blocks[rank - 1];
    address &= kOffsetMask;
  }
  MemoryOp m;
  m.kind = observe::AccessKind::store;
  if (address & (align - 1) || address > w.machine->shared_bytes ||
      address + bytes > w.machine->shared_bytes) {
    memory_fault(w, i, m, lane, address, bytes, observe::Memory::shared, align);
    return false;
  }
  if (out.block != w.block && out.block->live_warps == 0) {
    w.machine->fault(
        w, i, FindingKind::out_of_bounds, lane,
        fmt::format("{} reaches into the shared memory of the block of rank {} of its cluster, which has "
                    "already ended; let all blocks of the cluster meet (cluster.sync()) before any ends.",
                    Machine::who(w, lane), out.block->rank),
        observe::Memory::shared, address);
    return false;
  }
  out.offset = static_cast<u32>(address);
  return true;
}

/// Resolves device memory. @return nullptr after a fault.
std::byte* find_global(Warp& w, const Ins& i, u32 lane, u64 address, u32 bytes, u32 align, bool writes) {
  const memory::Allocation* a = w.machine->memory.find(address);
  if (a && a->live && a->contains(address, bytes) && (address & (align - 1)) == 0 &&
      !(writes && a->kind == memory::AllocationKind::constant))
    return a->host + (address - a->base);
  MemoryOp m;
  m.kind = writes ? observe::AccessKind::store : observe::AccessKind::load;
  memory_fault(w, i, m, lane, address, bytes, observe::Memory::global, align);
  return nullptr;
}

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

/// A phase has ended.
void phase_ended(Block& b) {
  b.cluster->timeouts = 0;
  b.async->proxy.barrier();
}

/// Somebody waits for @p bar: what completes on it completes now, as far as the phase lacks nothing else.
void advance(Block& block, Mbarrier& bar) {
  async::BlockAsync& all = *block.async;
  const u64 phase = bar.phase;
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
      }
  }
  while (bar.phase == phase && bar.pending == 0 && bar.bytes > 0) {
    const auto next = std::find_if(all.loads.begin(), all.loads.end(),
                                   [&](const Load& l) { return l.mbarrier == bar.offset; });
    if (next == all.loads.end()) break;
    next->perform(block.shared.data());
    const u32 bytes = next->bytes;
    all.loads.erase(next);
    --block.pending_copies;
    bar.complete(bytes);
  }
  if (bar.phase != phase) phase_ended(block);
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
    for (observe::Observer* o : w.machine->observers) o->shared_filled(p.block->warps[0]->id, p.offset, 8);
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

bool expect(Warp& w, const Ins& i, u32 lane, Mbarrier& b, u32 bytes) {
  if (b.expect(bytes)) return true;
  return illegal(
      w, i, lane,
      fmt::format(
          "announces {} more bytes at an mbarrier that waits for {} already; one phase can hold {} at "
          "most.",
          bytes, b.bytes, async::kMostArrivals));
}

void arrive(Warp& w, const Ins& i, u32 mask) {
  Place last;
  each_lane(mask, [&](u32 l) {
    if (w.machine->stop) return;
    Place p;
    Mbarrier* b = object(w, i, l, AsyncOp::kTo, p);
    if (!b) return;
    if (p.block != last.block || p.offset != last.offset)
      for (observe::Observer* o : w.machine->observers)
        o->mbarrier_arrive(w.id, p.block->warps[0]->id, p.offset, observe::Scope::cta);
    last = p;
    const u64 token = b->token(), phase = b->phase;
    u32 count = i.e == lower::kNoOperand ? 1 : w.row<u32>(i.e)[l];
    if (i.imm) {
      if (!expect(w, i, l, *b, count)) return;
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
    if (i.d != lower::kNoOperand) w.row<u64>(i.d)[l] = token;
    if (b->phase != phase) phase_ended(*p.block);
    store_image(p, *b);
  });
}

void transactions(Warp& w, const Ins& i, u32 mask) {
  each_lane(mask, [&](u32 l) {
    Place p;
    if (w.machine->stop) return;
    Mbarrier* b = object(w, i, l, AsyncOp::kTo, p);
    if (!b) return;
    const u32 bytes = w.row<u32>(i.e)[l];
    const u64 phase = b->phase;
    if (i.op == Op::mbarrier_expect_tx) {
      if (!expect(w, i, l, *b, bytes)) return;
    } else if (!b->complete(bytes)) {
      illegal(w, i, l, fmt::format("completes {} bytes at an mbarrier, more than it can count.", bytes));
      return;
    }
    if (b->phase != phase) phase_ended(*p.block);
    store_image(p, *b);
  });
}

void cp_async_arrive(Warp& w, const Ins& i, u32 mask) {
  Place last;
  each_lane(mask, [&](u32 l) {
    Place p;
    if (w.machine->stop) return;
    Mbarrier* b = object(w, i, l, AsyncOp::kTo, p);
    if (!b) return;
    if (p.block != w.block) {
      illegal(w, i, l, "signals the completion of cp.async at an mbarrier of another block.");
      return;
    }
    if (p.offset != last.offset || !last.block)
      for (observe::Observer* o : w.machine->observers)
        o->mbarrier_arrive(w.id, p.block->warps[0]->id, p.offset, observe::Scope::cta);
    last = p;
    if (!(i.flags & lower::kTwo) && !b->add_pending()) {
      illegal(w, i, l, "adds an arrival to an mbarrier that can count no more.");
      return;
    }
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
  if (!mask) return;
  const AsyncOp& a = op_of(w, i);
  Place last;
  each_lane(mask, [&](u32 l) {
    const u32 offset = static_cast<u32>(address_of(w, i, a, AsyncOp::kTo, l)) & kOffsetMask;
    if (last.block && offset == last.offset) return;
    last = {w.block, offset};
    for (observe::Observer* o : w.machine->observers) o->mbarrier_wait(w.id, w.id, offset);
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

/// A copy into shared memory is begun: its destination is not to be touched until it is waited for.
bool begin_load(Warp& w, const Ins& i, u32 lane, const Place& to, const Place& bar, Load load) {
  if (bar.block != to.block)
    return illegal(w, i, lane, "copies into one block's shared memory and signals an mbarrier of another's.");
  if (!object_at(w, i, lane, bar)) return false;
  Block& block = *to.block;
  for (const Load& other : block.async->loads)
    if (to.offset < other.offset + other.bytes && other.offset < to.offset + load.bytes) {
      w.machine->fault(
          w, i, FindingKind::missing_wait, lane,
          fmt::format("{} begins a copy to shared memory at offset {}, into which the copy begun at {} is "
                      "still writing; wait for that one's mbarrier first.",
                      Machine::who(w, lane), to.offset,
                      other.site < w.machine->sites.size()
                          ? fmt::format("line {}", w.machine->sites[other.site].line)
                          : "another place"),
          observe::Memory::shared, to.offset);
      return false;
    }
  for (u32 n = 0; n < block.warp_count; ++n)
    if (block.warps[n]->bulk_stores.reading(to.offset, load.bytes)) {
      w.machine->fault(
          w, i, FindingKind::missing_wait, lane,
          fmt::format("{} begins a copy to shared memory at offset {}, which a bulk store still reads; wait "
                      "for that store first (cp.async.bulk.wait_group.read).",
                      Machine::who(w, lane), to.offset),
          observe::Memory::shared, to.offset);
      return false;
    }
  load.mbarrier = bar.offset;
  load.offset = to.offset;
  load.site = i.site;
  if (!load.combine) {
    std::memset(block.shared.data() + to.offset, async::kPoison, load.bytes);
    block.async->proxy.overwritten(to.offset, load.bytes);
  }
  for (observe::Observer* o : w.machine->observers)
    o->shared_filled(block.warps[0]->id, to.offset, load.bytes);
  block.async->loads.push_back(std::move(load));
  ++block.pending_copies;
  return true;
}

void tell_bulk(Warp& w, const Ins& i, u32 lane, observe::AccessKind kind,
               const std::vector<observe::BulkAccess::Span>& spans, u64 bytes) {
  observe::BulkAccess b;
  b.site = w.machine->site_of(i);
  b.warp = &w.id;
  b.lane = lane;
  b.kind = kind;
  b.spans = spans.data();
  b.span_count = spans.size();
  b.bytes = bytes;
  if (!b.site) return;
  for (observe::Observer* o : w.machine->observers) o->bulk_access(b);
}

/// A box of a tensor: its map, its rows and where they lie.
struct Box {
  async::TensorMap map;
  u32 row_bytes = 0, bytes = 0;
  std::vector<async::BoxRow> rows;
  std::vector<std::byte*> hosts;  ///< of each row's inner part
  std::vector<observe::BulkAccess::Span> spans;
};

bool find_box(Warp& w, const Ins& i, u32 lane, u64 map_address, bool writes, Box& box) {
  const std::byte* bytes = nullptr;
  if (map_address - memory::kParamWindow < memory::kParamWindowSize) {
    const auto& image = w.machine->launch.parameters;
    const u64 at = map_address - memory::kParamWindow;
    if (at + async::kTensorMapBytes <= image.size()) bytes = image.data() + at;
  } else {
    bytes = find_global(w, i, lane, map_address, async::kTensorMapBytes, 64, false);
    if (!bytes) return false;
  }
  if (!bytes || !async::decode(bytes, box.map))
    return illegal(w, i, lane,
                   "uses a tensor map that cuTensorMapEncodeTiled did not make, or that was not copied "
                   "whole; pass it as "
                   "a `const __grid_constant__ CUtensorMap` parameter.",
                   observe::Memory::param, map_address);
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  if (m.count != box.map.rank)
    return illegal(
        w, i, lane,
        fmt::format("gives {} coordinates to a tensor map of {} dimensions.", m.count, box.map.rank));
  if (box.map.interleave) {
    w.machine->fault(w, i, FindingKind::unsupported_instruction, lane,
                     "The simulated GPU cannot copy interleaved tensors; use CU_TENSOR_MAP_INTERLEAVE_NONE.");
    return false;
  }
  s32 start[async::kMostDimensions] = {};
  for (u32 d = 0; d < m.count; ++d) start[d] = w.row<s32>(m.registers[d])[lane];
  if (box.map.box_bytes() > w.machine->shared_bytes)
    return illegal(w, i, lane,
                   fmt::format("moves a box of {} bytes, but the block has {} bytes of shared memory.",
                               box.map.box_bytes(), w.machine->shared_bytes));
  box.rows = async::rows_of(box.map, start, box.row_bytes);
  box.bytes = static_cast<u32>(box.map.box_bytes());
  const memory::Allocation* last = nullptr;
  for (const async::BoxRow& row : box.rows) {
    std::byte* host = nullptr;
    if (const u32 bytes_inside = row.to - row.from) {
      if (last && last->live && last->contains(row.address, bytes_inside)) {
        host = last->host + (row.address - last->base);
      } else {
        host = find_global(w, i, lane, row.address, bytes_inside, 1, writes);
        if (!host) return false;
        last = w.machine->memory.find(row.address);
      }
      if (!box.spans.empty() && box.spans.back().address + box.spans.back().bytes == row.address)
        box.spans.back().bytes += bytes_inside;
      else
        box.spans.push_back({row.address, bytes_inside});
    }
    box.hosts.push_back(host);
  }
  return true;
}

/// Calls f(offset in shared memory, bytes, host address or nullptr) for all parts of a box that lie side by side.
template <class F>
void each_part(const Box& box, u32 shared_offset, F f) {
  const u32 step = box.map.swizzle == async::Swizzle::none ? box.row_bytes : 16;
  for (std::size_t n = 0; n < box.rows.size(); ++n) {
    const async::BoxRow& row = box.rows[n];
    for (u32 at = 0; at < box.row_bytes; at += step) {
      const u32 place = async::swizzled(box.map.swizzle, shared_offset + row.place + at);
      const u32 end = at + std::min(step, box.row_bytes - at);
      const u32 cuts[4] = {at, std::clamp(row.from, at, end), std::clamp(row.to, at, end), end};
      for (int c = 0; c < 3; ++c)
        if (cuts[c + 1] > cuts[c])
          f(place + (cuts[c] - at), cuts[c + 1] - cuts[c],
            c == 1 ? box.hosts[n] + (cuts[c] - row.from) : nullptr);
    }
  }
}

u64 fill_of(const async::TensorMap& map) {
  if (!map.fill_nan) return 0;
  switch (async::bytes_of(map.type)) {
    case 2:
      return 0x7FFF'7FFF'7FFF'7FFFull;
    case 4:
      return 0x7FFF'FFFF'7FFF'FFFFull;
    default:
      return 0x7FFF'FFFF'FFFF'FFFFull;
  }
}

lower::NumberType number_type(async::TensorType t) {
  using lower::NumberType;
  constexpr NumberType table[] = {NumberType::u8,  NumberType::u16,  NumberType::u32, NumberType::s32,
                                  NumberType::u64, NumberType::s64,  NumberType::f16, NumberType::f32,
                                  NumberType::f64, NumberType::bf16, NumberType::f32, NumberType::f32,
                                  NumberType::f32};
  return table[static_cast<std::size_t>(t)];
}

bool good_size(Warp& w, const Ins& i, u32 lane, u32 bytes) {
  if (bytes % 16 == 0) return true;
  return illegal(w, i, lane,
                 fmt::format("begins a bulk copy of {} bytes; its size must be a multiple of 16.", bytes));
}

void bulk_load_lane(Warp& w, const Ins& i, u32 l) {
  const AsyncOp& a = op_of(w, i);
  const u64 from = address_of(w, i, a, AsyncOp::kFrom, l);
  Box box;
  u32 bytes = 0;
  if (a.tensor) {
    if (!find_box(w, i, l, from, false, box)) return;
    bytes = box.bytes;
  } else {
    bytes = w.row<u32>(i.e)[l];
    if (!good_size(w, i, l, bytes)) return;
  }
  if (bytes == 0) return;
  const bool global = a.tensor || a.space[AsyncOp::kFrom] == AddressSpace::global;
  const std::byte* source = nullptr;
  if (!a.tensor && global) {
    source = find_global(w, i, l, from, bytes, 16, false);
    if (!source) return;
    box.spans.push_back({from, bytes});
  } else if (!global) {
    Place p;
    if (!find_shared(w, i, l, from, AddressSpace::shared, bytes, 16, p)) return;
    source = p.block->shared.data() + p.offset;
    if (p.block->async)
      if (const u32 at = p.block->async->proxy.first_unfenced(p.offset, bytes); at != ~0u)
        return w.machine->fault(
            w, i, FindingKind::missing_fence, l,
            Machine::who(w, l) +
                fmt::format(" begins a bulk copy from shared memory that ordinary stores wrote (at "
                            "offset {}), without a proxy fence in between; the writing threads have "
                            "to execute fence.proxy.async before the barrier.",
                            at),
            observe::Memory::shared, at);
  }
  if (global) tell_bulk(w, i, l, observe::AccessKind::load, box.spans, a.prefetch ? 0 : bytes);
  if (a.prefetch) return;
  Place to, bar;
  if (!find_shared(w, i, l, address_of(w, i, a, AsyncOp::kTo, l), a.space[AsyncOp::kTo], bytes,
                   a.tensor ? 128 : 16, to) ||
      !find_shared(w, i, l, address_of(w, i, a, AsyncOp::kBarrier, l), a.space[AsyncOp::kBarrier], 8, 8, bar))
    return;
  Load load;
  load.bytes = bytes;
  if (a.tensor) {
    load.fill = fill_of(box.map);
    each_part(box, to.offset, [&](u32 place, u32 count, const std::byte* host) {
      load.pieces.push_back({place, count, host});
    });
  } else {
    load.pieces.push_back({to.offset, bytes, source});
  }
  if (a.reduces) {
    load.combine = combine_elements;
    load.how = reduction(a.atomic, a.type);
  }
  if (!a.multicast) {
    begin_load(w, i, l, to, bar, std::move(load));
    return;
  }
  const auto& blocks = w.block->cluster->blocks;
  const u32 targets = w.row<u32>(i.f)[l] & 0xFFFF;
  for (u32 rank = 0; rank < 16; ++rank) {
    if (!(targets >> rank & 1)) continue;
    if (rank >= blocks.size() || blocks[rank]->live_warps == 0) {
      illegal(
          w, i, l,
          rank >= blocks.size()
              ? fmt::format("copies to the block of rank {}, but its cluster has {} blocks.", rank,
                            blocks.size())
              : fmt::format("copies to the block of rank {} of its cluster, which has already ended.", rank));
      return;
    }
    if (!begin_load(w, i, l, {blocks[rank], to.offset}, {blocks[rank], bar.offset}, load)) return;
  }
}

void bulk_store_lane(Warp& w, const Ins& i, u32 l) {
  const AsyncOp& a = op_of(w, i);
  const u64 to = address_of(w, i, a, AsyncOp::kTo, l);
  Box box;
  u32 bytes = 0;
  if (a.tensor) {
    if (!find_box(w, i, l, to, true, box)) return;
    bytes = box.bytes;
  } else {
    bytes = w.row<u32>(i.e)[l];
    if (!good_size(w, i, l, bytes)) return;
  }
  if (bytes == 0) return;
  Place from;
  if (!find_shared(w, i, l, address_of(w, i, a, AsyncOp::kFrom, l), a.space[AsyncOp::kFrom], bytes,
                   a.tensor ? 128 : 16, from))
    return;
  if (from.block != w.block) {
    illegal(w, i, l, "begins a bulk store from another block's shared memory.");
    return;
  }
  if (const u32 at = w.block->async->proxy.first_unfenced(from.offset, bytes); at != ~0u)
    return w.machine->fault(
        w, i, FindingKind::missing_fence, l,
        Machine::who(w, l) +
            fmt::format(" begins a bulk store from shared memory that ordinary stores wrote (at "
                        "offset {}), without a proxy fence in between: the copy engine may read old "
                        "values. Every writing thread has to execute fence.proxy.async "
                        "(fence_proxy_async) after its stores and before the barrier.",
                        at),
        observe::Memory::shared, at);
  for (const Load& load : w.block->async->loads)
    if (from.offset < load.offset + load.bytes && load.offset < from.offset + bytes)
      return w.machine->fault(
          w, i, FindingKind::missing_wait, l,
          Machine::who(w, l) +
              fmt::format(" begins a bulk store from shared memory at offset {}, into which a copy is "
                          "still writing; wait for that copy's mbarrier first.",
                          from.offset),
          observe::Memory::shared, from.offset);
  Store store;
  store.lane = l;
  store.site = i.site;
  store.offset = from.offset;
  store.bytes = bytes;
  if (a.tensor) {
    each_part(box, from.offset, [&](u32 place, u32 count, std::byte* host) {
      if (host) store.pieces.push_back({place, count, host});
    });
  } else {
    std::byte* host = find_global(w, i, l, to, bytes, 16, true);
    if (!host) return;
    store.pieces.push_back({from.offset, bytes, host});
    box.spans.push_back({to, bytes});
  }
  if (a.reduces) {
    store.combine = combine_elements;
    store.how = reduction(a.atomic, a.tensor ? number_type(box.map.type) : a.type);
  }
  tell_bulk(w, i, l, a.reduces ? observe::AccessKind::reduction : observe::AccessKind::store, box.spans,
            bytes);
  w.bulk_stores.begin(std::move(store));
  ++w.block->pending_copies;
}

void store_async_lane(Warp& w, const Ins& i, u32 l) {
  const AsyncOp& a = op_of(w, i);
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  Place to, bar;
  if (!find_shared(w, i, l, address_of(w, i, a, AsyncOp::kTo, l), a.space[AsyncOp::kTo], m.total_bytes,
                   m.total_bytes, to) ||
      !find_shared(w, i, l, address_of(w, i, a, AsyncOp::kBarrier, l), a.space[AsyncOp::kBarrier], 8, 8, bar))
    return;
  Load load;
  load.bytes = m.total_bytes;
  load.data.resize(m.total_bytes);
  for (u32 k = 0; k < m.count; ++k) {
    const u64 v = m.registers_wide >> k & 1 ? w.row<u64>(m.registers[k])[l] : w.row<u32>(m.registers[k])[l];
    std::memcpy(load.data.data() + k * m.element_bytes, &v, m.element_bytes);
  }
  if (a.reduces) {
    load.combine = combine_elements;
    load.how = reduction(a.atomic, a.type);
  }
  begin_load(w, i, l, to, bar, std::move(load));
}

void cluster_address(Warp& w, const Ins& i, u32 mask) {
  const u32 size = static_cast<u32>(w.block->cluster->blocks.size());
  each_lane(mask, [&](u32 l) {
    if (w.machine->stop) return;
    u64 v = i.aux ? w.row<u64>(i.a)[l] : w.row<u32>(i.a)[l];
    const u64 base = i.imm ? 0 : memory::kSharedWindow;
    if (!i.imm && v - base >= memory::kSharedWindowSize) {
      illegal(w, i, l,
              fmt::format("maps address {:#x} to another block, which does not lie in shared memory.", v));
      return;
    }
    v -= base;
    const u64 rank = v >> memory::kClusterShift;
    if (i.op == Op::getctarank) {
      w.row<u32>(i.d)[l] = rank ? static_cast<u32>(rank - 1) : w.block->rank;
      return;
    }
    const u32 target = w.row<u32>(i.b)[l];
    if (target >= size) {
      illegal(w, i, l,
              fmt::format("maps shared memory to the block of rank {}, but its cluster has {} block{}.",
                          target, size, size == 1 ? "" : "s"));
      return;
    }
    const u64 mapped = base + (u64{target + 1} << memory::kClusterShift) + (v & kOffsetMask);
    if (i.aux)
      w.row<u64>(i.d)[l] = mapped;
    else
      w.row<u32>(i.d)[l] = static_cast<u32>(mapped);
  });
}

/// Runs f with the registers of a split that is not the current one.
template <class F>
auto with_split(Warp& w, const Split& s, F f) {
  std::byte* const rows = w.base[0];
  w.base[0] = s.frame->rows;
  const auto result = f(w.machine->code.instructions[s.pc]);
  w.base[0] = rows;
  return result;
}

void wake(Warp& w) {
  if (w.status == Warp::Status::blocked || w.current >= w.splits.size()) {
    w.current = kNoRpc;
    merge_splits(w);
    choose_split(w);
  }
}

}  // namespace

bool async_instruction(Warp& w, const Ins& i, u32 mask) {
  const auto lanes = [&](void (*f)(Warp&, const Ins&, u32)) {
    each_lane(mask, [&](u32 l) {
      if (!w.machine->stop) f(w, i, l);
    });
  };
  switch (i.op) {
    case Op::mbarrier_test_wait:
    case Op::mbarrier_try_wait:
      wait(w, i, mask);
      return true;
    case Op::mbarrier_init:
      init(w, i, mask);
      break;
    case Op::mbarrier_inval:
      inval(w, i, mask);
      break;
    case Op::mbarrier_arrive:
      arrive(w, i, mask);
      break;
    case Op::mbarrier_expect_tx:
    case Op::mbarrier_complete_tx:
      transactions(w, i, mask);
      break;
    case Op::mbarrier_pending_count:
      each_lane(mask, [&](u32 l) { w.row<u32>(i.d)[l] = Mbarrier::pending_of(w.row<u64>(i.b)[l]); });
      break;
    case Op::cp_async_mbarrier:
      cp_async_arrive(w, i, mask);
      break;
    case Op::bulk_load:
      lanes(bulk_load_lane);
      break;
    case Op::bulk_store:
      lanes(bulk_store_lane);
      break;
    case Op::store_async:
      lanes(store_async_lane);
      break;
    case Op::bulk_commit:
      w.bulk_stores.commit(mask);
      break;
    case Op::bulk_wait:
      w.block->pending_copies -= static_cast<u32>(
          w.bulk_stores.wait(mask, static_cast<u32>(i.imm), op_of(w, i).reads_only, w.block->shared.data()));
      break;
    case Op::mapa:
    case Op::getctarank:
      cluster_address(w, i, mask);
      break;
    default:
      return false;
  }
  ++w.pc;
  return true;
}

void poll_waiting(Warp& w) {
  bool any = false, woken = false;
  for (Split& s : w.splits) {
    if (s.state != Split::State::waiting) continue;
    const bool go = with_split(w, s, [&](const Ins& i) {
      return i.op == Op::barrier_cluster_wait ? cluster_wait_over(w, s.mask) : over(w, i, s.mask) != 0;
    });
    if (w.machine->stop) return;
    any |= !go;
    if (!go) continue;
    s.state = Split::State::running;
    woken = true;
  }
  w.waits = any;
  if (woken) wake(w);
}

bool time_out(Warp& w) {
  bool woken = false;
  for (Split& s : w.splits)
    if (s.state == Split::State::waiting && w.machine->code.instructions[s.pc].op == Op::mbarrier_try_wait) {
      s.state = Split::State::running;
      s.timed_out = woken = true;
    }
  if (woken) wake(w);
  return woken;
}

std::string waits_for(Warp& w, const Split& s) {
  if (w.machine->code.instructions[s.pc].op == Op::barrier_cluster_wait) {
    u32 live = 0;
    for (const Block* b : w.block->cluster->blocks) live += b->live_threads;
    return fmt::format(" at the cluster's barrier for {} threads, of which {} have come.", live,
                       w.block->cluster->arrived);
  }
  return with_split(w, s, [&](const Ins& i) {
    const u32 lane = static_cast<u32>(__builtin_ctz(s.mask));
    const u32 offset = static_cast<u32>(address_of(w, i, op_of(w, i), AsyncOp::kTo, lane)) & kOffsetMask;
    const Mbarrier* b = w.block->async->mbarriers.find(offset);
    if (!b) return std::string(" at an mbarrier.");
    std::string text =
        fmt::format(" at the mbarrier at shared memory offset {}, whose phase {} lacks ", offset, b->phase);
    if (b->pending || b->bytes <= 0) text += fmt::format("{} of {} arrivals", b->pending, b->expected);
    if (b->bytes > 0)
      text += fmt::format("{}{} bytes that were announced (expect_tx) and that no copy brings",
                          b->pending ? " and " : "", b->bytes);
    if (b->bytes < 0)
      text += fmt::format("; copies brought {} bytes more than were announced (expect_tx)", -b->bytes);
    u64 coming = 0;
    for (const Load& l : w.block->async->loads)
      if (l.mbarrier == offset) coming += l.bytes;
    if (coming) text += fmt::format("; copies of {} bytes are under way to it", coming);
    if (i.flags & lower::kTwo && !b->ended_parity(w.row<u32>(i.b)[lane]) && b->pending == b->expected &&
        b->phase)
      text +=
          ". If that phase was not to be waited for, the wait's parity was not flipped after the phase "
          "before";
    return text + ".";
  });
}

void proxy_fence(Warp& w) {
  if (w.block->async) w.block->async->proxy.fence(w.id.warp);
}

void watch_shared(Warp& w, const Ins& i, const MemoryOp& m, const u64* at, u32 mask, Block& owner) {
  const bool writes = m.kind != observe::AccessKind::load;
  async::BlockAsync& all = *owner.async;
  const bool copying = owner.pending_copies > static_cast<u32>(w.machine->uses_bulk_stores);
  each_lane(mask, [&](u32 l) {
    if (w.machine->stop) return;
    const u64 from = at[l], to = from + m.total_bytes;
    if (copying) {
      for (const Load& load : all.loads) {
        if (to <= load.offset || load.offset + load.bytes <= from) continue;
        return w.machine->fault(
            w, i, FindingKind::missing_wait, l,
            Machine::who(w, l) +
                fmt::format(" touches shared memory at offset {} that the asynchronous copy begun at line {} "
                            "is still "
                            "writing; wait for the phase of the mbarrier that the copy completes on, with "
                            "the parity or "
                            "token of that phase, and announce the copy's bytes there (expect_tx).",
                            from, load.site < w.machine->sites.size() ? w.machine->sites[load.site].line : 0),
            observe::Memory::shared, from);
      }
      for (u32 n = 0; writes && n < owner.warp_count; ++n)
        if (const Store* s = owner.warps[n]->bulk_stores.reading(from, m.total_bytes))
          return w.machine->fault(
              w, i, FindingKind::missing_wait, l,
              Machine::who(w, l) +
                  fmt::format(" writes shared memory at offset {} that the bulk store begun at line {} has "
                              "not read yet; "
                              "wait for it (cp.async.bulk.wait_group.read) and synchronise before writing "
                              "there again.",
                              from, s->site < w.machine->sites.size() ? w.machine->sites[s->site].line : 0),
              observe::Memory::shared, from);
    }
    if (writes && w.machine->uses_bulk_stores)
      all.proxy.written(static_cast<u32>(from), m.total_bytes, &owner == w.block ? w.id.warp : ~0u);
  });
}

void finish_async(Block& block) {
  for (u32 n = 0; n < block.warp_count; ++n) {
    Warp& w = *block.warps[n];
    if (const Store* s = w.bulk_stores.unread()) {
      Ins at;
      at.site = s->site;
      w.machine->fault(
          w, at, FindingKind::missing_wait, s->lane,
          Machine::who(w, s->lane) +
              " ends without having waited for its bulk store, which may still read shared memory that is "
              "given to another block by then; commit it and wait (cp.async.bulk.commit_group, "
              "cp.async.bulk.wait_group.read) first.",
          observe::Memory::shared, s->offset);
      return;
    }
    w.bulk_stores.finish(block.shared.data());
  }
}

}  // namespace simgpu::exec
