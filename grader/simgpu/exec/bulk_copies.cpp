/// @file
/// Bulk and tensor copies, asynchronous stores: operands are checked, copies begun; what touches them too early is found. The
/// rules are in async/bulk_copy.hpp and async/tensor_map.hpp.
#include "simgpu/exec/asynchronous.hpp"
#include "simgpu/exec/warp_clock.hpp"
#include "simgpu/exec/words.hpp"

namespace simgpu::exec::asynchronous {

/// A copy into shared memory is begun: its destination is not to be touched until it is waited for.
bool begin_load(Warp& w, const Ins& i, u32 lane, const Place& to, const Place& bar, Load load) {
  if (bar.block != to.block)
    return illegal(w, i, lane, "copies into one block's shared memory and signals an mbarrier of another's.");
  if (!object_at(w, i, lane, bar)) return false;
  for (observe::Observer* o : w.machine->observers)
    o->mbarrier_used(*w.machine->site_of(i), w.id, 1u << lane, bar.block->warps[0]->id, bar.offset);
  Block& block = *to.block;
  for (const Load& other : block.async->loads)
    if (to.offset < other.offset + other.extent() && other.offset < to.offset + load.extent()) {
      if (!w.machine->passes(
              w, i, FindingKind::missing_wait, lane,
              fmt::format(
                  "{} begins a copy to shared memory at offset {}, into which the copy begun at {} is "
                  "still writing; wait for that one's mbarrier first.",
                  Machine::who(w, lane), to.offset, line_of(*w.machine, other.site, i)),
              observe::Memory::shared, to.offset))
        return false;
      break;
    }
  for (u32 n = 0; n < block.warp_count; ++n)
    if (block.warps[n]->bulk_stores.reading(to.offset, load.extent())) {
      if (!w.machine->passes(
              w, i, FindingKind::missing_wait, lane,
              fmt::format(
                  "{} begins a copy to shared memory at offset {}, which a bulk store still reads; wait "
                  "for that store first (cp.async.bulk.wait_group.read).",
                  Machine::who(w, lane), to.offset),
              observe::Memory::shared, to.offset))
        return false;
      break;
    }
  load.mbarrier = bar.offset;
  load.offset = to.offset;
  load.site = i.site;
  if (!load.combine) {
    block.async->proxy.overwritten(to.offset, load.extent());
  }
  const auto fills = [&](u32 offset, u32 bytes) {
    if (!load.combine) std::memset(block.shared.data() + offset, async::kPoison, bytes);
    for (observe::Observer* o : w.machine->observers) {
      if (!load.combine)
        o->shared_replaced(*w.machine->site_of(i), w.id, lane, block.warps[0]->id, offset, bytes);
      o->shared_filled(block.warps[0]->id, offset, bytes);
    }
  };
  if (load.gaps == 0)
    fills(to.offset, load.bytes);
  else
    for (const Load::Piece& piece : load.pieces) fills(piece.to, piece.bytes);
  load.begun_bytes = block.async->begun_bytes += load.bytes;
  load.begun_copies = ++block.async->begun_copies;
  if (w.clock) load.lands = w.clock->copy_lands(load.bytes, *w.machine->cost);
  block.async->loads.push_back(std::move(load));
  ++block.pending_copies;
  return true;
}

void tell_bulk(Warp& w, const Ins& i, u32 lane, observe::AccessKind kind,
               const std::vector<observe::BulkAccess::Span>& spans, u64 bytes,
               const async::TensorMap* map = nullptr, u32 row_bytes = 0) {
  observe::BulkAccess b;
  b.site = w.machine->site_of(i);
  b.warp = &w.id;
  b.lane = lane;
  b.kind = kind;
  b.spans = spans.data();
  b.span_count = spans.size();
  b.bytes = bytes;
  if (map) {
    b.tensor = true;
    b.swizzle_bytes = async::span_of(map->swizzle);
    b.row_bytes = row_bytes;
  }
  if (const AsyncOp& a = op_of(w, i); a.multicast) {
    b.multicast = true;
    b.targets = static_cast<u32>(__builtin_popcount(w.row<u32>(i.f)[lane] & 0xFFFF));
  }
  b.cost = w.machine->cost;
  if (!b.site) return;
  for (observe::Observer* o : w.machine->observers) o->bulk_access(b);
}

/// A copy from @p block's shared memory is begun.
void tell_source(Warp& w, const Ins& i, u32 lane, const Block& block, u32 offset, u32 bytes) {
  if (const observe::Site* site = w.machine->site_of(i))
    for (observe::Observer* o : w.machine->observers)
      o->shared_copied(*site, w.id, lane, block.warps[0]->id, offset, bytes);
}

/// Bytes on their way into another block's shared memory.
void tell_remote(Warp& w, u64 bytes) {
  for (observe::Observer* o : w.machine->observers) o->remote_copy(w.id, bytes);
}

/// A box of a tensor: its map, its rows and where they lie.
struct Box {
  async::TensorMap map;
  u32 row_bytes = 0, bytes = 0, gaps = 0;
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
  } else if (map_address - memory::kLocalWindow < memory::kLocalWindowSize) {
    return illegal(
        w, i, lane,
        "uses a tensor map in local memory, which the copy engine cannot read: the address of a "
        "parameter is that of a copy, unless the parameter is a `const __grid_constant__ CUtensorMap`.",
        observe::Memory::param, map_address);
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
  // Both were seen on an H200, which answers with an illegal instruction.
  if (const s64 place = s64{start[0]} * async::bytes_of(box.map.type); place % 16 != 0)
    return illegal(
        w, i, lane,
        fmt::format("copies a box that starts {} bytes into its row (coordinate {} of the first dimension); "
                    "boxes have to start at multiples of 16 bytes there.",
                    place, start[0]));
  for (u32 d = 0; writes && d < m.count; ++d)
    if (start[d] < 0)
      return illegal(
          w, i, lane,
          fmt::format("stores a box at coordinate {} of dimension {}; only loads may start before the "
                      "tensor, so store the part that lies inside.",
                      start[d], d));
  if (box.map.shared_bytes() > w.machine->shared_bytes)
    return illegal(w, i, lane,
                   fmt::format("moves a box of {} bytes, but the block has {} bytes of shared memory.",
                               box.map.shared_bytes(), w.machine->shared_bytes));
  box.rows = async::rows_of(box.map, start, box.row_bytes);
  box.bytes = static_cast<u32>(box.map.box_bytes());
  box.gaps = static_cast<u32>(box.map.shared_bytes()) - box.bytes;
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

/// What lies outside reads as: a pattern of 16 bits for every type, as on an H200.
u64 fill_of(const async::TensorMap& map) {
  return map.fill_nan ? 0x7FF7'7FF7'7FF7'7FF7ull : 0;
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
    tell_source(w, i, l, *p.block, p.offset, bytes);
    if (p.block->async)
      if (const u32 at = p.block->async->proxy.first_unfenced(p.offset, bytes);
          at != ~0u &&
          !w.machine->passes(
              w, i, FindingKind::missing_fence, l,
              Machine::who(w, l) +
                  fmt::format(" begins a bulk copy from shared memory that ordinary stores wrote (at "
                              "offset {}), without a proxy fence in between; the writing threads have "
                              "to execute fence.proxy.async before the barrier.",
                              at),
              observe::Memory::shared, at))
        return;
  }
  if (global)
    tell_bulk(w, i, l, observe::AccessKind::load, box.spans, a.prefetch ? 0 : bytes,
              a.tensor ? &box.map : nullptr, box.row_bytes);
  if (a.prefetch) return;
  Place to, bar;
  if (!find_shared(w, i, l, address_of(w, i, a, AsyncOp::kTo, l), a.space[AsyncOp::kTo], bytes + box.gaps,
                   a.tensor ? 128 : 16, to) ||
      !find_shared(w, i, l, address_of(w, i, a, AsyncOp::kBarrier, l), a.space[AsyncOp::kBarrier], 8, 8, bar))
    return;
  if (!global && to.block != w.block) tell_remote(w, bytes);
  Load load;
  load.bytes = bytes;
  if (a.tensor) {
    load.gaps = box.gaps;
    load.fill = fill_of(box.map);
    load.to_tf32 = box.map.type == async::TensorType::tf32 || box.map.type == async::TensorType::tf32_ftz;
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
  const auto begin = [&](const Place& there, const Place& signal) {
    if (!begin_load(w, i, l, there, signal, load)) return false;
    if (global)
      for (observe::Observer* o : w.machine->observers)
        o->bulk_signals(signal.block->warps[0]->id, signal.offset);
    return true;
  };
  if (!a.multicast) {
    begin(to, bar);
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
    if (!begin({blocks[rank], to.offset}, {blocks[rank], bar.offset})) return;
  }
}

void bulk_store_lane(Warp& w, const Ins& i, u32 l) {
  const AsyncOp& a = op_of(w, i);
  const u64 to = address_of(w, i, a, AsyncOp::kTo, l);
  Box box;
  u32 bytes = 0;
  if (a.tensor) {
    if (!find_box(w, i, l, to, true, box)) return;
    bytes = box.bytes + box.gaps;
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
  if (const u32 at = w.block->async->proxy.first_unfenced(from.offset, bytes);
      at != ~0u &&
      !w.machine->passes(
          w, i, FindingKind::missing_fence, l,
          Machine::who(w, l) +
              fmt::format(" begins a bulk store from shared memory that ordinary stores wrote (at "
                          "offset {}), without a proxy fence in between: the copy engine may read old "
                          "values. Every writing thread has to execute fence.proxy.async "
                          "(fence_proxy_async) after its stores and before the barrier.",
                          at),
          observe::Memory::shared, at))
    return;
  for (const Load& load : w.block->async->loads)
    if (from.offset < load.offset + load.extent() && load.offset < from.offset + bytes &&
        !w.machine->passes(
            w, i, FindingKind::missing_wait, l,
            Machine::who(w, l) +
                fmt::format(" begins a bulk store from shared memory at offset {}, into which a copy is "
                            "still writing; wait for that copy's mbarrier first.",
                            from.offset),
            observe::Memory::shared, from.offset))
      return;
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
            bytes - box.gaps, a.tensor ? &box.map : nullptr, box.row_bytes);
  for (const Store::Piece& piece : store.pieces) tell_source(w, i, l, *w.block, piece.from, piece.bytes);
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
  if (to.block != w.block) tell_remote(w, m.total_bytes);
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

}  // namespace simgpu::exec::asynchronous

namespace simgpu::exec {

using namespace asynchronous;

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
        if (to <= load.offset || load.offset + load.extent() <= from) continue;
        if (!w.machine->passes(
                w, i, FindingKind::missing_wait, l,
                Machine::who(w, l) +
                    fmt::format(
                        " touches {}, which the asynchronous copy begun at {} is still writing; wait for the "
                        "phase of the mbarrier that the copy completes, with the parity or token of that "
                        "phase, and announce the copy's bytes there (expect_tx).",
                        shared_element_at(*w.machine, i, from), line_of(*w.machine, load.site, i)),
                observe::Memory::shared, from))
          return;
        break;
      }
      for (u32 n = 0; writes && n < owner.warp_count; ++n)
        if (const Store* s = owner.warps[n]->bulk_stores.reading(from, m.total_bytes))
          if (!w.machine->passes(
                  w, i, FindingKind::missing_wait, l,
                  Machine::who(w, l) +
                      fmt::format(
                          " writes {}, which the bulk store begun at {} has not read yet; wait for it "
                          "(cp.async.bulk.wait_group.read), and then at a barrier, before you write there "
                          "again.",
                          shared_element_at(*w.machine, i, from), line_of(*w.machine, s->site, i)),
                  observe::Memory::shared, from))
            return;
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
      if (!w.machine->passes(
              w, at, FindingKind::missing_wait, s->lane,
              Machine::who(w, s->lane) +
                  " ends without having waited for its bulk store, which may still read shared memory that "
                  "is "
                  "given to another block by then; commit it and wait (cp.async.bulk.commit_group, "
                  "cp.async.bulk.wait_group.read) first.",
              observe::Memory::shared, s->offset))
        return;
    }
    w.bulk_stores.finish(block.shared.data());
  }
}

}  // namespace simgpu::exec
