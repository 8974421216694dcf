/// @file
/// Arithmetic on f32 and f64, rounded to nearest. Built without contraction: an add and a mul stay two
/// roundings. The approximate functions are libm's, which differ from hardware in the last bits.
#include <bit>
#include <cmath>
#include <limits>

#include "simgpu/exec/lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

template <class T>
T canonical_nan() {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<float>(0x7FFF'FFFFu);
  else
    return std::bit_cast<double>(0x7FF8'0000'0000'0000ull);
}
template <class T>
inline T canonical(T v) {
  return v == v ? v : canonical_nan<T>();
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
    const u32 flags = i.flags & (lower::kFtz | lower::kSat);
    if (flags == 0) return lanes3<T, T, T, T>(w, i, m, F{});
    lanes3<T, T, T, T>(w, i, m, [flags](T a, T b, T c) {
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
  return canonical(r);
}
template <class T>
T greater(T a, T b) {
  T r = a > b ? a : b;
  r = a == b ? bit_and(a, b) : r;
  r = b == b ? r : a;
  return canonical(r);
}

template <class T, bool want_less>
void min_max(Handler& h) {
  h = [](Warp& w, const Ins& i, u32 m) {
    const u32 flags = i.flags;
    if ((flags & (lower::kFtz | lower::kNan | lower::kXorSign)) == 0)
      return lanes2<T, T, T>(w, i, m, [](T a, T b) { return want_less ? lesser(a, b) : greater(a, b); });
    lanes2<T, T, T>(w, i, m, [flags](T a, T b) {
      if (flags & lower::kFtz) a = flush(a), b = flush(b);
      if ((flags & lower::kNan) && (a != a || b != b)) return canonical_nan<T>();
      if (flags & lower::kXorSign) {
        const bool negative = std::signbit(a) != std::signbit(b);
        const T r = want_less ? lesser(std::fabs(a), std::fabs(b)) : greater(std::fabs(a), std::fabs(b));
        return negative && r == r ? -r : r;
      }
      return want_less ? lesser(a, b) : greater(a, b);
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
  float2<T>(at(Op::add_f32), [](T a, T b) { return canonical(a + b); });
  float2<T>(at(Op::sub_f32), [](T a, T b) { return canonical(a - b); });
  float2<T>(at(Op::mul_f32), [](T a, T b) { return canonical(a * b); });
  float3<T>(at(Op::fma_f32), [](T a, T b, T c) {
    if constexpr (sizeof(T) == 4)
      return canonical(__builtin_fmaf(a, b, c));
    else
      return canonical(__builtin_fma(a, b, c));
  });
  float2<T>(at(Op::div_f32), [](T a, T b) { return canonical(a / b); });
  float1<T>(at(Op::sqrt_f32), [](T a) { return canonical(std::sqrt(a)); });
  float1<T>(at(Op::rcp_f32), [](T a) { return canonical(T(1) / a); });
  float1<T>(at(Op::rsqrt_f32),
            [](T a) { return canonical(static_cast<T>(1.0 / std::sqrt(static_cast<double>(a)))); });
  min_max<T, true>(at(Op::min_f32));
  min_max<T, false>(at(Op::max_f32));
  float1<T>(at(Op::abs_f32), [](T a) { return std::fabs(a); });
  float1<T>(at(Op::neg_f32), [](T a) { return -a; });
  float2<T>(at(Op::copysign_f32), [](T a, T b) { return std::copysign(b, a); });
  test_property<T>(at(Op::testp_finite_f32), [](T a) { return std::isfinite(a); });
  test_property<T>(at(Op::testp_infinite_f32), [](T a) { return std::isinf(a); });
  test_property<T>(at(Op::testp_number_f32), [](T a) { return a == a; });
  test_property<T>(at(Op::testp_notanumber_f32), [](T a) { return a != a; });
  test_property<T>(at(Op::testp_normal_f32), [](T a) { return std::isnormal(a); });
  test_property<T>(at(Op::testp_subnormal_f32), [](T a) { return std::fpclassify(a) == FP_SUBNORMAL; });
}
static_assert(static_cast<int>(Op::testp_subnormal_f64) - static_cast<int>(Op::add_f64) ==
              static_cast<int>(Op::testp_subnormal_f32) - static_cast<int>(Op::add_f32));

}  // namespace

void register_float(Table& t) {
  register_type<float>(t, Op::add_f32);
  register_type<double>(t, Op::add_f64);
  float1<float>(t[Op::sin_f32], [](float a) { return canonical(std::sin(a)); });
  float1<float>(t[Op::cos_f32], [](float a) { return canonical(std::cos(a)); });
  float1<float>(t[Op::lg2_f32], [](float a) { return canonical(std::log2(a)); });
  float1<float>(t[Op::ex2_f32], [](float a) { return canonical(std::exp2(a)); });
  float1<float>(t[Op::tanh_f32], [](float a) { return canonical(std::tanh(a)); });
}

}  // namespace simgpu::exec::SIMGPU_ISA
