/// @file
/// Moves, packing, special registers, and address arithmetic between state spaces.
#include "simgpu/exec/lanes.hpp"
#include "simgpu/lower/builder.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

const MemoryOp& pieces(Warp& w, const Ins& i) {
  return w.machine->code.memory_ops[i.aux];
}

template <class Whole, class Piece>
void pack(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = pieces(w, i);
  constexpr u32 kBits = sizeof(Whole) * 8;
  const u32 bits = kBits / m.count;
  const Whole low = bits >= kBits ? ~Whole{0} : static_cast<Whole>((Whole{1} << bits) - 1);
  Whole* d = w.row<Whole>(i.d);
  each_lane(mask, [&](u32 l) {
    Whole v = 0;
    for (u32 k = 0; k < m.count; ++k)
      v |= (static_cast<Whole>(w.row<Piece>(m.registers[k])[l]) & low) << bits * k;
    d[l] = v;
  });
}
template <class Whole, class Piece>
void unpack(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = pieces(w, i);
  constexpr u32 kBits = sizeof(Whole) * 8;
  const u32 bits = kBits / m.count;
  const Whole low = bits >= kBits ? ~Whole{0} : static_cast<Whole>((Whole{1} << bits) - 1);
  const Whole* a = w.row<Whole>(i.a);
  each_lane(mask, [&](u32 l) {
    for (u32 k = 0; k < m.count; ++k)
      w.row<Piece>(m.registers[k])[l] = static_cast<Piece>(a[l] >> bits * k & low);
  });
}
void pack_128(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = pieces(w, i);
  each_lane(mask, [&](u32 l) {
    w.row<u64>(i.d)[2 * l] = w.row<u64>(m.registers[0])[l];
    w.row<u64>(i.d)[2 * l + 1] = w.row<u64>(m.registers[1])[l];
  });
}
void unpack_128(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = pieces(w, i);
  each_lane(mask, [&](u32 l) {
    w.row<u64>(m.registers[0])[l] = w.row<u64>(i.a)[2 * l];
    w.row<u64>(m.registers[1])[l] = w.row<u64>(i.a)[2 * l + 1];
  });
}
void move_128(Warp& w, const Ins& i, u32 mask) {
  each_lane(mask, [&](u32 l) { std::memcpy(w.row<u64>(i.d) + 2 * l, w.row<u64>(i.a) + 2 * l, 16); });
}

void local_address(Warp& w, const Ins& i, u32 mask) {
  const u64 v = w.frame->local_base + static_cast<u64>(i.imm);
  if (i.aux)
    each_lane(mask, [&](u32 l) { w.row<u64>(i.d)[l] = v; });
  else
    each_lane(mask, [&](u32 l) { w.row<u32>(i.d)[l] = static_cast<u32>(v); });
}

/// alloca: the stack grows upwards in the last bytes of a thread's local memory.
void allocate(Warp& w, const Ins& i, u32 mask) {
  const Machine& machine = *w.machine;
  const u32 most = machine.code.kernels[machine.launch.kernel->entry].alloca_bytes,
            base = machine.local_bytes - most;
  const u64* bytes = w.row<u64>(i.a);
  u64* d = w.row<u64>(i.d);
  each_lane(mask, [&](u32 l) {
    if (machine.stop) return;
    const u32 align = static_cast<u32>(i.imm), at = (base + w.stack[l] + align - 1) / align * align;
    if (bytes[l] > most || at + bytes[l] > machine.local_bytes)
      return w.machine->fault(w, i, observe::FindingKind::stack_overflow, l,
                              Machine::who(w, l) + " asks for " + std::to_string(bytes[l]) +
                                  " bytes on its stack (alloca), which has " +
                                  std::to_string(base + most - at) + " left of " + std::to_string(most) +
                                  ".");
    w.stack[l] = at + static_cast<u32>(bytes[l]) - base;
    d[l] = at;
  });
}
void save_stack(Warp& w, const Ins& i, u32 mask) {
  each_lane(mask, [&](u32 l) { w.row<u64>(i.d)[l] = w.stack[l]; });
}
void restore_stack(Warp& w, const Ins& i, u32 mask) {
  each_lane(mask, [&](u32 l) { w.stack[l] = std::min(w.stack[l], static_cast<u32>(w.row<u64>(i.a)[l])); });
}

