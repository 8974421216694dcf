/// @file
/// Products of matrices that a warp holds in its registers (`wmma`, `mma.sync`), and their way from and to memory. Where lanes have
/// which element is said in lower/fragments.hpp.
///
/// Products of elements are exact, but for those of doubles, and sums are made one after the other, along k, in the precision of the
/// accumulator's registers. A card sums several products at once, and cuts off what lies below the largest; so the last places differ.
#include "simgpu/exec/access.hpp"
#include "simgpu/exec/all_lanes.hpp"
#include "simgpu/exec/half.hpp"
#include "simgpu/lower/fragments.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

using lower::Fragment;
using lower::MatrixOp;
using lower::MatrixPart;
using lower::MatrixType;

constexpr u32 kMostElements = 1024;  // of one matrix: 16 x 64 of four bits; single bits come by words

// --- memory ---

/// One access of a load or store: where each lane goes.
struct Part {
  std::array<u64, 32> offset;  ///< from the matrix's begin [bytes]
  u32 bytes;                   ///< of a lane
  u32 mask = kFull;
};

/// Makes the access. @return false if the launch has been ended by a fault.
bool access(Warp& w, const Ins& i, const MemoryOp& of_ins, u64 base, const Part& part, u32 lanes,
            Addresses& a) {
  MemoryOp m = of_ins;
  m.total_bytes = m.element_bytes = static_cast<std::uint8_t>(part.bytes);
  m.count = 1;
  a = {};
  a.mask = part.mask & lanes;
  if (a.mask == 0) return false;
  const u64 first = base + part.offset[static_cast<u32>(__builtin_ctz(a.mask))];
  for (u32 l = 0; l < 32; ++l) a.at[l] = a.mask >> l & 1 ? base + part.offset[l] : first;
  observe::Memory space;
  if (!locate(w, i, m, a, m.kind == observe::AccessKind::store, space)) return false;
  expand_hosts(m, a);
  if (w.block->pending_copies) check_pending_copies(w, i, m, a);
  tell(w, i, m, a, space, m.kind);
  return true;
}

/// A register's bits that lie at @p bit, of an element of @p bits.
template <bool is_load>
void move_element(u32* row, u64 host, u32 bits, u32 shift, u32 lane) {
  if (is_load) {
    u32 v = 0;
    std::memcpy(&v, reinterpret_cast<const void*>(host), bits / 8);
    row[lane] |= v << shift;
  } else {
    const u32 v = row[lane] >> shift;
    std::memcpy(reinterpret_cast<void*>(host), &v, bits / 8);
  }
}

/// A whole fragment. ptxas knows the shape, and loads what a lane holds side by side at once; halves of A and B that lie across come by
/// lines and change lanes in registers, and from shared memory they come as ldmatrix brings them. Sums are loaded and stored by the lanes
/// that hold them: so who updates a matrix in its place does not race with itself.
template <bool is_load>
class FragmentAccess {
 public:
  FragmentAccess(Warp& w, const Ins& i, u32 lanes)
      : w_(w),
        i_(i),
        lanes_(lanes),
        memory_(w.machine->code.memory_ops[i.aux]),
        op_(w.machine->code.matrix_ops[i.aux2]),
        fragment_(lower::fragment_of(op_, op_.part)) {
    const auto first = static_cast<u32>(__builtin_ctz(lanes));
    base_ = (memory_.wide_address ? w.row<u64>(i.a)[first] : w.row<u32>(i.a)[first]);
    base_ = memory_.wide_address ? base_ + static_cast<u64>(i.imm)
                                 : static_cast<u32>(base_ + static_cast<u64>(i.imm));
    stride_ = w.row<u32>(i.b)[first];
    for (u32 l = 0; l < 32; ++l)
      if ((lanes >> l & 1) && ((memory_.wide_address ? w.row<u64>(i.a)[l] != w.row<u64>(i.a)[first]
                                                     : w.row<u32>(i.a)[l] != w.row<u32>(i.a)[first]) ||
                               w.row<u32>(i.b)[l] != stride_))
        other_ |= 1u << l;
  }

