/// @file
/// From an instruction's addresses to host pointers: windows, bounds, alignment, and the event for observers.
#pragma once

#include "simgpu/exec/lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {

/// Addresses of one warp access. Lanes that do not take part hold the address of the first one that does.
struct Addresses {
  alignas(32) u64 at[32];    ///< as observers see them (see observe::Access::address)
  alignas(32) u64 host[32];  ///< where the bytes lie
  u32 mask = 0;
  bool contiguous = false;  ///< all 32 lanes, one after the other; only host[0] need be set
  bool uniform = false;     ///< all lanes the same address
  Block* owner = nullptr;   ///< another block of the cluster, whose shared memory it is
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

/// The two frequent patterns of a full warp, recognised on the registers alone: lane after lane, or all the
/// same (the latter for loads of 4-byte elements only). Sets at[0] and the flag; spread() fills in the other
/// addresses.
inline bool quick_pattern(Warp& w, const Ins& i, const MemoryOp& m, Addresses& out) {
  const u32 step = m.total_bytes;
  bool in_step, equal;
  if (m.wide_address) {
    const u64* a = w.row<u64>(i.a);
    const u64 first = a[0];
    u64 gap = 0, difference = 0;
    SIMGPU_LANES {
      gap |= a[l] - (first + static_cast<u64>(l) * step);
      difference |= a[l] ^ first;
    }
    in_step = gap == 0;
    equal = difference == 0;
    out.at[0] = first + static_cast<u64>(i.imm);
  } else {
    const u32* a = w.row<u32>(i.a);
    const u32 first = a[0];
    u32 gap = 0, difference = 0;
    SIMGPU_LANES {
      gap |= a[l] - (first + static_cast<u32>(l) * step);
      difference |= a[l] ^ first;
    }
    in_step = gap == 0;
    equal = difference == 0;
    out.at[0] = static_cast<u32>(first + static_cast<u32>(i.imm));
  }
  out.mask = kFull;
  out.contiguous = in_step;
  out.uniform = equal && m.kind == observe::AccessKind::load && m.element_bytes == 4 && m.registers_wide == 0;
  return (out.contiguous || out.uniform) && (out.at[0] & (step - 1)) == 0;
}
/// Bytes from the first address to the end of the access.
inline u64 quick_span(const MemoryOp& m, const Addresses& a) {
  return a.contiguous ? 32ull * m.total_bytes : m.total_bytes;
}
inline void spread(const MemoryOp& m, Addresses& a) {
  const u64 first = a.at[0], step = a.contiguous ? m.total_bytes : 0;
  SIMGPU_LANES a.at[l] = first + static_cast<u64>(l) * step;
}

/// Fills in `host` of a contiguous access.
inline void expand_hosts(Addresses& a, u32 step) {
  const u64 first = a.host[0];
  SIMGPU_LANES a.host[l] = first + static_cast<u64>(l) * step;
}

/// Tells every observer.
inline void tell(Warp& w, const Ins& i, const MemoryOp& m, const Addresses& a, observe::Memory memory,
                 observe::AccessKind kind, bool adds_one = false, observe::Unwritten* unwritten = nullptr,
                 const observe::StoredValues* values = nullptr) {
  const Machine& machine = *w.machine;
  if (!machine.any_observer) return;
  observe::Access access;
  access.site = machine.site_of(i);
  access.warp = &w.id;
  access.memory = memory;
  access.kind = kind;
  access.hint = m.hint;
  access.ordering = m.ordering;
  access.scope = m.scope;
  access.bytes = m.total_bytes;
  access.non_coherent = m.non_coherent;
  access.adds_one = adds_one;
  access.mask = a.mask;
  access.address = a.at;
  if (a.owner) access.owner = &a.owner->warps[0]->id;
  access.unwritten = unwritten;
  access.values = values;
  for (observe::Observer* o : machine.observers) o->access(access);
}

/// Finds host addresses, checking bounds and alignment. Slow cases and faults are in access.cpp.
/// @return false if the launch has been ended by a fault.
bool locate_global(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a, bool writes);
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
void check_pending_copies(Warp& w, const Ins& i, const MemoryOp& m, const Addresses& a);

}  // namespace simgpu::exec::SIMGPU_ISA
