/// @file
/// Operands of asynchronous instructions: addresses of shared memory anywhere in the cluster, and of device memory.
#include "simgpu/exec/asynchronous.hpp"

namespace simgpu::exec::asynchronous {

const AsyncOp& op_of(const Warp& w, const Ins& i) {
  return w.machine->code.async_ops[i.aux2];
}

u64 address_of(const Warp& w, const Ins& i, const AsyncOp& a, AsyncOp::Place which, u32 lane) {
  const Operand o = which == AsyncOp::kTo ? i.a : which == AsyncOp::kFrom ? i.b : i.c;
  if (a.wide[which]) return w.row<u64>(o)[lane] + static_cast<u64>(a.offset[which]);
  return static_cast<u32>(w.row<u32>(o)[lane] + static_cast<u32>(a.offset[which]));
}

bool illegal(Warp& w, const Ins& i, u32 lane, std::string what, observe::Memory space, u64 address) {
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
  if (a && a->live && a->contains(address, bytes) && (address & (align - 1)) == 0)
    return a->host + (address - a->base);
  MemoryOp m;
  m.kind = writes ? observe::AccessKind::store : observe::AccessKind::load;
  memory_fault(w, i, m, lane, address, bytes, observe::Memory::global, align);
  return nullptr;
}

}  // namespace simgpu::exec::asynchronous
