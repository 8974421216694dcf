/// @file
/// Address resolution: see access.hpp.
#include "simgpu/exec/access.hpp"

#include "simgpu/exec/words.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

struct Range {
  s64 low, high;
  u64 unaligned;  ///< or of all addresses' low bits
  bool contiguous;
};

inline Range range_of(const Addresses& a, u32 bytes) {
  s64 low = static_cast<s64>(a.at[0]), high = low;
  u64 bits = 0, gap = 0;
  const u64 first = a.at[0];
  for (int l = 0; l < 32; ++l) {
    const s64 v = static_cast<s64>(a.at[l]);
    low = v < low ? v : low;
    high = v > high ? v : high;
    bits |= a.at[l];
    gap |= a.at[l] - (first + static_cast<u64>(l) * bytes);
  }
  return {low, high, bits & (bytes - 1), gap == 0 && a.mask == kFull};
}

/// Lane @p l cannot make its access: it does without, or the launch ends. @return false if it ends.
bool leave_out(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a, u32 l, observe::Memory space) {
  if (!memory_fault(w, i, m, l, a.at[l], m.total_bytes, space, 0, /*may_pass=*/true)) return false;
  a.missed |= 1u << l;
  return true;
}
bool takes_part(const Addresses& a, u32 l) {
  return (a.mask & ~a.missed) >> l & 1;
}

/// Gives the lanes that are left out their bytes.
void send_nowhere(Warp& w, Addresses& a) {
  if (!a.missed) return;
  a.contiguous = a.uniform = false;
  each_lane(a.missed, [&](u32 l) { a.host[l] = reinterpret_cast<u64>(w.machine->nowhere(l)); });
}

/// @return false if the launch has been ended.
bool aligned(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a, observe::Memory space) {
  for (u32 l = 0; l < 32; ++l)
    if ((a.mask >> l & 1) && (a.at[l] & (m.total_bytes - 1u)) && !leave_out(w, i, m, a, l, space))
      return false;
  return true;
}

/// Lanes one by one: several allocations, or one that is not there.
bool locate_lanes(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a) {
  const memory::Allocation* last = nullptr;
  const u32 first = static_cast<u32>(__builtin_ctz(a.mask));
  for (u32 l = 0; l < 32; ++l) {
    if (!takes_part(a, l)) continue;
    if (!last || !last->contains(a.at[l], m.total_bytes)) last = w.machine->memory.find(a.at[l]);
    if (!last || !last->live || !last->contains(a.at[l], m.total_bytes)) {
      if (!leave_out(w, i, m, a, l, observe::Memory::global)) return false;
      continue;
    }
    a.host[l] = reinterpret_cast<u64>(last->host) + (a.at[l] - last->base);
    if (l == first) {
      SiteCache& cache = w.machine->caches[i.site];
      cache.low = last->base;
      cache.high = last->end();
      cache.delta = reinterpret_cast<u64>(last->host) - last->base;
    }
  }
  send_nowhere(w, a);
  for (u32 l = 0; l < 32; ++l)
    if (!(a.mask >> l & 1)) a.host[l] = a.host[first];
  return true;
}

}  // namespace

bool locate_global(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a) {
  const Range r = range_of(a, m.total_bytes);
  if (r.unaligned && !aligned(w, i, m, a, observe::Memory::global)) return false;
  const SiteCache& cache = w.machine->caches[i.site];
  a.contiguous = r.contiguous;
  a.uniform = r.low == r.high;
  if (!a.missed && r.low >= static_cast<s64>(cache.low) &&
      static_cast<u64>(r.high) + m.total_bytes <= cache.high && r.high >= 0) {
    const u64 delta = cache.delta;
    if (r.contiguous) {
      a.host[0] = a.at[0] + delta;
    } else {
      SIMGPU_LANES a.host[l] = a.at[l] + delta;
    }
    return true;
  }
  const bool ok = locate_lanes(w, i, m, a);
  a.contiguous = a.contiguous && ok && a.host[31] - a.host[0] == a.at[31] - a.at[0];
  return ok;
}

bool locate_shared(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a) {
  const Range r = range_of(a, m.total_bytes);
  if (r.unaligned && !aligned(w, i, m, a, observe::Memory::shared)) return false;
  const u64 size = w.machine->shared_bytes;
  if (r.low < 0 || static_cast<u64>(r.high) + m.total_bytes > size) {
    for (u32 l = 0; l < 32; ++l)
      if (takes_part(a, l) && (a.at[l] > size || a.at[l] + m.total_bytes > size) &&
          !leave_out(w, i, m, a, l, observe::Memory::shared))
        return false;
  }
  const u64 base = reinterpret_cast<u64>(w.block->shared.data());
  a.contiguous = r.contiguous && !a.missed;
  a.uniform = r.low == r.high && !a.missed;
  if (a.contiguous || a.uniform) {
    a.host[0] = a.at[0] + base;
    if (a.contiguous) return true;
  }
  SIMGPU_LANES a.host[l] = a.at[l] + base;
  send_nowhere(w, a);
  return true;
}

u32 same_window(const MemoryOp& m, const Addresses& a, u32 mask) {
  const bool offsets = m.space == lower::AddressSpace::shared;
  auto window = [&](u64 v) -> u64 {
    if (offsets) return v >> memory::kClusterShift;
    if (v - memory::kSharedWindow < memory::kSharedWindowSize)
      return 4 + ((v - memory::kSharedWindow) >> memory::kClusterShift);
    if (v - memory::kLocalWindow < memory::kLocalWindowSize) return 2;
    if (v - memory::kParamWindow < memory::kParamWindowSize) return 3;
    return 0;
  };
  const u64 first = window(a.at[__builtin_ctz(mask)]);
  u32 same = 0;
  for (u32 l = 0; l < 32; ++l)
    if ((mask >> l & 1) && window(a.at[l]) == first) same |= 1u << l;
  return same;
}

