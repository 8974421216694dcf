/// @file
/// cp.async: checks and events at once, data when waited for (see async/copy_groups.hpp).
#include <algorithm>
#include <bit>

#include "simgpu/exec/access.hpp"
#include "simgpu/exec/unwritten.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

constexpr std::array<u16, 8> kNothings{kNothing, kNothing, kNothing, kNothing,
                                       kNothing, kNothing, kNothing, kNothing};

void begin(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& to_op = w.machine->code.memory_ops[i.aux];
  MemoryOp from_op = to_op;
  from_op.space = lower::AddressSpace::global;
  from_op.kind = observe::AccessKind::load;
  from_op.wide_address = true;
  Ins from_ins = i;
  from_ins.a = i.b;
  from_ins.imm = static_cast<s32>(i.aux2);
  // Lanes with a source size of 0 read nothing; those with less than the whole may lie at an allocation's end.
  const bool ignores = i.flags & lower::kTwo;  // a predicate says which lanes' sources are left out
  const u32* sizes = ignores || i.c == lower::kNoOperand ? nullptr : w.row<u32>(i.c);
  Addresses from, to;
  u64 source[32];
  u32 reading = 0;
  observe::Unwritten holes;
  for (u32 rest = ignores ? mask & ~w.predicate(i.c) : mask; rest;) {
    u32 bytes = to_op.total_bytes, part = rest;
    if (sizes) {
      bytes = std::min<u32>(bytes, sizes[__builtin_ctz(rest)]);
      each_lane(rest, [&](u32 l) {
        if (std::min<u32>(to_op.total_bytes, sizes[l]) != bytes) part &= ~(1u << l);
      });
    }
    rest &= ~part;
    if (bytes == 0) continue;
    // An access has a power of two of bytes: the rest of an odd size goes unwatched.
    from_op.total_bytes = from_op.element_bytes = static_cast<u8>(std::bit_floor(bytes));
    compute_addresses(w, from_ins, from_op, part, from);
    if (!locate_global(w, i, from_op, from)) return;
    expand_hosts(from_op, from);
    observe::Unwritten found;
    tell(w, i, from_op, from, observe::Memory::global, observe::AccessKind::load, false, &found);
    if (found.lanes) UnwrittenValues::copy(w, i, from.at, found);
    each_lane(part, [&](u32 l) { source[l] = from.host[l]; });
    // The bytes move later: what is read out of bounds must still be there then.
    each_lane(from.missed, [&](u32 l) { source[l] = reinterpret_cast<u64>(kNothings.data()); });
    each_lane(found.lanes, [&](u32 l) { holes.bytes[l] = found.bytes[l]; });
    holes.lanes |= found.lanes;
    reading |= part;
  }
  MemoryOp store_op = to_op;
  store_op.kind = observe::AccessKind::store;
  compute_addresses(w, i, store_op, mask, to);
  for (u64& v : to.at)
    if (v >= memory::kSharedWindow && v < memory::kSharedWindow + memory::kSharedWindowSize)
      v -= memory::kSharedWindow;
  if (!locate_shared(w, i, store_op, to)) return;
  expand_hosts(store_op, to);
  tell(w, i, store_op, to, observe::Memory::shared, observe::AccessKind::store, false,
       holes.lanes ? &holes : nullptr);
  each_lane(mask & ~to.missed, [&](u32 l) {
    async::CopyGroups::Copy copy;
    copy.to = reinterpret_cast<std::byte*>(to.host[l]);
    copy.from = reading >> l & 1 ? reinterpret_cast<const std::byte*>(source[l]) : nullptr;
    copy.bytes = to_op.total_bytes;
    copy.source_bytes = ignores && !(reading >> l & 1) ? 0
                        : sizes                        ? (sizes[l] < copy.bytes ? sizes[l] : copy.bytes)
                                                       : copy.bytes;
    copy.lane = l;
    copy.site = i.site;
    copy.shared_offset = static_cast<u32>(to.at[l]);
    w.copies.begin(copy, w.block->pending_words);
    ++w.block->pending_copies;
  });
}

void commit(Warp& w, const Ins&, u32 mask) {
  w.copies.commit(mask);
}
void landed(Warp& w, std::size_t copies) {
  w.block->pending_copies -= static_cast<u32>(copies);
  if (copies == 0) return;
  for (observe::Observer* o : w.machine->observers) o->copies_landed(w.id, w.copies.bytes(), w.copies.size());
}
void wait(Warp& w, const Ins& i, u32 mask) {
  landed(w, w.copies.wait(mask, static_cast<u32>(i.imm)));
}
void wait_all(Warp& w, const Ins&, u32 mask) {
  landed(w, w.copies.wait_all(mask));
}

}  // namespace

void register_async(Table& t) {
  t[Op::cp_async] = begin;
  t[Op::cp_async_commit] = commit;
  t[Op::cp_async_wait] = wait;
  t[Op::cp_async_wait_all] = wait_all;
}

}  // namespace simgpu::exec::SIMGPU_ISA
