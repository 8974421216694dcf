/// @file
/// setp, set and the selections: comparisons give one bit a lane.
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "simgpu/exec/half.hpp"
#include "simgpu/exec/lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

/// Bit l of the result is set iff rows[l] is not 0 (all ones, that is).
inline u32 mask_of(const u32* rows) {
  u32 r = 0;
#if defined(__AVX2__)
  for (int k = 0; k < 4; ++k)
    r |= static_cast<u32>(_mm256_movemask_ps(_mm256_load_ps(reinterpret_cast<const float*>(rows) + 8 * k)))
         << 8 * k;
#elif defined(__SSE2__)
  for (int k = 0; k < 8; ++k)
    r |= static_cast<u32>(_mm_movemask_ps(_mm_load_ps(reinterpret_cast<const float*>(rows) + 4 * k)))
         << 4 * k;
#else
  for (u32 l = 0; l < 32; ++l) r |= (rows[l] & 1) << l;
#endif
  return r;
}

/// Writes the result bits of a comparison to d (and its complement to e), combined with predicate c if asked.
inline void write_predicates(Warp& w, const Ins& i, u32 bits, u32 mask) {
  if (i.flags & lower::kInvert) bits = ~bits;
  u32 other = ~bits;
  if (i.imm) {
    const u32 c = w.predicate(i.c);
    if (i.imm == 1) bits &= c, other &= c;
    if (i.imm == 2) bits |= c, other |= c;
    if (i.imm == 3) bits ^= c, other ^= c;
  }
  u32& d = w.predicate(i.d);
  d = (d & ~mask) | (bits & mask);
  if (i.e != lower::kNoOperand) {
    u32& e = w.predicate(i.e);
    e = (e & ~mask) | (other & mask);
  }
}

template <class T, class F>
void compare(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 mask) {
    const Row<T>* a = w.row<Row<T>>(i.a);
    const Row<T>* b = w.row<Row<T>>(i.b);
    alignas(32) u32 rows[32];
    if constexpr (std::is_floating_point_v<T>) {
      if ((i.flags & lower::kFtz) && sizeof(T) == 4) {
        auto flush = [](T v) { return v > T(-1.17549435e-38f) && v < T(1.17549435e-38f) ? T(0) : v; };
        SIMGPU_LANES rows[l] = F{}(flush(a[l]), flush(b[l])) ? kFull : 0;
        return write_predicates(w, i, mask_of(rows), mask);
      }
    }
    SIMGPU_LANES rows[l] = F{}(get<T>(a[l]), get<T>(b[l])) ? kFull : 0;
    write_predicates(w, i, mask_of(rows), mask);
  };
}

enum class Relation : u32 { eq, ne, lt, le, num };
bool holds(Relation r, float a, float b) {
  switch (r) {
    case Relation::eq:
      return a == b;
    case Relation::ne:
      return a < b || a > b;
    case Relation::lt:
      return a < b;
    case Relation::le:
      return a <= b;
    default:
      return a == a && b == b;
  }
}
/// A half as a comparison sees it.
u16 operand(u32 v, bool flush) {
  return static_cast<u16>(flush && (v & 0x7C00) == 0 ? v & 0x8000 : v);
}
template <float widen(u16), Relation r>
void compare_half(Handler& h) {
  h = [](Warp& w, const Ins& i, u32 mask) {
    const u32 *a = w.row<u32>(i.a), *b = w.row<u32>(i.b);
    const bool flush = i.flags & lower::kFtz;
    u32 bits = 0;
    each_lane(mask, [&](u32 l) {
      bits |= static_cast<u32>(holds(r, widen(operand(a[l], flush)), widen(operand(b[l], flush)))) << l;
    });
    write_predicates(w, i, bits, mask);
  };
}
/// Pairs: setp writes one predicate for each half, set one pattern for each half.
template <float widen(u16), bool to_predicates>
void compare_pair(Warp& w, const Ins& i, u32 mask) {
  const u32 *a = w.row<u32>(i.a), *b = w.row<u32>(i.b);
  const auto r = static_cast<Relation>(i.aux);
  const bool flush = i.flags & lower::kFtz;
  u32 low = 0, high = 0;
  each_lane(mask, [&](u32 l) {
    low |= static_cast<u32>(holds(r, widen(operand(a[l], flush)), widen(operand(b[l], flush)))) << l;
    high |= static_cast<u32>(holds(r, widen(operand(a[l] >> 16, flush)), widen(operand(b[l] >> 16, flush))))
            << l;
  });
  if (i.flags & lower::kInvert) low = ~low, high = ~high;
  if (const auto combine = to_predicates ? i.imm : i.imm >> 16) {
    const u32 c = w.predicate(i.c);
    low = combine == 1 ? low & c : combine == 2 ? low | c : low ^ c;
    high = combine == 1 ? high & c : combine == 2 ? high | c : high ^ c;
  }
  if (to_predicates) {
    u32& d = w.predicate(i.d);
    d = (d & ~mask) | (low & mask);
    if (i.e != lower::kNoOperand) {
      u32& e = w.predicate(i.e);
      e = (e & ~mask) | (high & mask);
    }
  } else {
    u32* d = w.row<u32>(i.d);
    const auto one = static_cast<u32>(i.imm & 0xFFFF);
    each_lane(mask, [&](u32 l) { d[l] = (low >> l & 1 ? one : 0) | (high >> l & 1 ? one << 16 : 0); });
  }
}