  void run() {
    if (other_) {
      const auto lane = static_cast<u32>(__builtin_ctz(other_));
      w_.machine->undefined(w_, i_, observe::FindingKind::undefined_mask, lane,
                            Machine::who(w_, lane) +
                                " gives another address or stride for a matrix than its warp's first thread, "
                                "and all 32 lanes have "
                                "to give the same: what comes is undefined.");
    }
    if (is_load)
      for (u32 r = 0; r < fragment_.registers(); ++r) clear(r);
    const bool halves = fragment_.bits == 16 && op_.part != MatrixPart::sum;
    const bool done = is_load && halves && memory_.space == lower::AddressSpace::shared ? by_rows()
                      : !op_.by_column                                                  ? straight()
                      : is_load && halves                                               ? across()
                                                                                        : one_by_one();
    if (!done || !is_load) return;
    const u32 held = fragment_.registers();  // the rest repeats them
    for (u32 r = held; r < memory_.count; ++r)
      std::memcpy(w_.row<u32>(memory_.registers[r]), w_.row<u32>(memory_.registers[r % held]), 128);
  }

 private:
  void clear(u32 r) {
    std::memset(w_.row<std::byte>(memory_.registers[r]), 0, fragment_.bits == 64 ? 256 : 128);
  }
  /// Of an element in memory. [bytes]
  u64 offset(u32 outer, u32 inner) const {
    const u64 index = op_.by_column ? u64{inner} * stride_ + outer : u64{outer} * stride_ + inner;
    return index * fragment_.bits / 8;
  }
  /// Element @p s of lane @p t's part of tile @p n, which lies at @p host.
  void move(u32 n, u32 t, u32 s, u64 host) {
    if (fragment_.bits == 64) {
      u64& v = w_.row<u64>(memory_.registers[n * fragment_.per_lane() + s])[t];
      if (is_load)
        std::memcpy(&v, reinterpret_cast<const void*>(host), 8);
      else
        std::memcpy(reinterpret_cast<void*>(host), &v, 8);
      return;
    }
    const u32 per_register = 32 / fragment_.bits;
    u32* const row = w_.row<u32>(memory_.registers[n * fragment_.registers_per_tile() + s / per_register]);
    move_element<is_load>(row, host, fragment_.bits, s % per_register * fragment_.bits, t);
  }

  /// What a lane holds of a tile lies side by side.
  bool straight() {
    const u32 per_lane = fragment_.per_lane();
    Part part;
    part.bytes = per_lane * fragment_.bits / 8;
    for (u32 n = 0; n < fragment_.tiles(); ++n) {
      const Fragment::Place tile = fragment_.tile(n);
      for (u32 t = 0; t < 32; ++t) part.offset[t] = offset(tile.outer + t / 4, tile.inner + t % 4 * per_lane);
      Addresses a;
      if (!access(w_, i_, memory_, base_, part, lanes_, a)) return false;
      for (u32 t = 0; t < 32; ++t) {
        if (fragment_.bits < 8) {  // a register full of elements smaller than bytes
          std::memcpy(w_.row<u32>(memory_.registers[n]) + t, reinterpret_cast<const void*>(a.host[t]), 4);
          continue;
        }
        for (u32 s = 0; s < per_lane; ++s) move(n, t, s, a.host[t] + s * fragment_.bits / 8);
      }
    }
    return true;
  }

  bool one_by_one() {
    const u32 per_lane = fragment_.per_lane();
    Part part;
    part.bytes = fragment_.bits / 8;
    for (u32 n = 0; n < fragment_.tiles(); ++n) {
      const Fragment::Place tile = fragment_.tile(n);
      for (u32 s = 0; s < per_lane; ++s) {
        for (u32 t = 0; t < 32; ++t)
          part.offset[t] = offset(tile.outer + t / 4, tile.inner + t % 4 * per_lane + s);
        Addresses a;
        if (!access(w_, i_, memory_, base_, part, lanes_, a)) return false;
        for (u32 t = 0; t < 32; ++t) move(n, t, s, a.host[t]);
      }
    }
    return true;
  }

