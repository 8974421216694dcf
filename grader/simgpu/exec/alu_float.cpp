/// @file
/// Arithmetic on f32 and f64, rounded to nearest. Built without contraction: an add and a mul stay two
/// roundings. The approximate functions are libm's, which differ from hardware in the last bits (tests/hardware says by how much).
#include <bit>
#include <cmath>
#include <limits>

#include "simgpu/exec/lanes.hpp"
#include "simgpu/exec/nans.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

inline float canonical(float v) {
  return settled(v);
}
inline float flush(float v) {
  return std::fabs(v) < std::numeric_limits<float>::min() ? std::copysign(0.0f, v) : v;
}
inline double flush(double v) {
  return v;
}
template <class T>
inline T clamp01(T v) {
  return v > 0 ? (v < 1 ? v : T(1)) : T(0);
}

/// What is no number keeps its sign.
template <class T>
inline T opposite(T v) {
  return v == v ? -v : v;
}

template <class T>
inline T finish(T r, u32 flags) {
  if (flags & lower::kFtz) r = flush(r);
  if (flags & lower::kSat) r = clamp01(r);
  return r;
}

template <class T, class F>
void float1(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 m) {
    const u32 flags = i.flags & (lower::kFtz | lower::kSat);
    if (flags == 0) return lanes1<T, T>(w, i, m, F{});
    lanes1<T, T>(w, i, m, [flags](T a) {
      if (flags & lower::kFtz) a = flush(a);
      return finish(F{}(a), flags);
    });
  };
}
template <class T, class F>
void float2(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 m) {
    const u32 flags = i.flags & (lower::kFtz | lower::kSat);
    if (flags == 0) return lanes2<T, T, T>(w, i, m, F{});
    lanes2<T, T, T>(w, i, m, [flags](T a, T b) {
      if (flags & lower::kFtz) a = flush(a), b = flush(b);
      return finish(F{}(a, b), flags);
    });
  };
}
template <class T, class F>
void float3(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 m) {
    const u32 flags = i.flags & (lower::kFtz | lower::kSat | lower::kNegateProduct | lower::kNegateAddend);
    if (flags == 0) return lanes3<T, T, T, T>(w, i, m, F{});
    if (flags == lower::kNegateProduct)
      return lanes3<T, T, T, T>(w, i, m, [](T a, T b, T c) { return F{}(opposite(a), b, c); });
    if (flags == lower::kNegateAddend)
      return lanes3<T, T, T, T>(w, i, m, [](T a, T b, T c) { return F{}(a, b, opposite(c)); });
    lanes3<T, T, T, T>(w, i, m, [flags](T a, T b, T c) {
      if (flags & lower::kNegateProduct) a = opposite(a);
      if (flags & lower::kNegateAddend) c = opposite(c);
      if (flags & lower::kFtz) a = flush(a), b = flush(b), c = flush(c);
      return finish(F{}(a, b, c), flags);
    });
  };
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, u32, u64>;
template <class T>
T bit_and(T a, T b) {
  return std::bit_cast<T>(std::bit_cast<Bits<T>>(a) & std::bit_cast<Bits<T>>(b));
}
template <class T>
T bit_or(T a, T b) {
  return std::bit_cast<T>(std::bit_cast<Bits<T>>(a) | std::bit_cast<Bits<T>>(b));
}
/// A NaN loses against a number; -0 is smaller than +0.
template <class T>
T lesser(T a, T b) {
  T r = a < b ? a : b;
  r = a == b ? bit_or(a, b) : r;
  r = b == b ? r : a;
  return settled(r, b, a);
}
template <class T>
T greater(T a, T b) {
  T r = a > b ? a : b;
  r = a == b ? bit_and(a, b) : r;
  r = b == b ? r : a;
  return settled(r, b, a);
}

template <class T, bool want_less>
void min_max(Handler& h) {
  h = [](Warp& w, const Ins& i, u32 m) {
    const u32 flags = i.flags;
    if ((flags & (lower::kFtz | lower::kNan | lower::kXorSign)) == 0)
      return lanes2<T, T, T>(w, i, m, [](T a, T b) { return want_less ? lesser(a, b) : greater(a, b); });
    lanes2<T, T, T>(w, i, m, [flags](T a, T b) {
      if (flags & lower::kFtz) a = flush(a), b = flush(b);
      if ((flags & lower::kNan) && (a != a || b != b)) return settled(a + b, b, a);
      if (flags & lower::kXorSign) {
        const bool negative = std::signbit(a) != std::signbit(b);
        const T r = want_less ? lesser(std::fabs(a), std::fabs(b)) : greater(std::fabs(a), std::fabs(b));
        return negative && r == r ? -r : r;
      }
      return want_less ? lesser(a, b) : greater(a, b);
    });
  };
}

/// The angle that sin.approx and cos.approx take for x: x is first divided by a full turn, in f32, rounded to zero.
double angle(float x) {
  const double product = static_cast<double>(x) * 0.15915493667125702;  // exact
  float turns = static_cast<float>(product);
  if (std::fabs(static_cast<double>(turns)) > std::fabs(product)) turns = std::nextafter(turns, 0.0f);
  const double part = turns - std::floor(static_cast<double>(turns));
  return part == 0 ? 0.0 * turns : part * 6.283185307179586;
}

