/// @file
/// Loads and stores: once the bytes are located and observers are told, the data move.
#include "simgpu/exec/access.hpp"
#include "simgpu/exec/unwritten.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

/// One register of a load. @tparam M as in memory; @tparam R as in the row.
template <class M, class R>
inline void gather(R* d, const u64* host, u32 offset, u32 mask) {
  if (mask == kFull) {
    SIMGPU_LANES d[l] = static_cast<R>(*reinterpret_cast<const M*>(host[l] + offset));
  } else {
    each_lane(mask, [&](u32 l) { d[l] = static_cast<R>(*reinterpret_cast<const M*>(host[l] + offset)); });
  }
}
template <class M, class R>
inline void scatter(const R* s, const u64* host, u32 offset, u32 mask) {
  if (mask == kFull) {
    for (u32 l = 0; l < 32; ++l) *reinterpret_cast<M*>(host[l] + offset) = static_cast<M>(s[l]);
  } else {
    each_lane(mask, [&](u32 l) { *reinterpret_cast<M*>(host[l] + offset) = static_cast<M>(s[l]); });
  }
}
template <class R>
void load_element(Warp& w, const MemoryOp& m, u32 k, const u64* host, u32 mask) {
  R* d = w.row<R>(m.registers[k]);
  const u32 offset = k * m.element_bytes;
  const bool is_signed = lower::is_signed(m.type);
  switch (m.element_bytes) {
    case 1:
      is_signed ? gather<signed char>(d, host, offset, mask) : gather<unsigned char>(d, host, offset, mask);
      break;
    case 2:
      is_signed ? gather<s16>(d, host, offset, mask) : gather<u16>(d, host, offset, mask);
      break;
    case 4:
      is_signed ? gather<s32>(d, host, offset, mask) : gather<u32>(d, host, offset, mask);
      break;
    default:
      gather<u64>(d, host, offset, mask);
      break;
  }
  if (sizeof(R) == 4 && is_signed && (m.registers_half >> k & 1))
    each_lane(mask, [&](u32 l) { d[l] &= 0xFFFF; });
}

void load_data(Warp& w, const MemoryOp& m, const Addresses& a) {
  if (a.contiguous && m.count == 1 && m.registers_wide == (m.element_bytes == 8)) {
    if (m.element_bytes == 4) {
      std::memcpy(w.row<u32>(m.registers[0]), reinterpret_cast<const void*>(a.host[0]), 128);
      return;
    }
    if (m.element_bytes == 8) {
      std::memcpy(w.row<u64>(m.registers[0]), reinterpret_cast<const void*>(a.host[0]), 256);
      return;
    }
  }
  if (a.uniform && m.element_bytes == 4 && m.registers_wide == 0) {
    for (u32 k = 0; k < m.count; ++k) {
      u32 v;
      std::memcpy(&v, reinterpret_cast<const void*>(a.host[0] + 4 * k), 4);
      Output<u32> out(w, m.registers[k], a.mask);
      SIMGPU_LANES out.to[l] = v;
      out.done();
    }
    return;
  }
  u64 spread[32];
  const u64* host = a.host;
  if (a.contiguous) {  // only host[0] is set
    for (u32 l = 0; l < 32; ++l) spread[l] = a.host[0] + l * m.total_bytes;
    host = spread;
  }
  if (m.count == 4 && m.element_bytes == 4 && m.registers_wide == 0 && a.mask == kFull) {
    u32 *x = w.row<u32>(m.registers[0]), *y = w.row<u32>(m.registers[1]), *z = w.row<u32>(m.registers[2]),
        *t = w.row<u32>(m.registers[3]);
    for (u32 l = 0; l < 32; ++l) {
      const u32* s = reinterpret_cast<const u32*>(host[l]);
      x[l] = s[0], y[l] = s[1], z[l] = s[2], t[l] = s[3];
    }
    return;
  }
  if (m.element_bytes == 16) {
    for (u32 k = 0; k < m.count; ++k)
      each_lane(a.mask, [&](u32 l) {
        std::memcpy(w.row<u64>(m.registers[k]) + 2 * l, reinterpret_cast<const void*>(host[l] + 16 * k), 16);
      });
    return;
  }
  for (u32 k = 0; k < m.count; ++k)
    if (m.registers_wide >> k & 1)
      load_element<u64>(w, m, k, host, a.mask);
    else
      load_element<u32>(w, m, k, host, a.mask);
}