template <class T>
void select(Warp& w, const Ins& i, u32 mask) {
  const T *a = w.row<T>(i.a), *b = w.row<T>(i.b);
  const u32 p = w.predicate(i.c);
  Output<T> out(w, i.d, mask);
  SIMGPU_LANES {
    const T m = T(0) - static_cast<T>(p >> l & 1);
    out.to[l] = (a[l] & m) | (b[l] & ~m);
  }
  out.done();
}

/// slct by the sign of a float: -0 counts as positive, a NaN as negative.
template <class T>
void select_by_float(Warp& w, const Ins& i, u32 mask) {
  const bool flush = i.flags & lower::kFtz;
  lanes3<T, T, T, float>(
      w, i, mask, [flush](T a, T b, float c) { return c >= 0 || (flush && c > -1.17549435e-38f) ? a : b; });
}

void set_expand(Warp& w, const Ins& i, u32 mask) {
  const u32 p = w.predicate(i.a);
  const auto one = static_cast<u32>(i.imm);
  Output<u32> out(w, i.d, mask);
  SIMGPU_LANES out.to[l] = (0u - (p >> l & 1)) & one;
  out.done();
}

template <class T>
void integers(Handler& lt, Handler& le) {
  compare<T>(lt, [](T a, T b) { return a < b; });
  compare<T>(le, [](T a, T b) { return a <= b; });
}
template <class T>
void floats(Handler& eq, Handler& ne, Handler& lt, Handler& le, Handler& num) {
  compare<T>(eq, [](T a, T b) { return a == b; });
  compare<T>(ne, [](T a, T b) { return a < b || a > b; });
  compare<T>(lt, [](T a, T b) { return a < b; });
  compare<T>(le, [](T a, T b) { return a <= b; });
  compare<T>(num, [](T a, T b) { return a == a && b == b; });
}
template <float widen(u16)>
void halves(Handler& eq, Handler& ne, Handler& lt, Handler& le, Handler& num) {
  compare_half<widen, Relation::eq>(eq);
  compare_half<widen, Relation::ne>(ne);
  compare_half<widen, Relation::lt>(lt);
  compare_half<widen, Relation::le>(le);
  compare_half<widen, Relation::num>(num);
}
// Pairs name their relation by its distance from `eq` in the table.
static_assert(static_cast<u32>(Op::setp_num_f16) - static_cast<u32>(Op::setp_eq_f16) ==
              static_cast<u32>(Relation::num));

}  // namespace

void register_compare(Table& t) {
  compare<u16>(t[Op::setp_eq_b16], [](u16 a, u16 b) { return a == b; });
  compare<u32>(t[Op::setp_eq_b32], [](u32 a, u32 b) { return a == b; });
  compare<u64>(t[Op::setp_eq_b64], [](u64 a, u64 b) { return a == b; });
  integers<s16>(t[Op::setp_lt_s16], t[Op::setp_le_s16]);
  integers<u16>(t[Op::setp_lt_u16], t[Op::setp_le_u16]);
  integers<s32>(t[Op::setp_lt_s32], t[Op::setp_le_s32]);
  integers<u32>(t[Op::setp_lt_u32], t[Op::setp_le_u32]);
  integers<s64>(t[Op::setp_lt_s64], t[Op::setp_le_s64]);
  integers<u64>(t[Op::setp_lt_u64], t[Op::setp_le_u64]);
  floats<float>(t[Op::setp_eq_f32], t[Op::setp_ne_f32], t[Op::setp_lt_f32], t[Op::setp_le_f32],
                t[Op::setp_num_f32]);
  floats<double>(t[Op::setp_eq_f64], t[Op::setp_ne_f64], t[Op::setp_lt_f64], t[Op::setp_le_f64],
                 t[Op::setp_num_f64]);
  halves<from_half>(t[Op::setp_eq_f16], t[Op::setp_ne_f16], t[Op::setp_lt_f16], t[Op::setp_le_f16],
                    t[Op::setp_num_f16]);
  halves<from_bfloat>(t[Op::setp_eq_bf16], t[Op::setp_ne_bf16], t[Op::setp_lt_bf16], t[Op::setp_le_bf16],
                      t[Op::setp_num_bf16]);
  t[Op::setp_f16x2] = compare_pair<from_half, true>;
  t[Op::setp_bf16x2] = compare_pair<from_bfloat, true>;
  t[Op::set_f16x2] = compare_pair<from_half, false>;
  t[Op::set_bf16x2] = compare_pair<from_bfloat, false>;
  t[Op::set_expand] = set_expand;
  t[Op::selp_b32] = select<u32>;
  t[Op::selp_b64] = select<u64>;
  op3<u32, u32, u32, s32>(t[Op::slct_b32_s32], [](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; });
  op3<u64, u64, u64, s32>(t[Op::slct_b64_s32], [](u64 a, u64 b, s32 c) { return c >= 0 ? a : b; });
  t[Op::slct_b32_f32] = select_by_float<u32>;
  t[Op::slct_b64_f32] = select_by_float<u64>;
}

}  // namespace simgpu::exec::SIMGPU_ISA