/// The f64 approximations see the upper half of their operand and give the upper half of the result.
template <class F>
void upper_half(Handler& h, Handler exact, F) {
  static Handler otherwise;
  otherwise = exact;
  h = [](Warp& w, const Ins& i, u32 m) {
    if (!(i.flags & lower::kFtz)) return otherwise(w, i, m);
    lanes1<double, double>(w, i, m, [](double a) {
      constexpr u64 kUpper = 0xFFFF'FFFF'0000'0000ull;
      const double x = std::bit_cast<double>(std::bit_cast<u64>(a) & kUpper);
      const double tiny = std::numeric_limits<double>::min();
      const double r = F{}(std::fabs(x) < tiny ? std::copysign(0.0, x) : x);
      if (r != r) return std::bit_cast<double>(0x7FFF'FFFF'0000'0000ull);
      if (std::fabs(r) < tiny) return std::copysign(0.0, r);
      return std::bit_cast<double>(std::bit_cast<u64>(r) & kUpper);
    });
  };
}

template <class T, class F>
void test_property(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 mask) {
    const T* a = w.row<T>(i.a);
    u32 r = 0;
    for (u32 l = 0; l < 32; ++l) r |= static_cast<u32>(F{}(a[l])) << l;
    u32& d = w.predicate(i.d);
    d = (d & ~mask) | (r & mask);
  };
}

template <class T>
void register_type(Table& t, Op first_add) {
  // The table lists both types in the same order, so one offset serves both.
  const auto shift = static_cast<int>(first_add) - static_cast<int>(Op::add_f32);
  auto at = [&](Op op) -> Handler& { return t[static_cast<Op>(static_cast<int>(op) + shift)]; };
  float2<T>(at(Op::add_f32), [](T a, T b) { return settled(a + b, b, a); });
  float2<T>(at(Op::sub_f32), [](T a, T b) { return settled(a - b, b, a); });
  float2<T>(at(Op::mul_f32), [](T a, T b) { return settled(a * b, b, a); });
  float3<T>(at(Op::fma_f32), [](T a, T b, T c) {
    if constexpr (sizeof(T) == 4)
      return settled(__builtin_fmaf(a, b, c), b, c, a);
    else
      return settled(__builtin_fma(a, b, c), b, c, a);
  });
  float2<T>(at(Op::div_f32), [](T a, T b) { return settled(a / b, a, b); });
  float1<T>(at(Op::sqrt_f32), [](T a) { return settled(std::sqrt(a), a); });
  float1<T>(at(Op::rcp_f32), [](T a) { return settled(T(1) / a, a); });
  float1<T>(at(Op::rsqrt_f32),
            [](T a) { return settled(static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))), a); });
  min_max<T, true>(at(Op::min_f32));
  min_max<T, false>(at(Op::max_f32));
  float1<T>(at(Op::abs_f32), [](T a) { return a == a ? std::fabs(a) : settled(a, a); });
  float1<T>(at(Op::neg_f32), [](T a) { return a == a ? -a : settled(a, a); });
  float2<T>(at(Op::copysign_f32), [](T a, T b) { return std::copysign(b, a); });
  test_property<T>(at(Op::testp_finite_f32), [](T a) { return std::isfinite(a); });
  test_property<T>(at(Op::testp_infinite_f32), [](T a) { return std::isinf(a); });
  test_property<T>(at(Op::testp_number_f32), [](T a) { return a == a; });
  test_property<T>(at(Op::testp_notanumber_f32), [](T a) { return a != a; });
  test_property<T>(at(Op::testp_normal_f32), [](T a) { return a == 0 || std::isnormal(a); });
  test_property<T>(at(Op::testp_subnormal_f32), [](T a) { return std::fpclassify(a) == FP_SUBNORMAL; });
}
static_assert(static_cast<int>(Op::testp_subnormal_f64) - static_cast<int>(Op::add_f64) ==
              static_cast<int>(Op::testp_subnormal_f32) - static_cast<int>(Op::add_f32));

}  // namespace

void register_float(Table& t) {
  register_type<float>(t, Op::add_f32);
  register_type<double>(t, Op::add_f64);
  upper_half(t[Op::rcp_f64], t[Op::rcp_f64], [](double a) { return 1 / a; });
  upper_half(t[Op::rsqrt_f64], t[Op::rsqrt_f64], [](double a) { return 1 / std::sqrt(a); });
  float1<float>(t[Op::sin_f32], [](float a) { return canonical(static_cast<float>(std::sin(angle(a)))); });
  float1<float>(t[Op::cos_f32], [](float a) { return canonical(static_cast<float>(std::cos(angle(a)))); });
  float1<float>(t[Op::lg2_f32], [](float a) { return canonical(std::log2(a)); });
  float1<float>(t[Op::ex2_f32], [](float a) { return canonical(std::exp2(a)); });
  float1<float>(t[Op::tanh_f32], [](float a) { return canonical(std::tanh(a)); });
}

}  // namespace simgpu::exec::SIMGPU_ISA