template <class R>
void store_element(Warp& w, const MemoryOp& m, u32 k, const u64* host, u32 mask) {
  const R* s = w.row<R>(m.registers[k]);
  const u32 offset = k * m.element_bytes;
  switch (m.element_bytes) {
    case 1:
      scatter<unsigned char>(s, host, offset, mask);
      break;
    case 2:
      scatter<u16>(s, host, offset, mask);
      break;
    case 4:
      scatter<u32>(s, host, offset, mask);
      break;
    default:
      scatter<u64>(s, host, offset, mask);
      break;
  }
}

void store_data(Warp& w, const MemoryOp& m, const Addresses& a) {
  if (a.contiguous && m.count == 1 && m.registers_wide == (m.element_bytes == 8)) {
    if (m.element_bytes == 4) {
      std::memcpy(reinterpret_cast<void*>(a.host[0]), w.row<u32>(m.registers[0]), 128);
      return;
    }
    if (m.element_bytes == 8) {
      std::memcpy(reinterpret_cast<void*>(a.host[0]), w.row<u64>(m.registers[0]), 256);
      return;
    }
  }
  u64 spread[32];
  const u64* host = a.host;
  if (a.contiguous) {
    for (u32 l = 0; l < 32; ++l) spread[l] = a.host[0] + l * m.total_bytes;
    host = spread;
  }
  if (m.element_bytes == 16) {
    for (u32 k = 0; k < m.count; ++k)
      each_lane(a.mask, [&](u32 l) {
        std::memcpy(reinterpret_cast<void*>(host[l] + 16 * k), w.row<u64>(m.registers[k]) + 2 * l, 16);
      });
    return;
  }
  for (u32 k = 0; k < m.count; ++k)
    if (m.registers_wide >> k & 1)
      store_element<u64>(w, m, k, host, a.mask);
    else
      store_element<u32>(w, m, k, host, a.mask);
}

template <bool is_load>
void move_data(Warp& w, const MemoryOp& m, const Addresses& a) {
  if (is_load)
    load_data(w, m, a);
  else
    store_data(w, m, a);
}

/// The registers that a store writes to memory.
class Values final : public observe::StoredValues {
 public:
  Values(const Warp& w, const MemoryOp& m, const Addresses& a) : w_(w), m_(m), a_(a) {}
  void stored(u32 lane, std::byte* to) const override {
    for (u32 k = 0; k < m_.count; ++k) {
      const std::byte* row = w_.row<std::byte>(m_.registers[k]);
      const u32 step = m_.element_bytes == 16 ? 16 : (m_.registers_wide >> k & 1) ? 8 : 4;
      std::memcpy(to + k * m_.element_bytes, row + lane * step, m_.element_bytes);
    }
  }
  void present(u32 lane, std::byte* to) const override {
    const u64 host = a_.contiguous ? a_.host[0] + lane * m_.total_bytes : a_.host[lane];
    std::memcpy(to, reinterpret_cast<const void*>(host), m_.total_bytes);
  }

 private:
  const Warp& w_;
  const MemoryOp& m_;
  const Addresses& a_;
};

/// Tells every observer, and follows values that nobody wrote from memory to registers and back.
template <bool is_load>
inline void tell_values(Warp& w, const Ins& i, const MemoryOp& m, const Addresses& a, observe::Memory space) {
  if (!w.machine->any_observer) return;
  observe::Unwritten unwritten;
  if (is_load) {
    tell(w, i, m, a, space, m.kind, false, &unwritten);
    if (unwritten.lanes) [[unlikely]]
      begin_unwritten(w, i, m, a.at, space, unwritten);
  } else {
    const bool any = w.unwritten && w.unwritten->store(w, i, m, space, a.mask, unwritten);
    const Values values(w, m, a);
    tell(w, i, m, a, space, m.kind, false, any ? &unwritten : nullptr, &values);
  }
}

