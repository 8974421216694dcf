/// @file
/// Logic, shifts and bit manipulation. Shift amounts beyond the width clamp, as PTX says.
#include <bit>

#include "simgpu/exec/lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

u64 field(u64 a, u64 at, u64 length, u32 width, bool is_signed) {
  const u64 top = at + length - 1 < width - 1 ? at + length - 1 : width - 1;
  const u64 sign = !is_signed || length == 0 ? 0 : a >> top & 1;
  u64 r = 0;
  for (u32 k = 0; k < width; ++k) r |= (k < length && at + k < width ? a >> (at + k) & 1 : sign) << k;
  return r;
}
u64 insert(u64 a, u64 b, u64 at, u64 length, u32 width) {
  for (u64 k = 0; k < length && at + k < width; ++k) {
    b &= ~(1ull << (at + k));
    b |= (a >> k & 1) << (at + k);
  }
  return b;
}
template <class T>
u32 find_first(T a, bool shift) {
  using U = std::make_unsigned_t<T>;
  U v = static_cast<U>(a);
  if (std::is_signed_v<T> && a < 0) v = static_cast<U>(~v);
  if (v == 0) return kFull;
  const u32 at = static_cast<u32>(std::bit_width(v)) - 1;
  return shift ? static_cast<u32>(sizeof(T)) * 8 - 1 - at : at;
}
u32 permute(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 r = 0;
  for (u32 k = 0; k < 4; ++k) {
    const u32 s = selector >> 4 * k & 15;
    u32 v = static_cast<u32>(bytes >> 8 * (s & 7)) & 0xFF;
    if (s & 8) v = v & 0x80 ? 0xFF : 0;
    r |= v << 8 * k;
  }
  return r;
}
u32 permute_by(u32 a, u32 b, const u16 (&selectors)[4], u32 c) {
  return permute(a, b, selectors[c & 3]);
}
constexpr u16 kF4e[4] = {0x3210, 0x4321, 0x5432, 0x6543}, kB4e[4] = {0x5670, 0x6701, 0x7012, 0x0123},
              kRc8[4] = {0x0000, 0x1111, 0x2222, 0x3333}, kEcl[4] = {0x3210, 0x3211, 0x3222, 0x3333},
              kEcr[4] = {0x0000, 0x1110, 0x2210, 0x3210}, kRc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};

u32 nth_set(u32 mask, u32 base, s32 offset) {
  if (base > 31) return kFull;
  if (offset == 0) return mask >> base & 1 ? base : kFull;
  const s32 step = offset > 0 ? 1 : -1;
  s32 left = offset > 0 ? offset : -offset;
  for (s32 at = static_cast<s32>(base); at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0) return static_cast<u32>(at);
  return kFull;
}
u32 extend(u32 a, u32 b, bool clamp, bool is_signed) {
  const u32 n = clamp ? (b > 32 ? 32 : b) : b & 31;
  if (n == 0) return 0;
  if (n >= 32) return a;
  const u32 low = a & ((1u << n) - 1);
  return is_signed && (low >> (n - 1) & 1) ? low | ~((1u << n) - 1) : low;
}
u32 bit_mask(u32 a, u32 b, bool clamp) {
  if (!clamp) a &= 31, b &= 31;
  if (a > 31) return 0;
  const u64 ones = b >= 32 ? 0xFFFFFFFFull : (1ull << b) - 1;
  return static_cast<u32>(ones << a);
}
u32 reverse(u32 v) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0F0F0F0Fu) | (v & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(v);
}

template <class F>
void predicates(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 mask) {
    const u32 a = w.predicate(i.a), b = i.b == lower::kNoOperand ? 0 : w.predicate(i.b);
    u32& d = w.predicate(i.d);
    d = (d & ~mask) | (F{}(a, b) & mask);
  };
}

void lop3(Warp& w, const Ins& i, u32 mask) {
  const u32 table = static_cast<u32>(i.imm);
  u32* d = w.row<u32>(i.d);
  const u32 *a = w.row<u32>(i.a), *b = w.row<u32>(i.b), *c = w.row<u32>(i.c);
  each_lane(mask, [&](u32 l) {
    u32 r = 0;
    for (u32 k = 0; k < 8; ++k)
      if (table >> k & 1) r |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
    d[l] = r;
  });
}
void lop3_with_predicate(Warp& w, const Ins& i, u32 mask) {
  lop3(w, i, mask);
  const u32 q = w.predicate(i.e), *d = w.row<u32>(i.d);
  u32 some = 0;
  each_lane(mask, [&](u32 l) { some |= static_cast<u32>(d[l] != 0) << l; });
  u32& p = w.predicate(i.f);
  p = (p & ~mask) | ((i.imm & 256 ? some | q : some & q) & mask);
}
template <class T>
void bfi(Warp& w, const Ins& i, u32 mask) {
  T* d = w.row<T>(i.d);
  const T *a = w.row<T>(i.a), *b = w.row<T>(i.b);
  const u32 *at = w.row<u32>(i.c), *length = w.row<u32>(i.e);
  each_lane(mask, [&](u32 l) {
    // Of 32-bit fields, place and length are the lowest bytes of their operands; of 64-bit fields, all of them.
    const u32 most = sizeof(T) == 4 ? 0xFF : kFull;
    d[l] = static_cast<T>(insert(a[l], b[l], at[l] & most, length[l] & most, sizeof(T) * 8));
  });
}

}  // namespace

