/// @file
/// cvt. The frequent forms have loops of their own; the general form goes through 64-bit integers or doubles,
/// in which every source value is exact. Built with -frounding-math.
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "simgpu/exec/half.hpp"
#include "simgpu/exec/lanes.hpp"
#include "simgpu/exec/nans.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

using lower::NumberType;
using lower::Rounding;

int host_mode(Rounding way) {
  return way == Rounding::zero   ? FE_TOWARDZERO
         : way == Rounding::down ? FE_DOWNWARD
         : way == Rounding::up   ? FE_UPWARD
                                 : FE_TONEAREST;
}
double rounded_to_integer(double v, Rounding way) {
  switch (way) {
    case Rounding::zero:
      return std::trunc(v);
    case Rounding::down:
      return std::floor(v);
    case Rounding::up:
      return std::ceil(v);
    default:
      return std::nearbyint(v);  // the host rounds to nearest even unless told otherwise
  }
}
u64 integer_from(double v, NumberType to, bool from_double) {
  const unsigned bits = lower::bytes_of(to) * 8u;
  if (v != v) return from_double || bits == 64 ? 1ull << (bits - 1) : 0;
  if (lower::is_signed(to)) {
    const double low = -std::ldexp(1.0, static_cast<int>(bits) - 1), high = -low;
    if (v < low) return static_cast<u64>(static_cast<s64>(low));
    if (v >= high) return (1ull << (bits - 1)) - 1;
    return static_cast<u64>(static_cast<s64>(v));
  }
  if (v <= 0) return 0;
  if (v >= std::ldexp(1.0, static_cast<int>(bits))) return bits == 64 ? ~0ull : (1ull << bits) - 1;
  return static_cast<u64>(v);
}
u64 clamp_integer(u64 v, bool from_signed, NumberType to) {
  const unsigned bits = lower::bytes_of(to) * 8u;
  const auto s = static_cast<s64>(v);
  if (lower::is_signed(to)) {
    const s64 high = static_cast<s64>((1ull << (bits - 1)) - 1), low = -high - 1;
    if (!from_signed) return v > static_cast<u64>(high) ? static_cast<u64>(high) : v;
    return static_cast<u64>(s < low ? low : s > high ? high : s);
  }
  if (from_signed && s < 0) return 0;
  const u64 high = bits == 64 ? ~0ull : (1ull << bits) - 1;
  return v > high ? high : v;
}
float flush(float v) {
  return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v;
}

