/// @file
/// f32 and f64 arithmetic with a rounding other than to nearest: rare, so one lane at a time under the host's
/// rounding mode. Built with -frounding-math.
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "simgpu/exec/lanes.hpp"
#include "simgpu/exec/nans.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

int host_mode(std::int64_t way) {
  switch (static_cast<lower::Rounding>(way)) {
    case lower::Rounding::zero:
      return FE_TOWARDZERO;
    case lower::Rounding::down:
      return FE_DOWNWARD;
    case lower::Rounding::up:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

template <class T>
void rounded(Warp& w, const Ins& i, u32 mask) {
  constexpr bool kSingle = sizeof(T) == 4;
  const T* a = w.row<T>(i.a);
  const T* b = i.b == lower::kNoOperand ? a : w.row<T>(i.b);
  const T* c = i.c == lower::kNoOperand ? a : w.row<T>(i.c);
  T* d = w.row<T>(i.d);
  const auto op = static_cast<Op>(i.aux);
  const int before = std::fegetround();
  std::fesetround(host_mode(i.imm));
  each_lane(mask, [&](u32 l) {
    auto flushed = [&](T v) {
      return (i.flags & lower::kFtz) && kSingle && std::fabs(v) < std::numeric_limits<T>::min()
                 ? std::copysign(T(0), v)
                 : v;
    };
    volatile T x = flushed(a[l]), y = flushed(b[l]), z = flushed(c[l]);
    volatile T r = 0;
    switch (op) {
      case Op::add_f32:
      case Op::add_f64:
        r = x + y;
        break;
      case Op::sub_f32:
      case Op::sub_f64:
        r = x - y;
        break;
      case Op::mul_f32:
      case Op::mul_f64:
        r = x * y;
        break;
      case Op::div_f32:
      case Op::div_f64:
        r = x / y;
        break;
      case Op::rcp_f32:
      case Op::rcp_f64:
        r = T(1) / x;
        break;
      case Op::sqrt_f32:
      case Op::sqrt_f64:
        r = std::sqrt(static_cast<T>(x));
        break;
      case Op::fma_f32:
      case Op::fma_f64:
        r = std::fma(static_cast<T>(x), static_cast<T>(y), static_cast<T>(z));
        break;
      default:
        r = std::numeric_limits<T>::quiet_NaN();
        break;
    }
    T v = flushed(r);
    const T p = x, q = i.b == lower::kNoOperand ? p : T(y), s = i.c == lower::kNoOperand ? p : T(z);
    v = op == Op::div_f64          ? settled(v, p, q)
        : i.c == lower::kNoOperand ? settled(v, q, p)
                                   : settled(v, q, s, p);
    if (i.flags & lower::kSat) v = v > 0 ? (v < 1 ? v : T(1)) : T(0);
    d[l] = v;
  });
  std::fesetround(before);
}

}  // namespace

void register_rounded(Table& t) {
  t[Op::rounded_f32] = rounded<float>;
  t[Op::rounded_f64] = rounded<double>;
}

}  // namespace simgpu::exec::SIMGPU_ISA