  /// 8 x 8 halves by pairs along the lines of memory; then lanes exchange them.
  bool across() {
    Part part;
    part.bytes = 4;
    for (u32 n = 0; n < fragment_.tiles(); ++n) {
      const Fragment::Place tile = fragment_.tile(n);
      for (u32 t = 0; t < 32; ++t) part.offset[t] = offset(tile.outer + t % 4 * 2, tile.inner + t / 4);
      Addresses a;
      if (!access(w_, i_, memory_, base_, part, lanes_, a)) return false;
      for (u32 t = 0; t < 32; ++t)
        for (u32 s = 0; s < 2; ++s) {
          const u32 outer = t / 4, inner = t % 4 * 2 + s;
          move(n, t, s, a.host[inner * 4 + outer / 2] + outer % 2 * 2);
        }
    }
    return true;
  }

  /// As ldmatrix: each lane names a line of 16 bytes, for up to four tiles at once.
  bool by_rows() {
    for (u32 n = 0; n < fragment_.tiles(); n += 4) {
      const u32 count = std::min(4u, fragment_.tiles() - n);
      Part part;
      part.bytes = 16;
      part.mask = count == 4 ? kFull : (1u << 8 * count) - 1;
      for (u32 l = 0; l < 8 * count; ++l) {
        const Fragment::Place tile = fragment_.tile(n + l / 8);
        part.offset[l] =
            op_.by_column ? offset(tile.outer, tile.inner + l % 8) : offset(tile.outer + l % 8, tile.inner);
      }
      Addresses a;
      // The rows' lanes may have ended, where others have not.
      if (!access(w_, i_, memory_, base_, part, kFull, a)) return false;
      for (u32 q = 0; q < count; ++q)
        for (u32 t = 0; t < 32; ++t)
          for (u32 s = 0; s < 2; ++s) {
            const u32 outer = t / 4, inner = t % 4 * 2 + s;
            move(n + q, t, s,
                 op_.by_column ? a.host[8 * q + inner] + outer * 2 : a.host[8 * q + outer] + inner * 2);
          }
    }
    return true;
  }

  Warp& w_;
  const Ins& i_;
  const u32 lanes_;
  const MemoryOp& memory_;
  const MatrixOp& op_;
  const Fragment fragment_;
  u64 base_ = 0;
  u32 stride_ = 0;
  u32 other_ = 0;  ///< lanes that give something else
};

template <bool is_load>
void fragment_access(Warp& w, const Ins& i, u32 mask) {
  expect_all_lanes(w, i, mask);
  FragmentAccess<is_load>(w, i, mask).run();
}

// --- products ---

float from_float8(std::uint8_t v, Float8 format) {
  return from_half(half_from_float8(v, format));
}