/// What becomes of a NaN: most conversions keep its sign and the upper bits of its payload.
/// @param changed the conversion is more than a copy.
u64 converted_nan(u64 from, NumberType d, NumberType s, bool changed) {
  if (s == d && (s == NumberType::f32 || s == NumberType::f64)) {
    if (s == NumberType::f32) return changed ? kNan32 : from;
    return changed ? from | kQuiet64 : from;
  }
  u64 wide;  // as f64
  switch (s) {
    case NumberType::f64:
      wide = from;
      break;
    case NumberType::f32:
      if (d != NumberType::f64) return 0x7FFF;
      if (changed) from = kNan32;
      wide = (from & 0x8000'0000u) << 32 | 0x7FF0'0000'0000'0000ull | (from & 0x7F'FFFFu) << 29;
      break;
    case NumberType::f16:
      if (d == NumberType::f32) return kNan32;
      wide = (from & 0x8000u) << 48 | 0x7FF0'0000'0000'0000ull | (from & 0x3FFu) << 42;
      break;
    default:
      if (d == NumberType::f32) return (from & 0xFFFFu) << 16;
      wide = (from & 0x8000u) << 48 | 0x7FF0'0000'0000'0000ull | (from & 0x7Fu) << 45;
      break;
  }
  wide |= kQuiet64;
  const u64 sign = wide >> 63;
  switch (d) {
    case NumberType::f64:
      return wide;
    case NumberType::f32:
      return sign << 31 | 0x7F80'0000u | (wide >> 29 & 0x7F'FFFFu);
    case NumberType::f16:
      return s == NumberType::f64 ? sign << 15 | 0x7C00u | (wide >> 42 & 0x3FFu) : 0x7FFF;
    default:
      return s == NumberType::f64 ? sign << 15 | 0x7F80u | (wide >> 45 & 0x7Fu) : 0x7FFF;
  }
}

/// An integer as a double whose last place stands for all bits that do not fit, so that one more rounding is right.
double to_odd(u64 integer, bool is_signed) {
  const bool negative = is_signed && static_cast<s64>(integer) < 0;
  u64 magnitude = negative ? 0 - integer : integer;
  if (magnitude >> 53) magnitude = (magnitude >> 11 | ((magnitude & 0x7FF) != 0)) << 11;
  const auto value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

/// One value, from the bits of its register to the bits of the destination register.
u64 convert(u64 from, NumberType d, NumberType s, Rounding way, bool to_integral, u32 flags,
            unsigned register_bytes) {
  const bool from_float = lower::is_float(s), to_float = lower::is_float(d);
  u64 integer = from;
  double value = 0;
  if (from_float) {
    switch (s) {
      case NumberType::f16:
        value = from_half(static_cast<u16>(from));
        break;
      case NumberType::bf16:
        value = from_bfloat(static_cast<u16>(from));
        break;
      case NumberType::f32: {
        float f = std::bit_cast<float>(static_cast<u32>(from));
        value = flags & lower::kFtz && d != NumberType::f16 ? flush(f) : f;
        break;
      }
      default:
        value = std::bit_cast<double>(from);
        break;
    }
  } else {
    const unsigned bits = lower::bytes_of(s) * 8u;
    if (bits < 64) {
      integer &= (1ull << bits) - 1;
      if (lower::is_signed(s))
        integer = static_cast<u64>(static_cast<s64>(integer << (64 - bits)) >> (64 - bits));
    }
  }
  if (!to_float) {
    u64 r;
    if (from_float)
      r = integer_from(rounded_to_integer(value, way), d, s == NumberType::f64);
    else
      r = flags & lower::kSat ? clamp_integer(integer, lower::is_signed(s), d) : integer;
    const unsigned bits = lower::bytes_of(d) * 8u, whole = register_bytes * 8u;
    if (bits < 64) r &= (1ull << bits) - 1;
    if (lower::is_signed(d) && bits < whole) {
      r = static_cast<u64>(static_cast<s64>(r << (64 - bits)) >> (64 - bits));
      if (whole < 64) r &= (1ull << whole) - 1;
    }
    return r;
  }
  if (from_float && value != value && !(flags & (lower::kSat | lower::kRelu)))
    return converted_nan(from, d, s, to_integral || (flags & lower::kFtz));
  if (from_float && to_integral) value = std::copysign(rounded_to_integer(value, way), value);
  auto saturate = [&](double v) { return flags & lower::kSat ? (v > 0 ? (v < 1 ? v : 1.0) : 0.0) : v; };
  if (d == NumberType::f16 || d == NumberType::bf16) {
    if (!from_float) value = to_odd(integer, lower::is_signed(s));
    const auto mode = static_cast<NarrowMode>(to_integral ? Rounding::nearest : way);
    double v = saturate(value);
    if ((flags & lower::kRelu) && v <= 0) v = 0;
    return d == NumberType::f16 ? to_half(v, mode) : to_bfloat(v, mode);
  }
  const int before = std::fegetround();
  if (!to_integral) std::fesetround(host_mode(way));
  u64 bits;
  if (d == NumberType::f32) {
    volatile float f;
    if (from_float) {
      volatile double v = value;
      f = static_cast<float>(v);
    } else if (lower::is_signed(s)) {
      volatile s64 v = static_cast<s64>(integer);
      f = static_cast<float>(v);
    } else {
      volatile u64 v = integer;
      f = static_cast<float>(v);
    }
    float r = f;
    if (flags & lower::kFtz) r = flush(r);
    // Too small a value is zero even if rounding would make it a normal number.
    if ((flags & lower::kFtz) && from_float && std::fabs(value) < 0x1p-126) r = std::copysign(0.0f, r);
    if (flags & lower::kSat) r = static_cast<float>(saturate(r));
    bits = std::bit_cast<u32>(r);
  } else {
    volatile double f;
    if (from_float)
      f = value;
    else if (lower::is_signed(s)) {
      volatile s64 v = static_cast<s64>(integer);
      f = static_cast<double>(v);
    } else {
      volatile u64 v = integer;
      f = static_cast<double>(v);
    }
    double r = f;
    bits = std::bit_cast<u64>(saturate(r));
  }
  std::fesetround(before);
  return bits;
}

void general(Warp& w, const Ins& i, u32 mask) {
  const auto d = static_cast<NumberType>(i.imm & 0xFF), s = static_cast<NumberType>(i.imm >> 8 & 0xFF);
  const auto way = static_cast<Rounding>(i.imm >> 16 & 0xFF);
  const bool integral = i.imm >> 24 & 1;
  const auto register_bytes = static_cast<unsigned>(i.imm >> 32 & 0xFF);
  const bool wide_from = (i.imm >> 40 & 0xFF) == 8;
  each_lane(mask, [&](u32 l) {
    const u64 from = wide_from ? w.row<u64>(i.a)[l] : w.row<u32>(i.a)[l];
    const u64 r = convert(from, d, s, way, integral, i.flags, register_bytes);
    if (register_bytes == 8)
      w.row<u64>(i.d)[l] = r;
    else
      w.row<u32>(i.d)[l] = static_cast<u32>(r);
  });
}

/// Two floats to a pair of halves: the first operand is the high one.
void pack(Warp& w, const Ins& i, u32 mask) {
  const float *a = w.row<float>(i.a), *b = w.row<float>(i.b);
  const bool bf = i.imm & 1;
  const NarrowMode mode = i.imm & 2 ? NarrowMode::zero : NarrowMode::nearest;
  u32* d = w.row<u32>(i.d);
  auto one = [&](float v) -> u32 {
    if ((i.imm & 4) && v <= 0) v = 0;
    double x = v;
    if (i.flags & lower::kSat) x = x > 0 ? (x < 1 ? x : 1) : 0;
    return bf ? to_bfloat(x, mode) : to_half(x, mode);
  };
  each_lane(mask, [&](u32 l) { d[l] = one(a[l]) << 16 | one(b[l]); });
}

/// f32 with 10 bits of fraction, in a 32-bit register.
void to_tf32(Warp& w, const Ins& i, u32 mask) {
  const u32* a = w.row<u32>(i.a);
  u32* d = w.row<u32>(i.d);
  each_lane(mask, [&](u32 l) {
    u32 v = a[l];
    if ((v & 0x7FFF'FFFFu) > 0x7F80'0000u) {
      v = (i.imm == 2 ? v : 0x7FFF'FFFFu) & 0xFFFF'E000u;
    } else if ((v & 0x7FFF'FFFFu) < 0x7F80'0000u) {
      constexpr u32 kCut = 13, kHalf = 1u << (kCut - 1);
      if (i.imm == 2) v += kHalf;  // ties away from zero
      if (i.imm == 0) v += kHalf - 1 + (v >> kCut & 1);
      v &= ~((1u << kCut) - 1);
    }
    if ((i.flags & lower::kRelu) && v >> 31) v = 0;
    d[l] = v;
  });
}

/// Two values to a pair of eight-bit floats: two f32 (the first operand is the high one), or a pair of halves.
void to_float8x2(Warp& w, const Ins& i, u32 mask) {
  const auto format = static_cast<Float8>(i.imm);
  u32* d = w.row<u32>(i.d);
  auto one = [&](double v) -> u32 { return to_float8((i.flags & lower::kRelu) && v <= 0 ? 0 : v, format); };
  if (i.b == lower::kNoOperand) {
    const u32* a = w.row<u32>(i.a);
    each_lane(mask, [&](u32 l) {
      d[l] = one(from_half(static_cast<u16>(a[l] >> 16))) << 8 | one(from_half(static_cast<u16>(a[l])));
    });
  } else {
    const float *a = w.row<float>(i.a), *b = w.row<float>(i.b);
    each_lane(mask, [&](u32 l) { d[l] = one(a[l]) << 8 | one(b[l]); });
  }
}
void from_float8x2(Warp& w, const Ins& i, u32 mask) {
  const auto format = static_cast<Float8>(i.imm);
  const u32* a = w.row<u32>(i.a);
  u32* d = w.row<u32>(i.d);
  auto one = [&](u32 v) -> u32 {
    const u16 h = half_from_float8(static_cast<u8>(v), format);
    return (i.flags & lower::kRelu) && h >> 15 ? 0 : h;
  };
  each_lane(mask, [&](u32 l) { d[l] = one(a[l] >> 8) << 16 | one(a[l]); });
}

/// cvt.pack.sat: two clamped integers, the first the high one, below them what c holds.
void pack_saturated(Warp& w, const Ins& i, u32 mask) {
  const auto bits = static_cast<u32>(i.imm & 255);
  const bool is_signed = i.imm & 256;
  const s32 *a = w.row<s32>(i.a), *b = w.row<s32>(i.b);
  const u32* c = i.c == lower::kNoOperand ? nullptr : w.row<u32>(i.c);
  u32* d = w.row<u32>(i.d);
  const s32 low = is_signed ? -(1 << (bits - 1)) : 0, high = (1 << (is_signed ? bits - 1 : bits)) - 1;
  const u32 part = (1u << bits) - 1;
  auto clamp = [&](s32 v) { return static_cast<u32>(v < low ? low : v > high ? high : v) & part; };
  each_lane(mask, [&](u32 l) {
    const u32 pair = clamp(a[l]) << bits | clamp(b[l]);
    d[l] = c ? c[l] << 2 * bits | pair : pair;
  });
}

}  // namespace

void register_convert(Table& t) {
  t[Op::cvt_general] = general;
  t[Op::cvt_pack_f16x2] = pack;
  t[Op::cvt_tf32] = to_tf32;
  t[Op::cvt_to_float8x2] = to_float8x2;
  t[Op::cvt_from_float8x2] = from_float8x2;
  t[Op::cvt_pack_sat] = pack_saturated;
  op1<s64, s32>(t[Op::cvt_s64_s32], [](s32 a) { return static_cast<s64>(a); });
  op1<u64, u32>(t[Op::cvt_u64_u32], [](u32 a) { return static_cast<u64>(a); });
  op1<u32, u64>(t[Op::cvt_b32_b64], [](u64 a) { return static_cast<u32>(a); });
  op1<u32>(t[Op::cvt_b32_b32], [](u32 a) { return a; });
  op1<u64>(t[Op::cvt_b64_b64], [](u64 a) { return a; });
  op1<u32>(t[Op::cvt_u16], [](u32 a) { return a & 0xFFFF; });
  op1<s32, s16>(t[Op::cvt_s32_s16], [](s16 a) { return static_cast<s32>(a); });
  op1<float, s32>(t[Op::cvt_f32_s32], [](s32 a) { return static_cast<float>(a); });
  op1<float, u32>(t[Op::cvt_f32_u32], [](u32 a) { return static_cast<float>(a); });
  op1<double, s32>(t[Op::cvt_f64_s32], [](s32 a) { return static_cast<double>(a); });
  op1<double, float>(t[Op::cvt_f64_f32], [](float a) { return static_cast<double>(a); });
  op1<float, double>(t[Op::cvt_f32_f64], [](double a) {
    const float r = static_cast<float>(a);
    return r == r ? r
                  : std::bit_cast<float>(static_cast<u32>(
                        converted_nan(std::bit_cast<u64>(a), NumberType::f32, NumberType::f64, true)));
  });
  op1<s32, float>(t[Op::cvt_rzi_s32_f32], [](float a) {
    if (a != a) return s32{0};
    if (a >= 2147483648.0f) return std::numeric_limits<s32>::max();
    if (a <= -2147483648.0f) return std::numeric_limits<s32>::min();
    return static_cast<s32>(a);
  });
}

}  // namespace simgpu::exec::SIMGPU_ISA