void register_bits(Table& t) {
  op2<u32>(t[Op::and_b32], [](u32 a, u32 b) { return a & b; });
  op2<u32>(t[Op::or_b32], [](u32 a, u32 b) { return a | b; });
  op2<u32>(t[Op::xor_b32], [](u32 a, u32 b) { return a ^ b; });
  op2<u64>(t[Op::and_b64], [](u64 a, u64 b) { return a & b; });
  op2<u64>(t[Op::or_b64], [](u64 a, u64 b) { return a | b; });
  op2<u64>(t[Op::xor_b64], [](u64 a, u64 b) { return a ^ b; });
  op2<u16>(t[Op::and_b16], [](u16 a, u16 b) { return static_cast<u16>(a & b); });
  op2<u16>(t[Op::or_b16], [](u16 a, u16 b) { return static_cast<u16>(a | b); });
  op2<u16>(t[Op::xor_b16], [](u16 a, u16 b) { return static_cast<u16>(a ^ b); });
  op1<u16>(t[Op::not_b16], [](u16 a) { return static_cast<u16>(~a); });
  op1<u32>(t[Op::not_b32], [](u32 a) { return ~a; });
  op1<u64>(t[Op::not_b64], [](u64 a) { return ~a; });
  op1<u16>(t[Op::cnot_b16], [](u16 a) { return static_cast<u16>(a == 0); });
  op1<u32>(t[Op::cnot_b32], [](u32 a) { return static_cast<u32>(a == 0); });
  op1<u64>(t[Op::cnot_b64], [](u64 a) { return static_cast<u64>(a == 0); });
  predicates(t[Op::and_pred], [](u32 a, u32 b) { return a & b; });
  predicates(t[Op::or_pred], [](u32 a, u32 b) { return a | b; });
  predicates(t[Op::xor_pred], [](u32 a, u32 b) { return a ^ b; });
  predicates(t[Op::not_pred], [](u32 a, u32) { return ~a; });
  predicates(t[Op::mov_pred], [](u32 a, u32) { return a; });

  op2<u16, u16, u32>(t[Op::shl_b16],
                     [](u16 a, u32 b) { return static_cast<u16>(b > 15 ? 0 : a << (b & 15)); });
  op2<u32>(t[Op::shl_b32], [](u32 a, u32 b) { return b > 31 ? 0 : a << (b & 31); });
  op2<u64, u64, u32>(t[Op::shl_b64], [](u64 a, u32 b) { return b > 63 ? 0 : a << (b & 63); });
  op2<u16, u16, u32>(t[Op::shr_u16],
                     [](u16 a, u32 b) { return static_cast<u16>(b > 15 ? 0 : a >> (b & 15)); });
  op2<s16, s16, u32>(t[Op::shr_s16], [](s16 a, u32 b) { return static_cast<s16>(a >> (b > 15 ? 15 : b)); });
  op2<u32>(t[Op::shr_u32], [](u32 a, u32 b) { return b > 31 ? 0 : a >> (b & 31); });
  op2<s32, s32, u32>(t[Op::shr_s32], [](s32 a, u32 b) { return a >> (b > 31 ? 31 : b); });
  op2<u64, u64, u32>(t[Op::shr_u64], [](u64 a, u32 b) { return b > 63 ? 0 : a >> (b & 63); });
  op2<s64, s64, u32>(t[Op::shr_s64], [](s64 a, u32 b) { return a >> (b > 63 ? 63 : b); });
  op3<u32>(t[Op::shf_l_wrap_b32],
           [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) << (c & 31) >> 32); });
  op3<u32>(t[Op::shf_l_clamp_b32],
           [](u32 a, u32 b, u32 c) { return static_cast<u32>(c >= 32 ? a : (u64{b} << 32 | a) << c >> 32); });
  op3<u32>(t[Op::shf_r_wrap_b32],
           [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) >> (c & 31)); });
  op3<u32>(t[Op::shf_r_clamp_b32],
           [](u32 a, u32 b, u32 c) { return static_cast<u32>(c >= 32 ? b : (u64{b} << 32 | a) >> c); });

  t[Op::lop3_b32] = lop3;
  t[Op::lop3_pred] = lop3_with_predicate;
  op1<u32>(t[Op::popc_b32], [](u32 a) { return static_cast<u32>(std::popcount(a)); });
  op1<u32, u64>(t[Op::popc_b64], [](u64 a) { return static_cast<u32>(std::popcount(a)); });
  op1<u32>(t[Op::clz_b32], [](u32 a) { return static_cast<u32>(std::countl_zero(a)); });
  op1<u32, u64>(t[Op::clz_b64], [](u64 a) { return static_cast<u32>(std::countl_zero(a)); });
  op1<u32, u32>(t[Op::bfind_u32], [](u32 a) { return find_first(a, false); });
  op1<u32, s32>(t[Op::bfind_s32], [](s32 a) { return find_first(a, false); });
  op1<u32, u64>(t[Op::bfind_u64], [](u64 a) { return find_first(a, false); });
  op1<u32, s64>(t[Op::bfind_s64], [](s64 a) { return find_first(a, false); });
  op1<u32, u32>(t[Op::bfind_shiftamt_u32], [](u32 a) { return find_first(a, true); });
  op1<u32, s32>(t[Op::bfind_shiftamt_s32], [](s32 a) { return find_first(a, true); });
  op1<u32, u64>(t[Op::bfind_shiftamt_u64], [](u64 a) { return find_first(a, true); });
  op1<u32, s64>(t[Op::bfind_shiftamt_s64], [](s64 a) { return find_first(a, true); });
  op3<u32>(t[Op::bfe_u32],
           [](u32 a, u32 b, u32 c) { return static_cast<u32>(field(a, b & 0xFF, c & 0xFF, 32, false)); });
  op3<u32>(t[Op::bfe_s32],
           [](u32 a, u32 b, u32 c) { return static_cast<u32>(field(a, b & 0xFF, c & 0xFF, 32, true)); });
  op3<u64, u64, u32, u32>(t[Op::bfe_u64], [](u64 a, u32 b, u32 c) { return field(a, b, c, 64, false); });
  op3<u64, u64, u32, u32>(t[Op::bfe_s64], [](u64 a, u32 b, u32 c) { return field(a, b, c, 64, true); });
  op1<u32>(t[Op::brev_b32], [](u32 a) { return reverse(a); });
  op1<u64>(t[Op::brev_b64], [](u64 a) {
    return u64{reverse(static_cast<u32>(a))} << 32 | reverse(static_cast<u32>(a >> 32));
  });
  t[Op::bfi_b32] = bfi<u32>;
  t[Op::bfi_b64] = bfi<u64>;
  op2<u32>(t[Op::bmsk_clamp_b32], [](u32 a, u32 b) { return bit_mask(a, b, true); });
  op2<u32>(t[Op::bmsk_wrap_b32], [](u32 a, u32 b) { return bit_mask(a, b, false); });
  op2<u32>(t[Op::szext_clamp_u32], [](u32 a, u32 b) { return extend(a, b, true, false); });
  op2<u32>(t[Op::szext_wrap_u32], [](u32 a, u32 b) { return extend(a, b, false, false); });
  op2<u32>(t[Op::szext_clamp_s32], [](u32 a, u32 b) { return extend(a, b, true, true); });
  op2<u32>(t[Op::szext_wrap_s32], [](u32 a, u32 b) { return extend(a, b, false, true); });
  op3<u32, u32, u32, s32>(t[Op::fns_b32], [](u32 a, u32 b, s32 c) { return nth_set(a, b, c); });
  op3<u32>(t[Op::prmt_b32], [](u32 a, u32 b, u32 c) { return permute(a, b, c); });
  op3<u32>(t[Op::prmt_b32_f4e], [](u32 a, u32 b, u32 c) { return permute_by(a, b, kF4e, c); });
  op3<u32>(t[Op::prmt_b32_b4e], [](u32 a, u32 b, u32 c) { return permute_by(a, b, kB4e, c); });
  op3<u32>(t[Op::prmt_b32_rc8], [](u32 a, u32 b, u32 c) { return permute_by(a, b, kRc8, c); });
  op3<u32>(t[Op::prmt_b32_ecl], [](u32 a, u32 b, u32 c) { return permute_by(a, b, kEcl, c); });
  op3<u32>(t[Op::prmt_b32_ecr], [](u32 a, u32 b, u32 c) { return permute_by(a, b, kEcr, c); });
  op3<u32>(t[Op::prmt_b32_rc16], [](u32 a, u32 b, u32 c) { return permute_by(a, b, kRc16, c); });
}

}  // namespace simgpu::exec::SIMGPU_ISA