/// Element @p s of a register.
float as_float(u32 v, u32 s, MatrixType type) {
  switch (type) {
    case MatrixType::f16:
      return from_half(static_cast<u16>(v >> 16 * s));
    case MatrixType::bf16:
      return from_bfloat(static_cast<u16>(v >> 16 * s));
    case MatrixType::tf32:  // the hardware does not look at the bits below
      return std::bit_cast<float>(v & 0xFFFF'E000u);
    case MatrixType::e4m3:
      return from_float8(static_cast<std::uint8_t>(v >> 8 * s), Float8::e4m3);
    case MatrixType::e5m2:
      return from_float8(static_cast<std::uint8_t>(v >> 8 * s), Float8::e5m2);
    default:
      return std::bit_cast<float>(v);
  }
}
s32 as_integer(u32 v, u32 s, MatrixType type) {
  switch (type) {
    case MatrixType::s8:
      return static_cast<signed char>(v >> 8 * s);
    case MatrixType::u8:
      return static_cast<unsigned char>(v >> 8 * s);
    case MatrixType::s4:
      return static_cast<s32>(v >> 4 * s << 28) >> 28;
    case MatrixType::u4:
      return static_cast<s32>(v >> 4 * s & 15);
    default:
      return static_cast<s32>(v);
  }
}

template <class T>
T element_of(u32 v, u32 s, MatrixType type) {
  if constexpr (std::is_floating_point_v<T>)
    return as_float(v, s, type);
  else
    return as_integer(v, s, type);
}

/// Calls f(register, lane, element of the register, outer, inner) for all of a fragment.
template <class F>
void each_element(const Fragment& f, F&& f_of) {
  const u32 per_lane = f.per_lane(), per_register = f.bits >= 32 ? 1 : 32 / f.bits,
            registers = f.registers_per_tile();
  for (u32 n = 0; n < f.tiles(); ++n) {
    const Fragment::Place tile = f.tile(n);
    for (u32 s = 0; s < per_lane; ++s) {
      const u32 r = n * registers + s / per_register;
      for (u32 t = 0; t < 32; ++t)
        f_of(r, t, s % per_register, tile.outer + t / 4, tile.inner + t % 4 * per_lane + s);
    }
  }
}

/// Single bits come by words: their number is a word's.
Fragment by_words(Fragment f) {
  if (f.bits == 1) f.bits = 32, f.inner /= 32;
  return f;
}

template <class T>
void read_fragment(const Warp& w, const Operand* registers, const Fragment& f, MatrixType type, T* to,
                   u32 outer_step, u32 inner_step) {
  if constexpr (std::is_same_v<T, double>) {
    each_element(f, [&](u32 r, u32 t, u32, u32 o, u32 k) {
      to[o * outer_step + k * inner_step] = w.row<double>(registers[r])[t];
    });
  } else {
    each_element(f, [&](u32 r, u32 t, u32 s, u32 o, u32 k) {
      to[o * outer_step + k * inner_step] = element_of<T>(w.row<u32>(registers[r])[t], s, type);
    });
  }
}

template <class T>
void write_fragment(Warp& w, const Operand* registers, const Fragment& f, MatrixType type, const T* from) {
  each_element(f, [&](u32 r, u32 t, u32 s, u32 o, u32 n) {
    const T v = from[o * f.inner + n];
    if constexpr (std::is_same_v<T, double>) {
      w.row<double>(registers[r])[t] = v;
    } else if constexpr (std::is_same_v<T, float>) {
      u32& to = w.row<u32>(registers[r])[t];
      if (type == MatrixType::f16)
        to = (to & ~(0xFFFFu << 16 * s)) | u32{to_half(v)} << 16 * s;
      else
        to = std::bit_cast<u32>(v);
    } else {
      w.row<s32>(registers[r])[t] = v;
    }
  });
}

s32 clamped(std::int64_t v) {
  return static_cast<s32>(std::clamp<std::int64_t>(v, INT32_MIN, INT32_MAX));
}

/// d += a * b, along k one after the other; rows of d and of b lie side by side.
void multiply(const MatrixOp& op, u32 depth, const float* a, const float* b, float* d) {
  for (u32 m = 0; m < op.m; ++m)
    for (u32 k = 0; k < depth; ++k) {
      const float v = a[m * depth + k];
      for (u32 n = 0; n < op.n; ++n) d[m * op.n + n] += v * b[k * op.n + n];
    }
}
void multiply(const MatrixOp& op, u32 depth, const double* a, const double* b, double* d) {
  for (u32 m = 0; m < op.m; ++m)
    for (u32 n = 0; n < op.n; ++n)
      for (u32 k = 0; k < depth; ++k)
        d[m * op.n + n] = std::fma(a[m * depth + k], b[k * op.n + n], d[m * op.n + n]);
}
void multiply(const MatrixOp& op, u32 depth, const s32* a, const s32* b, s32* d) {
  for (u32 m = 0; m < op.m; ++m)
    for (u32 n = 0; n < op.n; ++n) {
      std::int64_t sum = d[m * op.n + n];
      for (u32 k = 0; k < depth; ++k) {
        const s32 x = a[m * depth + k], y = b[k * op.n + n];
        if (op.bits == MatrixOp::Bits::none)
          sum += std::int64_t{x} * y;
        else
          sum += __builtin_popcount(static_cast<u32>(op.bits == MatrixOp::Bits::and_ ? x & y : x ^ y));
      }
      d[m * op.n + n] = op.saturates ? clamped(sum) : static_cast<s32>(sum);
    }
}

template <class T>
void product(Warp& w, const MatrixOp& op) {
  alignas(64) T a[kMostElements], b[kMostElements], d[kMostElements];
  const Fragment fa = by_words(lower::fragment_of(op, MatrixPart::a)),
                 fb = by_words(lower::fragment_of(op, MatrixPart::b));
  const Operand* const sources = op.sources.data();
  read_fragment(w, sources, fa, op.type[0], a, fa.inner, 1);
  read_fragment(w, sources + op.counts[0], fb, op.type[1], b, 1, u32{op.n});
  read_fragment(w, sources + op.counts[0] + op.counts[1], lower::fragment_of(op, MatrixPart::c), op.type[2],
                d, u32{op.n}, 1);
  multiply(op, fa.inner, a, b, d);
  write_fragment(w, op.results.data(), lower::fragment_of(op, MatrixPart::sum), op.type[3], d);
}

/// mma.m8n8k4 of halves: lanes 4q to 4q+3 and 4q+16 to 4q+19 make one product of 8 x 8 by 4.
void quad_products(Warp& w, const MatrixOp& op) {
  const auto half = [&](u32 operand, u32 lane, u32 n) {
    return from_half(static_cast<u16>(w.row<u32>(op.sources[operand + n / 2])[lane] >> 16 * (n % 2)));
  };
  const u32 first_b = op.counts[0], first_c = first_b + op.counts[1];
  // Element n of a lane that is number l of the eight.
  struct Place {
    u32 row, column;
  };
  const auto of_a = [&](u32 l, u32 n) {
    const u32 high = l / 4 * 4;
    return op.a_by_column ? Place{n + high, l % 4} : Place{l % 4 + high, n};
  };
  const auto of_b = [&](u32 l, u32 n) {
    const u32 high = l / 4 * 4;
    return op.b_by_column ? Place{n, l % 4 + high} : Place{l % 4, n + high};
  };
  const auto of_sum = [](u32 l, u32 n, MatrixType type) {
    const u32 high = l / 4 * 4;
    if (type == MatrixType::f16) return Place{l % 4 + high, n};
    return Place{(l & 1) + (n & 2) + high, (n & 4) + (l & 2) + (n & 1)};
  };
  for (u32 q = 0; q < 4; ++q) {
    float a[8][4], b[4][8], d[8][8];
    const auto lane_of = [q](u32 l) { return 4 * q + l % 4 + l / 4 * 16; };
    for (u32 l = 0; l < 8; ++l) {
      const u32 lane = lane_of(l);
      for (u32 n = 0; n < 4; ++n) {
        const Place at = of_a(l, n), bt = of_b(l, n);
        a[at.row][at.column] = half(0, lane, n);
        b[bt.row][bt.column] = half(first_b, lane, n);
      }
      for (u32 n = 0; n < 8; ++n) {
        const Place to = of_sum(l, n, op.type[2]);
        d[to.row][to.column] = op.type[2] == MatrixType::f16 ? half(first_c, lane, n)
                                                             : w.row<float>(op.sources[first_c + n])[lane];
      }
    }
    for (u32 m = 0; m < 8; ++m)
      for (u32 k = 0; k < 4; ++k)
        for (u32 n = 0; n < 8; ++n) d[m][n] += a[m][k] * b[k][n];
    for (u32 l = 0; l < 8; ++l) {
      const u32 lane = lane_of(l);
      for (u32 n = 0; n < 8; ++n) {
        const Place from = of_sum(l, n, op.type[3]);
        const float v = d[from.row][from.column];
        if (op.type[3] == MatrixType::f16) {
          u32& to = w.row<u32>(op.results[n / 2])[lane];
          to = (to & ~(0xFFFFu << 16 * (n % 2))) | u32{to_half(v)} << 16 * (n % 2);
        } else {
          w.row<float>(op.results[n])[lane] = v;
        }
      }
    }
  }
}

void mma(Warp& w, const Ins& i, u32 mask) {
  expect_all_lanes(w, i, mask);
  const MatrixOp& op = w.machine->code.matrix_ops[i.aux2];
  if (op.quads) return quad_products(w, op);
  switch (op.type[3]) {
    case MatrixType::f64:
      return product<double>(w, op);
    case MatrixType::s32:
      return product<s32>(w, op);
    default:
      return product<float>(w, op);
  }
}

}  // namespace

void register_tensor(Table& t) {
  t[Op::wmma_load] = fragment_access<true>;
  t[Op::wmma_store] = fragment_access<false>;
  t[Op::mma] = mma;
}

}  // namespace simgpu::exec::SIMGPU_ISA
