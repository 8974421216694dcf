/// @file
/// Integer arithmetic. Signed results wrap, as on hardware; a division by zero and its remainder are all ones.
#include <algorithm>
#include <limits>

#include "simgpu/exec/lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

using u128 = unsigned __int128;
using s128 = __int128;

template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}
template <class T>
T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return static_cast<T>(a % b);
}
s32 saturate(s64 v) {
  return static_cast<s32>(v > std::numeric_limits<s32>::max()   ? std::numeric_limits<s32>::max()
                          : v < std::numeric_limits<s32>::min() ? std::numeric_limits<s32>::min()
                                                                : v);
}

/// d = f(a, b, c, carry in, carry out), for the extended-precision family: `reads` and `writes` say which carries count. The
/// flag is that of an adder: a subtraction, which adds the complement, sets it where nothing was borrowed (`inverted`).
template <class T, bool reads, bool writes, bool inverted = false, class F>
void with_carry(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 mask) {
    const T* a = w.row<T>(i.a);
    const T* b = w.row<T>(i.b);
    const T* c = i.c == lower::kNoOperand ? a : w.row<T>(i.c);
    T* d = w.row<T>(i.d);
    const u32 in = reads ? w.predicate(i.e) : 0;
    u32 out = 0;
    each_lane(mask, [&](u32 l) {
      bool carry = reads && (in >> l & 1) != inverted;
      d[l] = F{}(a[l], b[l], c[l], carry);
      out |= static_cast<u32>(carry != inverted) << l;
    });
    if (writes) w.predicate(i.e) = (w.predicate(i.e) & ~mask) | (out & mask);
  };
}
template <class T>
T add_carry(T a, T b, bool& carry) {
  const T s = static_cast<T>(a + b);
  const T r = static_cast<T>(s + carry);
  carry = s < a || r < s;
  return r;
}
template <class T>
T sub_borrow(T a, T b, bool& borrow) {
  const T d = static_cast<T>(a - b);
  const T r = static_cast<T>(d - borrow);
  borrow = a < b || d < static_cast<T>(borrow);
  return r;
}
u32 mul_hi(u32 a, u32 b) {
  return static_cast<u32>(u64{a} * b >> 32);
}
s32 mul_hi(s32 a, s32 b) {
  return static_cast<s32>(s64{a} * b >> 32);
}
u64 mul_hi(u64 a, u64 b) {
  return static_cast<u64>(u128{a} * b >> 64);
}
s64 mul_hi(s64 a, s64 b) {
  return static_cast<s64>(s128{a} * b >> 64);
}

template <class A, class B>
u32 dot4(u32 a, u32 b, u32 c) {
  u32 sum = c;
  for (int k = 0; k < 4; ++k)
    sum += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> 8 * k)) *
                            static_cast<s32>(static_cast<B>(b >> 8 * k)));
  return sum;
}
template <class A, class B>
u32 dot2(u32 a, u32 b, u32 c, int first) {
  u32 sum = c;
  for (int k = 0; k < 2; ++k)
    sum += static_cast<u32>(static_cast<s32>(static_cast<A>(a >> 16 * k)) *
                            static_cast<s32>(static_cast<B>(b >> 8 * (first + k))));
  return sum;
}
template <class T, class F>
u32 halves(u32 a, u32 b, F f) {
  return static_cast<u16>(f(static_cast<T>(a), static_cast<T>(b))) |
         static_cast<u32>(static_cast<u16>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)))) << 16;
}