template <bool is_load>
void global(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  Addresses a;
  bool located = false;
  if (mask == kFull && quick_pattern(w, i, m, a)) {
    const SiteCache& cache = w.machine->caches[i.site];
    if (a.at[0] >= cache.low && a.at[0] < cache.high && quick_span(m, a) <= cache.high - a.at[0]) {
      a.host[0] = a.at[0] + cache.delta;
      if (w.machine->any_observer) spread(m, a);
      located = true;
    }
  }
  if (!located) {
    compute_addresses(w, i, m, mask, a);
    if (!locate_global(w, i, m, a, !is_load)) return;
  }
  tell_values<is_load>(w, i, m, a, observe::Memory::global);
  move_data<is_load>(w, m, a);
  if (is_load && m.spin_hint) spin_hint(w);
}

template <bool is_load>
void shared(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  Addresses a;
  if (mask == kFull && quick_pattern(w, i, m, a) && a.at[0] < w.machine->shared_bytes &&
      quick_span(m, a) <= w.machine->shared_bytes - a.at[0]) {
    a.host[0] = a.at[0] + reinterpret_cast<u64>(w.block->shared.data());
    if (w.machine->any_observer || w.block->pending_copies) spread(m, a);
  } else {
    compute_addresses(w, i, m, mask, a);
    if (!locate_shared(w, i, m, a)) return;
  }
  if (w.block->pending_copies) check_pending_copies(w, i, m, a);
  tell_values<is_load>(w, i, m, a, observe::Memory::shared);
  move_data<is_load>(w, m, a);
  if (is_load && m.spin_hint) spin_hint(w);
}

template <bool is_load>
void any(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  while (mask) {
    Addresses a;
    compute_addresses(w, i, m, mask, a);
    u32 part = mask;
    if (may_mix_windows(m)) {
      part = same_window(m, a, mask);
      if (part != mask) compute_addresses(w, i, m, part, a);
    }
    observe::Memory space;
    if (!locate(w, i, m, a, !is_load, space)) return;
    if (space == observe::Memory::shared && (a.owner ? a.owner : w.block)->pending_copies)
      check_pending_copies(w, i, m, a);
    tell_values<is_load>(w, i, m, a, space);
    move_data<is_load>(w, m, a);
    mask &= ~part;
  }
  if (is_load && m.spin_hint) spin_hint(w);
}

/// A kernel parameter at a fixed place: the same for all lanes, an operand rather than an access.
void load_param(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const auto& image = w.machine->launch.parameters;
  if (static_cast<u64>(i.imm) + m.total_bytes > image.size()) {
    memory_fault(w, i, m, static_cast<u32>(__builtin_ctz(mask)), static_cast<u64>(i.imm), m.total_bytes,
                 observe::Memory::param);
    return;
  }
  Addresses a;
  a.mask = mask;
  a.uniform = true;
  for (u64& h : a.host) h = reinterpret_cast<u64>(image.data()) + static_cast<u64>(i.imm);
  load_data(w, m, a);
}

/// Parameters of functions: bytes in the frame's parameter area, lane after lane.
template <bool is_load>
void frame_param(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const lower::Function& f = *w.frame->function;
  Addresses a;
  a.mask = mask;
  for (u32 l = 0; l < 32; ++l)
    a.host[l] =
        reinterpret_cast<u64>(w.frame->rows) + f.param_base + l * f.param_stride + static_cast<u64>(i.imm);
  move_data<is_load>(w, m, a);
}

void fence(Warp& w, const Ins& i, u32 mask) {
  if (i.imm == -2) return proxy_fence(w);
  if (i.imm < 0) return;
  for (observe::Observer* o : w.machine->observers) o->fence(w.id, mask, static_cast<observe::Scope>(i.imm));
}

}  // namespace

void register_memory(Table& t) {
  t[Op::ld_global] = global<true>;
  t[Op::st_global] = global<false>;
  t[Op::ld_shared] = shared<true>;
  t[Op::st_shared] = shared<false>;
  t[Op::ld_any] = any<true>;
  t[Op::st_any] = any<false>;
  t[Op::ld_param] = load_param;
  t[Op::ld_frame_param] = frame_param<true>;
  t[Op::st_frame_param] = frame_param<false>;
  t[Op::fence] = fence;
  t[Op::prefetch] = [](Warp&, const Ins&, u32) {};
}

}  // namespace simgpu::exec::SIMGPU_ISA