void add_window(Warp& w, const Ins& i, u32 mask) {
  const u64 window = static_cast<u64>(i.imm);
  lanes1<u64, u64>(w, i, mask, [window](u64 a) { return a + window; });
}

void is_space(Warp& w, const Ins& i, u32 mask) {
  const u64* a = w.row<u64>(i.a);
  u32 r = 0;
  auto inside = [](u64 v, u64 base, u64 size) { return v >= base && v < base + size; };
  auto constant = [&](u64 v) {
    const memory::Allocation* m = w.machine->memory.find(v);
    return m && m->kind == memory::AllocationKind::constant;
  };
  each_lane(mask, [&](u32 l) {
    const bool shared = inside(a[l], memory::kSharedWindow, memory::kSharedWindowSize);
    const bool local = inside(a[l], memory::kLocalWindow, memory::kLocalWindowSize);
    const bool param = inside(a[l], memory::kParamWindow, memory::kParamWindowSize);
    bool answer = false;
    switch (i.imm) {
      case 0:
        answer = !shared && !local && !param && !constant(a[l]);
        break;
      case 1: {  // the own block's
        const u64 rank = (a[l] - memory::kSharedWindow) >> memory::kClusterShift;
        answer = shared && (rank == 0 || rank == w.block->rank + 1);
        break;
      }
      case 5:
        answer = shared;
        break;
      case 2:
        answer = local;
        break;
      case 3:
        answer = param;
        break;
      case 4:
        answer = constant(a[l]);
        break;
    }
    r |= static_cast<u32>(answer) << l;
  });
  u32& d = w.predicate(i.d);
  d = (d & ~mask) | (r & mask);
}

/// Where a thread is in its grid: nearly every kernel asks for these, in every warp. The others are special_registers.cpp's.
void special_register(Warp& w, const Ins& i, u32 mask) {
  using lower::Special;
  const auto which = static_cast<Special>(i.imm);
  const Machine& m = *w.machine;
  u32* const d = w.row<u32>(i.d);
  const auto fill = [d](u32 v) { SIMGPU_LANES d[l] = v; };
  if (mask != kFull || i.aux) return read_special_register(w, i, mask);
  switch (which) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z:
      std::memcpy(d,
                  m.thread_rows.data() + 96 * w.id.warp +
                      32 * (static_cast<u32>(which) - static_cast<u32>(Special::tid_x)),
                  128);
      return;
    case Special::ntid_x:
      return fill(m.launch.block.x);
    case Special::ntid_y:
      return fill(m.launch.block.y);
    case Special::ctaid_x:
      return fill(w.id.block.x);
    case Special::ctaid_y:
      return fill(w.id.block.y);
    default:
      return read_special_register(w, i, mask);
  }
}

}  // namespace

void register_moves(Table& t) {
  op1<u32>(t[Op::mov_b32], [](u32 a) { return a; });
  op1<u64>(t[Op::mov_b64], [](u64 a) { return a; });
  t[Op::mov_b128] = move_128;
  t[Op::pack_2x16] = t[Op::pack_4x8] = pack<u32, u32>;
  t[Op::unpack_2x16] = t[Op::unpack_4x8] = unpack<u32, u32>;
  t[Op::pack_2x32] = t[Op::pack_4x16] = pack<u64, u32>;
  t[Op::unpack_2x32] = t[Op::unpack_4x16] = unpack<u64, u32>;
  t[Op::pack_2x64] = pack_128;
  t[Op::unpack_2x64] = unpack_128;
  t[Op::special_register] = special_register;
  t[Op::local_address] = local_address;
  t[Op::alloca] = allocate;
  t[Op::stacksave] = save_stack;
  t[Op::stackrestore] = restore_stack;
  t[Op::cvta_window] = add_window;
  t[Op::isspacep] = is_space;
}

}  // namespace simgpu::exec::SIMGPU_ISA