template <class T>
void register_division(Handler& div, Handler& rem) {
  op2<T>(div, [](T a, T b) { return divide(a, b); });
  op2<T>(rem, [](T a, T b) { return remainder(a, b); });
}
template <class T>
void register_min_max(Handler& low, Handler& high, Handler& sad) {
  op2<T>(low, [](T a, T b) { return a < b ? a : b; });
  op2<T>(high, [](T a, T b) { return a < b ? b : a; });
  using U = std::make_unsigned_t<T>;
  op3<T>(sad, [](T a, T b, T c) { return static_cast<T>(U(c) + (a < b ? U(b) - U(a) : U(a) - U(b))); });
}
template <class T>
void register_carries(Handler& add_cc, Handler& addc, Handler& addc_cc, Handler& sub_cc, Handler& subc,
                      Handler& subc_cc) {
  auto add = [](T a, T b, T, bool& c) { return add_carry(a, b, c); };
  auto sub = [](T a, T b, T, bool& c) { return sub_borrow(a, b, c); };
  with_carry<T, false, true>(add_cc, add);
  with_carry<T, true, false>(addc, add);
  with_carry<T, true, true>(addc_cc, add);
  with_carry<T, false, true, true>(sub_cc, sub);
  with_carry<T, true, false, true>(subc, sub);
  with_carry<T, true, true, true>(subc_cc, sub);
}
template <class T, class F>
void register_mad_carries(Handler& cc, Handler& c, Handler& c_cc, F) {
  auto f = [](T a, T b, T d, bool& carry) { return add_carry(F{}(a, b), d, carry); };
  with_carry<T, false, true>(cc, f);
  with_carry<T, true, false>(c, f);
  with_carry<T, true, true>(c_cc, f);
}

}  // namespace

