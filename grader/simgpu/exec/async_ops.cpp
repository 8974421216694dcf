/// @file
/// cp.async: checks and events at once, data when waited for (see async/copy_groups.hpp).
#include "simgpu/exec/access.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

void begin(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& to_op = w.machine->code.memory_ops[i.aux];
  MemoryOp from_op = to_op;
  from_op.space = lower::AddressSpace::global;
  from_op.kind = observe::AccessKind::load;
  from_op.wide_address = true;
  Ins from_ins = i;
  from_ins.a = i.b;
  from_ins.imm = static_cast<s32>(i.aux2);
  // Lanes with a source size of 0 read nothing.
  u32 reading = mask;
  const bool ignores = i.flags & lower::kTwo;  // a predicate says which lanes' sources are left out
  if (ignores) reading &= ~w.predicate(i.c);
  const u32* sizes = ignores || i.c == lower::kNoOperand ? nullptr : w.row<u32>(i.c);
  if (sizes)
    each_lane(mask, [&](u32 l) {
      if (sizes[l] == 0) reading &= ~(1u << l);
    });
  Addresses from, to;
  if (reading) {
    compute_addresses(w, from_ins, from_op, reading, from);
    if (!locate_global(w, i, from_op, from, false)) return;
    expand_hosts(from_op, from);
    tell(w, i, from_op, from, observe::Memory::global, observe::AccessKind::load);
  }
  MemoryOp store_op = to_op;
  store_op.kind = observe::AccessKind::store;
  compute_addresses(w, i, store_op, mask, to);
  for (u64& v : to.at)
    if (v >= memory::kSharedWindow && v < memory::kSharedWindow + memory::kSharedWindowSize)
      v -= memory::kSharedWindow;
  if (!locate_shared(w, i, store_op, to)) return;
  expand_hosts(store_op, to);
  tell(w, i, store_op, to, observe::Memory::shared, observe::AccessKind::store);
  each_lane(mask, [&](u32 l) {
    async::CopyGroups::Copy copy;
    copy.to = reinterpret_cast<std::byte*>(to.host[l]);
    copy.from = reading >> l & 1 ? reinterpret_cast<const std::byte*>(from.host[l]) : nullptr;
    copy.bytes = to_op.total_bytes;
    copy.source_bytes = ignores && !(reading >> l & 1) ? 0
                        : sizes                        ? (sizes[l] < copy.bytes ? sizes[l] : copy.bytes)
                                                       : copy.bytes;
    copy.lane = l;
    copy.site = i.site;
    copy.shared_offset = static_cast<u32>(to.at[l]);
    w.copies.begin(copy);
    ++w.block->pending_copies;
  });
}

void commit(Warp& w, const Ins&, u32 mask) {
  w.copies.commit(mask);
}
void wait(Warp& w, const Ins& i, u32 mask) {
  w.block->pending_copies -= static_cast<u32>(w.copies.wait(mask, static_cast<u32>(i.imm)));
}
void wait_all(Warp& w, const Ins&, u32 mask) {
  w.block->pending_copies -= static_cast<u32>(w.copies.wait_all(mask));
}

}  // namespace

void register_async(Table& t) {
  t[Op::cp_async] = begin;
  t[Op::cp_async_commit] = commit;
  t[Op::cp_async_wait] = wait;
  t[Op::cp_async_wait_all] = wait_all;
}

}  // namespace simgpu::exec::SIMGPU_ISA
