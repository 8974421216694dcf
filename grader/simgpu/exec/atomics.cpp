/// @file
/// Atomics and reductions: lanes in order, one by one, so that the result is the same in every run.
#include <bit>
#include <cmath>

#include "simgpu/exec/access.hpp"
#include "simgpu/exec/half.hpp"
#include "simgpu/exec/nans.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

using lower::AtomicOp;
using lower::NumberType;

template <class U, class S>
U integer(AtomicOp op, bool is_signed, U old, U b, U c) {
  switch (op) {
    case AtomicOp::add:
      return static_cast<U>(old + b);
    case AtomicOp::exch:
      return b;
    case AtomicOp::cas:
      return old == b ? c : old;
    case AtomicOp::min:
      return is_signed ? (static_cast<S>(old) < static_cast<S>(b) ? old : b) : (old < b ? old : b);
    case AtomicOp::max:
      return is_signed ? (static_cast<S>(old) > static_cast<S>(b) ? old : b) : (old > b ? old : b);
    case AtomicOp::and_:
      return old & b;
    case AtomicOp::or_:
      return old | b;
    case AtomicOp::xor_:
      return old ^ b;
    case AtomicOp::inc:
      return old >= b ? U{0} : static_cast<U>(old + 1);
    case AtomicOp::dec:
      return old == 0 || old > b ? b : static_cast<U>(old - 1);
  }
  return old;
}
/// Global memory adds f32 without subnormals and keeps f64 NaNs as they are; for shared memory ordinary instructions add.
float sum(float old, float b, bool global) {
  auto flush = [&](float v) { return global && std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v; };
  return flush(flush(old) + flush(b));
}
double sum(double old, double b, bool global) {
  if (global && (b != b || old != old)) return b != b ? b : old;
  return settled(old + b, old, b);
}
template <class T>
T floating(AtomicOp op, T old, T b, bool global) {
  T r = b;
  if (op == AtomicOp::add)
    r = sum(old, b, global);
  else if (op == AtomicOp::min)
    r = old != old ? b : b != b ? old : old < b ? old : b;
  else if (op == AtomicOp::max)
    r = old != old ? b : b != b ? old : old > b ? old : b;
  return r == r ? r : (sizeof(T) == 4 ? static_cast<T>(std::bit_cast<float>(0x7FFF'FFFFu)) : r);
}
u16 half(AtomicOp op, bool bf, u16 old, u16 b) {
  const double x = bf ? from_bfloat(old) : from_half(old), y = bf ? from_bfloat(b) : from_half(b);
  const double r = floating<double>(op, x, y, false);
  return bf ? to_bfloat(r) : to_half(r);
}

/// The new value. 16-bit values lie in the low bits.
u64 combine(const MemoryOp& m, u64 old, u64 b, u64 c, bool global) {
  const bool bitwise = m.atomic == AtomicOp::exch || m.atomic == AtomicOp::cas ||
                       m.atomic == AtomicOp::and_ || m.atomic == AtomicOp::or_ || m.atomic == AtomicOp::xor_;
  if (!bitwise) switch (m.type) {
      case NumberType::f32:
        return std::bit_cast<u32>(floating(m.atomic, std::bit_cast<float>(static_cast<u32>(old)),
                                           std::bit_cast<float>(static_cast<u32>(b)), global));
      case NumberType::f64:
        return std::bit_cast<u64>(
            floating(m.atomic, std::bit_cast<double>(old), std::bit_cast<double>(b), global));
      case NumberType::f16:
        return half(m.atomic, false, static_cast<u16>(old), static_cast<u16>(b));
      case NumberType::bf16:
        return half(m.atomic, true, static_cast<u16>(old), static_cast<u16>(b));
      case NumberType::f16x2:
      case NumberType::bf16x2: {
        const bool bf = m.type == NumberType::bf16x2;
        return half(m.atomic, bf, static_cast<u16>(old), static_cast<u16>(b)) |
               u64{half(m.atomic, bf, static_cast<u16>(old >> 16), static_cast<u16>(b >> 16))} << 16;
      }
      default:
        break;
    }
  const bool is_signed = lower::is_signed(m.type);
  switch (m.element_bytes) {
    case 2:
      return integer<u16, s16>(m.atomic, is_signed, static_cast<u16>(old), static_cast<u16>(b),
                               static_cast<u16>(c));
    case 4:
      return integer<u32, s32>(m.atomic, is_signed, static_cast<u32>(old), static_cast<u32>(b),
                               static_cast<u32>(c));
    default:
      return integer<u64, s64>(m.atomic, is_signed, old, b, c);
  }
}
inline u64 read(u64 host, u32 bytes) {
  u64 v = 0;
  std::memcpy(&v, reinterpret_cast<const void*>(host), bytes);
  return v;
}
inline void write(u64 host, u64 v, u32 bytes) {
  std::memcpy(reinterpret_cast<void*>(host), &v, bytes);
}

/// 128-bit exchange and compare-and-swap.
void wide(Warp& w, const Ins& i, const MemoryOp& m, const u64* host, u32 mask) {
  each_lane(mask, [&](u32 l) {
    u64 old[2];
    std::memcpy(old, reinterpret_cast<const void*>(host[l]), 16);
    const u64* b = w.row<u64>(i.b) + 2 * l;
    const u64* next = b;
    if (m.atomic == AtomicOp::cas) next = old[0] == b[0] && old[1] == b[1] ? w.row<u64>(i.c) + 2 * l : old;
    std::memcpy(reinterpret_cast<void*>(host[l]), next, 16);
    if (i.d != lower::kNoOperand) std::memcpy(w.row<u64>(i.d) + 2 * l, old, 16);
  });
}

/// Elements of 4 or 2 bytes. @return whether a compare-and-swap of some lane has failed.
template <u32 bytes>
bool narrow(Warp& w, const Ins& i, const MemoryOp& m, const u64* host, u32 mask, bool global) {
  const u32 *b = w.row<u32>(i.b), *c = i.c == lower::kNoOperand ? b : w.row<u32>(i.c);
  u32* d = i.d == lower::kNoOperand ? nullptr : w.row<u32>(i.d);
  bool failed_cas = false;
  each_lane(mask, [&](u32 l) {
    const u64 old = read(host[l], bytes);
    failed_cas |= m.atomic == AtomicOp::cas && old != (bytes == 2 ? b[l] & 0xFFFF : b[l]);
    write(host[l], combine(m, old, b[l], c[l], global), bytes);
    if (d) d[l] = static_cast<u32>(old);
  });
  return failed_cas;
}

/// What histograms and counters do, without a look at the operation for each lane.
void add_words(Warp& w, const Ins& i, const u64* host, u32 mask) {
  const u32* const b = w.row<u32>(i.b);
  u32* const d = i.d == lower::kNoOperand ? nullptr : w.row<u32>(i.d);
  each_lane(mask, [&](u32 l) {
    u32* const word = reinterpret_cast<u32*>(host[l]);
    const u32 old = *word;
    *word = old + b[l];
    if (d) d[l] = old;
  });
}

void atom(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  bool failed_cas = false;
  while (mask) {
    Addresses a;
    compute_addresses(w, i, m, mask, a);
    u32 part = mask;
    if (may_mix_windows(m)) {
      part = same_window(m, a, mask);
      if (part != mask) compute_addresses(w, i, m, part, a);
    }
    observe::Memory space;
    if (!locate(w, i, m, a, true, space)) return;
    const bool global = space == observe::Memory::global;
    expand_hosts(m, a);
    if (space == observe::Memory::shared && (a.owner ? a.owner : w.block)->pending_copies)
      check_pending_copies(w, i, m, a);
    tell(w, i, m, a, space, m.result_unused ? observe::AccessKind::reduction : observe::AccessKind::atomic,
         m.adds_one);
    if (i.flags & lower::kVector) {
      each_lane(part, [&](u32 l) {
        for (u32 k = 0; k < m.count; ++k) {
          const u64 host = a.host[l] + k * m.element_bytes;
          const u64 old = read(host, m.element_bytes);
          const u64 b = m.element_bytes == 8 ? w.row<u64>(m.registers[k])[l] : w.row<u32>(m.registers[k])[l];
          write(host, combine(m, old, b, 0, global), m.element_bytes);
          if (m.element_bytes == 8)
            w.row<u64>(m.results[k])[l] = old;
          else
            w.row<u32>(m.results[k])[l] = static_cast<u32>(old);
        }
      });
    } else if (m.element_bytes == 16) {
      wide(w, i, m, a.host, part);
    } else if (m.element_bytes == 8) {
      const u64 *b = w.row<u64>(i.b), *c = i.c == lower::kNoOperand ? b : w.row<u64>(i.c);
      u64* d = i.d == lower::kNoOperand ? nullptr : w.row<u64>(i.d);
      each_lane(part, [&](u32 l) {
        const u64 old = read(a.host[l], 8);
        failed_cas |= m.atomic == AtomicOp::cas && old != b[l];
        write(a.host[l], combine(m, old, b[l], c[l], global), 8);
        if (d) d[l] = old;
      });
    } else if (m.element_bytes == 4 && m.atomic == AtomicOp::add && !lower::is_float(m.type)) {
      add_words(w, i, a.host, part);
    } else {
      failed_cas |= m.element_bytes == 4 ? narrow<4>(w, i, m, a.host, part, global)
                                         : narrow<2>(w, i, m, a.host, part, global);
    }
    mask &= ~part;
  }
  if (failed_cas || m.atomic == AtomicOp::exch) spin_hint(w);
}

}  // namespace

void register_atomics(Table& t) {
  t[Op::atom] = atom;
}

}  // namespace simgpu::exec::SIMGPU_ISA