void register_integer(Table& t) {
  op2<u16>(t[Op::add_b16], [](u16 a, u16 b) { return static_cast<u16>(a + b); });
  op2<u32>(t[Op::add_b32], [](u32 a, u32 b) { return a + b; });
  op2<u64>(t[Op::add_b64], [](u64 a, u64 b) { return a + b; });
  op2<u16>(t[Op::sub_b16], [](u16 a, u16 b) { return static_cast<u16>(a - b); });
  op2<u32>(t[Op::sub_b32], [](u32 a, u32 b) { return a - b; });
  op2<u64>(t[Op::sub_b64], [](u64 a, u64 b) { return a - b; });
  op2<s32>(t[Op::add_sat_s32], [](s32 a, s32 b) { return saturate(s64{a} + b); });
  op2<s32>(t[Op::sub_sat_s32], [](s32 a, s32 b) { return saturate(s64{a} - b); });
  register_carries<u32>(t[Op::add_cc_b32], t[Op::addc_b32], t[Op::addc_cc_b32], t[Op::sub_cc_b32],
                        t[Op::subc_b32], t[Op::subc_cc_b32]);
  register_carries<u64>(t[Op::add_cc_b64], t[Op::addc_b64], t[Op::addc_cc_b64], t[Op::sub_cc_b64],
                        t[Op::subc_b64], t[Op::subc_cc_b64]);
  op2<u32>(t[Op::add_u16x2],
           [](u32 a, u32 b) { return halves<u16>(a, b, [](u16 x, u16 y) { return x + y; }); });
  op2<u32>(t[Op::add_s16x2],
           [](u32 a, u32 b) { return halves<u16>(a, b, [](u16 x, u16 y) { return x + y; }); });
  op2<u32>(t[Op::min_u16x2],
           [](u32 a, u32 b) { return halves<u16>(a, b, [](u16 x, u16 y) { return x < y ? x : y; }); });
  op2<u32>(t[Op::max_u16x2],
           [](u32 a, u32 b) { return halves<u16>(a, b, [](u16 x, u16 y) { return x < y ? y : x; }); });
  op2<u32>(t[Op::min_s16x2],
           [](u32 a, u32 b) { return halves<s16>(a, b, [](s16 x, s16 y) { return x < y ? x : y; }); });
  op2<u32>(t[Op::max_s16x2],
           [](u32 a, u32 b) { return halves<s16>(a, b, [](s16 x, s16 y) { return x < y ? y : x; }); });

  op2<u16>(t[Op::mul_lo_b16], [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b); });
  op2<u32>(t[Op::mul_lo_b32], [](u32 a, u32 b) { return a * b; });
  op2<u64>(t[Op::mul_lo_b64], [](u64 a, u64 b) { return a * b; });
  op2<u16>(t[Op::mul_hi_u16], [](u16 a, u16 b) { return static_cast<u16>(u32{a} * b >> 16); });
  op2<s16>(t[Op::mul_hi_s16], [](s16 a, s16 b) { return static_cast<s16>(s32{a} * b >> 16); });
  op2<u32>(t[Op::mul_hi_u32], [](u32 a, u32 b) { return mul_hi(a, b); });
  op2<s32>(t[Op::mul_hi_s32], [](s32 a, s32 b) { return mul_hi(a, b); });
  op2<u64>(t[Op::mul_hi_u64], [](u64 a, u64 b) { return mul_hi(a, b); });
  op2<s64>(t[Op::mul_hi_s64], [](s64 a, s64 b) { return mul_hi(a, b); });
  op2<u32, u16>(t[Op::mul_wide_u16], [](u16 a, u16 b) { return u32{a} * b; });
  op2<s32, s16>(t[Op::mul_wide_s16], [](s16 a, s16 b) { return s32{a} * b; });
  op2<u64, u32>(t[Op::mul_wide_u32], [](u32 a, u32 b) { return u64{a} * b; });
  op2<s64, s32>(t[Op::mul_wide_s32], [](s32 a, s32 b) { return s64{a} * b; });

  op3<u16>(t[Op::mad_lo_b16], [](u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); });
  op3<u32>(t[Op::mad_lo_b32], [](u32 a, u32 b, u32 c) { return a * b + c; });
  op3<u64>(t[Op::mad_lo_b64], [](u64 a, u64 b, u64 c) { return a * b + c; });
  op3<u16>(t[Op::mad_hi_u16], [](u16 a, u16 b, u16 c) { return static_cast<u16>((u32{a} * b >> 16) + c); });
  op3<s16>(t[Op::mad_hi_s16], [](s16 a, s16 b, s16 c) { return static_cast<s16>((s32{a} * b >> 16) + c); });
  op3<u32>(t[Op::mad_hi_u32], [](u32 a, u32 b, u32 c) { return mul_hi(a, b) + c; });
  op3<s32>(t[Op::mad_hi_s32], [](s32 a, s32 b, s32 c) {
    return static_cast<s32>(static_cast<u32>(mul_hi(a, b)) + static_cast<u32>(c));
  });
  op3<u64>(t[Op::mad_hi_u64], [](u64 a, u64 b, u64 c) { return mul_hi(a, b) + c; });
  op3<s64>(t[Op::mad_hi_s64], [](s64 a, s64 b, s64 c) {
    return static_cast<s64>(static_cast<u64>(mul_hi(a, b)) + static_cast<u64>(c));
  });
  op3<s32>(t[Op::mad_hi_sat_s32], [](s32 a, s32 b, s32 c) { return saturate(s64{mul_hi(a, b)} + c); });
  op3<u32, u16, u16, u32>(t[Op::mad_wide_u16], [](u16 a, u16 b, u32 c) { return u32{a} * b + c; });
  op3<u32, s16, s16, u32>(t[Op::mad_wide_s16],
                          [](s16 a, s16 b, u32 c) { return static_cast<u32>(s32{a} * b) + c; });
  op3<u64, u32, u32, u64>(t[Op::mad_wide_u32], [](u32 a, u32 b, u64 c) { return u64{a} * b + c; });
  op3<u64, s32, s32, u64>(t[Op::mad_wide_s32],
                          [](s32 a, s32 b, u64 c) { return static_cast<u64>(s64{a} * b) + c; });
  register_mad_carries<u32>(t[Op::mad_lo_cc_b32], t[Op::madc_lo_b32], t[Op::madc_lo_cc_b32],
                            [](u32 a, u32 b) { return a * b; });
  register_mad_carries<u32>(t[Op::mad_hi_cc_u32], t[Op::madc_hi_u32], t[Op::madc_hi_cc_u32],
                            [](u32 a, u32 b) { return mul_hi(a, b); });
  register_mad_carries<u32>(
      t[Op::mad_hi_cc_s32], t[Op::madc_hi_s32], t[Op::madc_hi_cc_s32],
      [](u32 a, u32 b) { return static_cast<u32>(mul_hi(static_cast<s32>(a), static_cast<s32>(b))); });
  register_mad_carries<u64>(t[Op::mad_lo_cc_b64], t[Op::madc_lo_b64], t[Op::madc_lo_cc_b64],
                            [](u64 a, u64 b) { return a * b; });
  register_mad_carries<u64>(t[Op::mad_hi_cc_u64], t[Op::madc_hi_u64], t[Op::madc_hi_cc_u64],
                            [](u64 a, u64 b) { return mul_hi(a, b); });
  register_mad_carries<u64>(
      t[Op::mad_hi_cc_s64], t[Op::madc_hi_s64], t[Op::madc_hi_cc_s64],
      [](u64 a, u64 b) { return static_cast<u64>(mul_hi(static_cast<s64>(a), static_cast<s64>(b))); });
  op2<u32>(t[Op::mul24_lo_u32], [](u32 a, u32 b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); });
  op2<u32>(t[Op::mul24_hi_u32],
           [](u32 a, u32 b) { return static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF) >> 16); });
  op2<s32>(t[Op::mul24_lo_s32], [](s32 a, s32 b) {
    return static_cast<s32>(s64{static_cast<s32>(static_cast<u32>(a) << 8) >> 8} *
                            (static_cast<s32>(static_cast<u32>(b) << 8) >> 8));
  });
  op2<s32>(t[Op::mul24_hi_s32], [](s32 a, s32 b) {
    return static_cast<s32>(s64{static_cast<s32>(static_cast<u32>(a) << 8) >> 8} *
                                (static_cast<s32>(static_cast<u32>(b) << 8) >> 8) >>
                            16);
  });
  op3<u32>(t[Op::mad24_lo_u32], [](u32 a, u32 b, u32 c) { return (a & 0xFFFFFF) * (b & 0xFFFFFF) + c; });
  op3<u32>(t[Op::mad24_hi_u32], [](u32 a, u32 b, u32 c) {
    return static_cast<u32>(u64{a & 0xFFFFFF} * (b & 0xFFFFFF) >> 16) + c;
  });
  op3<s32>(t[Op::mad24_lo_s32], [](s32 a, s32 b, s32 c) {
    return static_cast<s32>(static_cast<u32>(s64{static_cast<s32>(static_cast<u32>(a) << 8) >> 8} *
                                             (static_cast<s32>(static_cast<u32>(b) << 8) >> 8)) +
                            static_cast<u32>(c));
  });
  op3<s32>(t[Op::mad24_hi_s32], [](s32 a, s32 b, s32 c) {
    return static_cast<s32>(static_cast<u32>(s64{static_cast<s32>(static_cast<u32>(a) << 8) >> 8} *
                                                 (static_cast<s32>(static_cast<u32>(b) << 8) >> 8) >>
                                             16) +
                            static_cast<u32>(c));
  });
  op3<s32>(t[Op::mad24_hi_sat_s32], [](s32 a, s32 b, s32 c) {
    return saturate((s64{static_cast<s32>(static_cast<u32>(a) << 8) >> 8} *
                         (static_cast<s32>(static_cast<u32>(b) << 8) >> 8) >>
                     16) +
                    c);
  });
  op2<s32>(t[Op::min_relu_s32], [](s32 a, s32 b) { return std::max(std::min(a, b), 0); });
  op2<s32>(t[Op::max_relu_s32], [](s32 a, s32 b) { return std::max(std::max(a, b), 0); });
  op2<u32>(t[Op::min_relu_s16x2], [](u32 a, u32 b) {
    return halves<s16>(a, b, [](s16 x, s16 y) { return std::max<s16>(std::min(x, y), 0); });
  });
  op2<u32>(t[Op::max_relu_s16x2], [](u32 a, u32 b) {
    return halves<s16>(a, b, [](s16 x, s16 y) { return std::max<s16>(std::max(x, y), 0); });
  });

  register_division<u16>(t[Op::div_u16], t[Op::rem_u16]);
  register_division<s16>(t[Op::div_s16], t[Op::rem_s16]);
  register_division<u32>(t[Op::div_u32], t[Op::rem_u32]);
  register_division<s32>(t[Op::div_s32], t[Op::rem_s32]);
  register_division<u64>(t[Op::div_u64], t[Op::rem_u64]);
  register_division<s64>(t[Op::div_s64], t[Op::rem_s64]);
  register_min_max<u16>(t[Op::min_u16], t[Op::max_u16], t[Op::sad_u16]);
  register_min_max<s16>(t[Op::min_s16], t[Op::max_s16], t[Op::sad_s16]);
  register_min_max<u32>(t[Op::min_u32], t[Op::max_u32], t[Op::sad_u32]);
  register_min_max<s32>(t[Op::min_s32], t[Op::max_s32], t[Op::sad_s32]);
  register_min_max<u64>(t[Op::min_u64], t[Op::max_u64], t[Op::sad_u64]);
  register_min_max<s64>(t[Op::min_s64], t[Op::max_s64], t[Op::sad_s64]);
  op1<s16>(t[Op::abs_s16], [](s16 a) { return static_cast<s16>(a < 0 ? -a : a); });
  op1<s32>(t[Op::abs_s32],
           [](s32 a) { return static_cast<s32>(a < 0 ? 0u - static_cast<u32>(a) : static_cast<u32>(a)); });
  op1<s64>(t[Op::abs_s64],
           [](s64 a) { return static_cast<s64>(a < 0 ? 0ull - static_cast<u64>(a) : static_cast<u64>(a)); });
  op1<u16>(t[Op::neg_s16], [](u16 a) { return static_cast<u16>(0 - a); });
  op1<u32>(t[Op::neg_s32], [](u32 a) { return 0u - a; });
  op1<u64>(t[Op::neg_s64], [](u64 a) { return 0ull - a; });

  using u8_ = unsigned char;
  using s8_ = signed char;
  op3<u32>(t[Op::dp4a_u32_u32], [](u32 a, u32 b, u32 c) { return dot4<u8_, u8_>(a, b, c); });
  op3<u32>(t[Op::dp4a_u32_s32], [](u32 a, u32 b, u32 c) { return dot4<u8_, s8_>(a, b, c); });
  op3<u32>(t[Op::dp4a_s32_u32], [](u32 a, u32 b, u32 c) { return dot4<s8_, u8_>(a, b, c); });
  op3<u32>(t[Op::dp4a_s32_s32], [](u32 a, u32 b, u32 c) { return dot4<s8_, s8_>(a, b, c); });
  op3<u32>(t[Op::dp2a_lo_u32_u32], [](u32 a, u32 b, u32 c) { return dot2<u16, u8_>(a, b, c, 0); });
  op3<u32>(t[Op::dp2a_lo_u32_s32], [](u32 a, u32 b, u32 c) { return dot2<u16, s8_>(a, b, c, 0); });
  op3<u32>(t[Op::dp2a_lo_s32_u32], [](u32 a, u32 b, u32 c) { return dot2<s16, u8_>(a, b, c, 0); });
  op3<u32>(t[Op::dp2a_lo_s32_s32], [](u32 a, u32 b, u32 c) { return dot2<s16, s8_>(a, b, c, 0); });
  op3<u32>(t[Op::dp2a_hi_u32_u32], [](u32 a, u32 b, u32 c) { return dot2<u16, u8_>(a, b, c, 2); });
  op3<u32>(t[Op::dp2a_hi_u32_s32], [](u32 a, u32 b, u32 c) { return dot2<u16, s8_>(a, b, c, 2); });
  op3<u32>(t[Op::dp2a_hi_s32_u32], [](u32 a, u32 b, u32 c) { return dot2<s16, u8_>(a, b, c, 2); });
  op3<u32>(t[Op::dp2a_hi_s32_s32], [](u32 a, u32 b, u32 c) { return dot2<s16, s8_>(a, b, c, 2); });
}

}  // namespace simgpu::exec::SIMGPU_ISA
