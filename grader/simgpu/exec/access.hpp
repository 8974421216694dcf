/// @file
/// From an instruction's addresses to host pointers: windows, bounds, alignment, and the event for observers.
#pragma once

#include "simgpu/exec/lanes.hpp"
#include "simgpu/exec/shapes.hpp"

namespace simgpu::exec::SIMGPU_ISA {

/// Addresses of one warp access. Lanes that do not take part hold the address of the first one that does.
struct Addresses {
  alignas(32)
      u64 at[32];  ///< as observers see them (see observe::Access::address); of known shape: room for them
  alignas(32) u64 host[32];  ///< where the bytes lie
  u32 mask = 0;
  u32 missed =
      0;  ///< of `mask`: lanes out of bounds in a launch that keeps going; their bytes lie nowhere, nobody is told
  bool contiguous = false;  ///< all 32 lanes, one after the other; only host[0] need be set
  bool uniform = false;     ///< all lanes the same address
  const LaneShape* shape =
      nullptr;             ///< if known; only `first` and host[0], the first active lane's, need be set then
  u64 first = 0;           ///< of known shape: the first active lane's address
  Block* owner = nullptr;  ///< another block of the cluster, whose shared memory it is
};

/// Computes `at` from register a and the offset.
inline void compute_addresses(Warp& w, const Ins& i, const MemoryOp& m, u32 mask, Addresses& out) {
  out.mask = mask;
  const u64 offset = static_cast<u64>(i.imm);
  if (m.wide_address) {
    const u64* a = w.row<u64>(i.a);
    SIMGPU_LANES out.at[l] = a[l] + offset;
  } else {
    const u32* a = w.row<u32>(i.a);
    const u32 low = static_cast<u32>(offset);
    SIMGPU_LANES out.at[l] = a[l] + low;
  }
  if (mask != kFull) {
    const u64 first = out.at[__builtin_ctz(mask)];
    SIMGPU_LANES {
      const u64 m64 = 0ull - (mask >> l & 1);
      out.at[l] = (out.at[l] & m64) | (first & ~m64);
    }
  }
}

/// Looks for an access among its site's recent shapes. @param offset from the address register @param first the first active lane's address
/// @return nullptr if there is none that fits, or its addresses might be misaligned.
inline const LaneShape* shape_of(Warp& w, const Ins& i, bool wide, u32 bytes, u32 mask, u64 offset,
                                 u64& first) {
  Machine& machine = *w.machine;
  SiteShapes& site = machine.caches[i.site].shapes;
  const int lane = __builtin_ctz(mask);
  const LaneShape* s;
  if (wide) {
    const u64* a = w.row<u64>(i.a);
    first = a[lane] + offset;
    s = find_shape(machine.shapes, site, a, a[lane], mask, bytes);
  } else {
    const u32* a = w.row<u32>(i.a);
    first = a[lane] + static_cast<u32>(offset);
    s = find_shape(machine.shapes, site, a, a[lane], mask, bytes);
  }
  return s && s->aligned && (first & (bytes - 1u)) == 0 ? s : nullptr;
}
inline const LaneShape* shape_of(Warp& w, const Ins& i, const MemoryOp& m, u32 mask, u64& first) {
  return shape_of(w, i, m.wide_address, m.total_bytes, mask, static_cast<u64>(i.imm), first);
}

/// The same of words in a straight stretch, where an earlier access may have had its address from the same register.
template <bool is_shared>
inline const LaneShape* shape_in_stretch(Warp& w, const Ins& i, u32 mask, u64& first) {
  const u32 bytes = i.aux2 / kLaneBytes;
  Machine& machine = *w.machine;
  const bool wide = (i.aux2 & kWideWordAddress) != 0;
  u64 offset = static_cast<u64>(i.imm);
  if (!is_shared && (i.aux2 & kPlusUniform)) offset += w.row<u64>(i.c)[__builtin_ctz(mask)];
  const LaneShape*& known = machine.stretch_shapes[i.aux2 % kShapeSlots];
  if (i.aux2 & kFollowsShape) {
    SiteShapes& site = machine.caches[i.site].shapes;
    if (known && site.recent[0] == known) [[likely]] {
      site.misses = 0;
      const int lane = __builtin_ctz(mask);
      first = wide ? w.row<u64>(i.a)[lane] + offset : w.row<u32>(i.a)[lane] + static_cast<u32>(offset);
      return (first & (bytes - 1u)) == 0 ? known : nullptr;
    }
    return shape_of(w, i, wide, bytes, mask, offset, first);
  }
  const LaneShape* const s = shape_of(w, i, wide, bytes, mask, offset, first);
  if (i.aux2 & kLeadsShape) known = s;
  return s;
}

/// Adds @p first to the shape's offsets. Lanes that do not take part get @p first.
inline void spread(const LaneShape& s, u64 first, u64* to) {
  if (s.wide) {
    const u64* r = s.offsets<u64>();
    SIMGPU_LANES to[l] = first + r[l];
  } else {
    const s32* r = s.offsets<s32>();
    SIMGPU_LANES to[l] = first + static_cast<u64>(static_cast<s64>(r[l]));
  }
}

/// The same for observers that ask: see observe::LaneAddresses.
inline void spread_for_observers(const void* shape, u64 first, u64* to) {
  spread(*static_cast<const LaneShape*>(shape), first, to);
}

/// The access of this shape whose first active lane lies at @p first, for observers. @param room for 32 addresses
inline observe::LaneAddresses addresses_of(const LaneShape& s, u64 first, u64* room) {
  using Lie = observe::LaneAddresses::Lie;
  const Lie lie = s.contiguous ? Lie::side_by_side : s.uniform ? Lie::together : Lie::anyhow;
  return {&s, first, spread_for_observers, room, lie};
}

/// An access of known shape, all of whose bytes are there. @param host_of_first where the first active lane's bytes lie
inline void place(const LaneShape& s, u64 first, u64 host_of_first, Addresses& a) {
  a.mask = s.mask;
  a.contiguous = s.contiguous;
  a.uniform = s.uniform;
  a.shape = &s;
  a.first = first;
  a.host[0] = host_of_first;
}

/// Fills in `host` where only its first entry is set.
inline void expand_hosts(const MemoryOp& m, Addresses& a) {
  const u64 first = a.host[0];
  if (a.shape) {
    spread(*a.shape, first, a.host);
  } else if (a.contiguous) {
    SIMGPU_LANES a.host[l] = first + static_cast<u64>(l) * m.total_bytes;
  }
}

/// Whether the cache policy in operand e (of the first active lane) is evict-first; see FunctionLowering::decode_policy().
inline bool evicts_first(const Warp& w, const Ins& i, u32 mask) {
  return lower::evicts_first(w.row<u64>(i.e)[__builtin_ctz(mask)]);
}

/// Tells every observer of an access that @p access says all of but what is this execution's own.
inline void tell(const Warp& w, Addresses& a, observe::Access& access, observe::Memory memory,
                 observe::Unwritten* unwritten, const observe::StoredValues* values) {
  access.warp = &w.id;
  if (access.memory != memory) access.memory = memory;  // observers read it together with what lies beside it
  access.mask = a.mask & ~a.missed;
  if (a.shape)
    access.address = addresses_of(*a.shape, a.first, a.at);
  else
    access.address = a.at;
  access.shape = a.shape ? a.shape->id : 0;
  access.owner = a.owner ? &a.owner->warps[0]->id : nullptr;
  access.unwritten = unwritten;
  access.values = values;
  for (observe::Observer* o : w.machine->observers) o->access(access);
}

/// Tells every observer.
inline void tell(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a, observe::Memory memory,
                 observe::AccessKind kind, bool adds_one = false, observe::Unwritten* unwritten = nullptr,
                 const observe::StoredValues* values = nullptr) {
  const Machine& machine = *w.machine;
  if (!machine.any_observer || a.mask == a.missed) return;
  observe::Access access = machine.access_of(i, m);
  access.kind = kind;
  access.evict_first |= m.has_policy && evicts_first(w, i, a.mask);
  access.adds_one = adds_one;
  tell(w, a, access, memory, unwritten, values);
}

/// Finds host addresses, checking bounds and alignment. Slow cases and faults are in access.cpp.
/// @return false if the launch has been ended by a fault.
bool locate_global(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a);
bool locate_shared(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a);
/// Any space; generic addresses of one window. @param memory where it turned out to be.
bool locate(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a, bool writes, observe::Memory& memory);
/// For generic addresses and those of a cluster: lanes of @p mask whose address lies in the same window (and block's
/// shared memory) as the first one's.
u32 same_window(const MemoryOp& m, const Addresses& a, u32 mask);
inline bool may_mix_windows(const MemoryOp& m) {
  return m.space == lower::AddressSpace::generic || m.of_cluster;
}

/// Finds uses of shared memory that an asynchronous copy will still write or read.
void check_pending_copies(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a);

}  // namespace simgpu::exec::SIMGPU_ISA