namespace {

/// Shared memory of any block of the cluster: the block's rank + 1 is above the offset.
bool locate_cluster(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a) {
  const u32 first = static_cast<u32>(__builtin_ctz(a.mask));
  const u64 rank = (a.at[first] >> memory::kClusterShift) - 1;
  const Cluster& cluster = *w.block->cluster;
  if (rank >= cluster.blocks.size()) return locate_shared(w, i, m, a);  // out of bounds
  for (u64& v : a.at) v &= (1ull << memory::kClusterShift) - 1;
  Block* target = cluster.blocks[rank];
  if (target == w.block) return locate_shared(w, i, m, a);
  if (target->live_warps == 0) {
    a.missed = a.mask;
    send_nowhere(w, a);
    return w.machine->passes(
        w, i, observe::FindingKind::out_of_bounds, first,
        Machine::who(w, first) + " reaches into the shared memory of the block of rank " +
            std::to_string(rank) +
            " of its cluster, which has already ended; let all blocks of the cluster meet "
            "(cluster.sync()) before any of them ends.",
        observe::Memory::shared, a.at[first]);
  }
  a.owner = target;
  const u64 own = reinterpret_cast<u64>(w.block->shared.data()),
            other = reinterpret_cast<u64>(target->shared.data());
  if (!locate_shared(w, i, m, a)) return false;
  expand_hosts(m, a);
  a.contiguous = false;
  for (u64& h : a.host) h += other - own;
  send_nowhere(w, a);
  return true;
}

}  // namespace

bool locate(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a, bool writes, observe::Memory& space) {
  using lower::AddressSpace;
  AddressSpace where = m.space;
  u64 window = 0;
  if (where == AddressSpace::generic) {
    const u64 v = a.at[__builtin_ctz(a.mask)];
    if (v - memory::kSharedWindow < memory::kSharedWindowSize)
      where = AddressSpace::shared, window = memory::kSharedWindow;
    else if (v - memory::kLocalWindow < memory::kLocalWindowSize)
      where = AddressSpace::local, window = memory::kLocalWindow;
    else if (v - memory::kParamWindow < memory::kParamWindowSize)
      where = AddressSpace::param, window = memory::kParamWindow;
    else
      where = AddressSpace::global;
  } else if (where == AddressSpace::param && a.at[__builtin_ctz(a.mask)] >= memory::kParamWindow) {
    window = memory::kParamWindow;
  }
  if (window)
    for (u64& v : a.at) v -= window;
  switch (where) {
    case AddressSpace::shared:
      space = observe::Memory::shared;
      if (a.at[__builtin_ctz(a.mask)] >> memory::kClusterShift) return locate_cluster(w, i, m, a);
      return locate_shared(w, i, m, a);
    case AddressSpace::global:
      space = observe::Memory::global;
      return locate_global(w, i, m, a);
    case AddressSpace::constant:
      space = observe::Memory::constant;
      return locate_global(w, i, m, a);
    default:
      break;
  }
  const bool local = where == AddressSpace::local;
  space = local ? observe::Memory::local : observe::Memory::param;
  if (!aligned(w, i, m, a, space)) return false;
  const u64 size = local ? w.machine->local_bytes : w.machine->launch.parameters.size();
  if (local && !w.local) {
    w.local_storage.assign(size * 32 + 64, std::byte{0xCD});
    w.local = w.local_storage.data();
  }
  const u64 base =
      local ? reinterpret_cast<u64>(w.local) : reinterpret_cast<u64>(w.machine->launch.parameters.data());
  a.contiguous = false;
  for (u32 l = 0; l < 32; ++l) {
    if (!(a.mask >> l & 1)) {
      a.host[l] = base;
      continue;
    }
    if (!takes_part(a, l)) continue;
    if (a.at[l] > size || a.at[l] + m.total_bytes > size || (!local && writes)) {
      if (!leave_out(w, i, m, a, l, space)) return false;
      continue;
    }
    a.host[l] = base + a.at[l] + (local ? l * size : 0);
  }
  send_nowhere(w, a);
  return true;
}

void check_pending_copies(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a) {
  if (a.shape) spread(*a.shape, a.first, a.at);
  Block& block = a.owner ? *a.owner : *w.block;
  const u32 mask = a.mask & ~a.missed;
  if (block.async) watch_shared(w, i, m, a.at, mask, block);
  if (w.machine->stop) return;
  u32 touching = 0;
  each_lane(mask, [&](u32 l) {
    if (block.pending_words.any(a.at[l], m.total_bytes)) touching |= 1u << l;
  });
  if (touching == 0) return;
  for (const auto& warp : block.warps)
    if (!warp->copies.empty())
      for (u32 l = 0; l < 32; ++l) {
        if (!(touching >> l & 1)) continue;
        const async::CopyGroups::Copy* copy = warp->copies.overlapping(a.at[l], m.total_bytes);
        if (!copy) continue;
        w.machine->passes(w, i, observe::FindingKind::missing_wait, l,
                          Machine::who(w, l) + " touches " + shared_element_at(*w.machine, i, a.at[l]) +
                              ", but the asynchronous copy to it, begun at " +
                              line_of(*w.machine, copy->site, i) +
                              ", has not been waited for; wait for the copy (__pipeline_wait_prior, "
                              "cp.async.wait_group or a "
                              "pipeline's consumer_wait), and then at a barrier, before you use the data.",
                          observe::Memory::shared, a.at[l]);
        return;
      }
}

}  // namespace simgpu::exec::SIMGPU_ISA
