/// @file
/// Arithmetic on f16, bf16 and their pairs: computed wide, rounded once.
#include "simgpu/exec/half.hpp"
#include "simgpu/exec/lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

struct Half {
  static double wide(u16 v) { return from_half(v); }
  static u16 narrow(double v) { return to_half(v); }
  static u16 flushed(u16 v) { return (v & 0x7C00) == 0 ? v & 0x8000 : v; }
};
struct Bfloat {
  static double wide(u16 v) { return from_bfloat(v); }
  static u16 narrow(double v) { return to_bfloat(v); }
  static u16 flushed(u16 v) { return v; }
};

bool is_nan(double v) {
  return v != v;
}
double smaller(double a, double b) {
  return is_nan(a) ? b : is_nan(b) ? a : a < b || (a == b && std::signbit(a)) ? a : b;
}
double larger(double a, double b) {
  return is_nan(a) ? b : is_nan(b) ? a : a > b || (a == b && !std::signbit(a)) ? a : b;
}

/// f on each half of a pair, or on one value. The sums and products of two halves are exact enough in double
/// that narrowing rounds once.
template <class N, bool pair, class F>
void half_op(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 mask) {
    const u32* a = w.row<u32>(i.a);
    const u32* b = i.b == lower::kNoOperand ? a : w.row<u32>(i.b);
    const u32* c = i.c == lower::kNoOperand ? a : w.row<u32>(i.c);
    u32* d = w.row<u32>(i.d);
    const bool xor_sign = i.flags & lower::kXorSign, out_of_bounds = i.flags & lower::kTwo;
    auto one = [&](u32 x, u32 y, u32 z) -> u32 {
      if (i.flags & lower::kFtz)
        x = N::flushed(static_cast<u16>(x)), y = N::flushed(static_cast<u16>(y)),
        z = N::flushed(static_cast<u16>(z));
      const u32 sign = xor_sign ? (x ^ y) & 0x8000 : 0;
      if (xor_sign) x &= 0x7FFF, y &= 0x7FFF;
      if (out_of_bounds && ((x & 0xFFFF) == 0xFFFF || (y & 0xFFFF) == 0xFFFF))
        return 0;  // fill of a tensor copy
      const double vx = N::wide(static_cast<u16>(x)), vy = N::wide(static_cast<u16>(y)),
                   vz = N::wide(static_cast<u16>(z));
      double r =
          F{}(i.flags & lower::kNegateProduct ? -vx : vx, vy, i.flags & lower::kNegateAddend ? -vz : vz);
      if ((i.flags & lower::kNan) && (is_nan(vx) || is_nan(vy))) r = vx + vy;
      if (i.flags & lower::kSat) r = r > 0 ? (r < 1 ? r : 1) : 0;
      u16 n = N::narrow(r);
      if (xor_sign && !is_nan(r)) n = static_cast<u16>(n | sign);
      return i.flags & lower::kFtz ? N::flushed(n) : n;
    };
    each_lane(mask, [&](u32 l) {
      u32 r = one(a[l], b[l], c[l]);
      if (pair) r |= one(a[l] >> 16, b[l] >> 16, c[l] >> 16) << 16;
      d[l] = r;
    });
  };
}
template <class N, bool pair, bool negate>
void sign_op(Handler& h) {
  h = [](Warp& w, const Ins& i, u32 mask) {
    const u32* a = w.row<u32>(i.a);
    u32* d = w.row<u32>(i.d);
    auto one = [&](u32 v) -> u32 {
      auto x = static_cast<u16>(v);
      if (is_nan(N::wide(x))) return 0x7FFF;
      if (i.flags & lower::kFtz) x = N::flushed(x);
      return negate ? x ^ 0x8000u : x & 0x7FFFu;
    };
    each_lane(mask, [&](u32 l) { d[l] = pair ? one(a[l] >> 16) << 16 | one(a[l]) : one(a[l]); });
  };
}

template <class N, bool pair>
void register_type(Table& t, Op first) {
  const auto shift = static_cast<int>(first) - static_cast<int>(Op::add_f16);
  auto at = [&](Op op) -> Handler& { return t[static_cast<Op>(static_cast<int>(op) + shift)]; };
  half_op<N, pair>(at(Op::add_f16), [](double a, double b, double) { return fma_to_odd(a, 1, b); });
  half_op<N, pair>(at(Op::sub_f16), [](double a, double b, double) { return fma_to_odd(a, 1, -b); });
  half_op<N, pair>(at(Op::mul_f16), [](double a, double b, double) { return a * b; });
  half_op<N, pair>(at(Op::fma_f16), [](double a, double b, double c) { return fma_to_odd(a, b, c); });
  half_op<N, pair>(at(Op::fma_relu_f16), [](double a, double b, double c) {
    const double r = fma_to_odd(a, b, c);
    return r <= 0 ? 0 : r;
  });
  half_op<N, pair>(at(Op::min_f16), [](double a, double b, double) { return smaller(a, b); });
  half_op<N, pair>(at(Op::max_f16), [](double a, double b, double) { return larger(a, b); });
  half_op<N, pair>(at(Op::ex2_f16), [](double a, double, double) { return std::exp2(a); });
  half_op<N, pair>(at(Op::tanh_f16), [](double a, double, double) { return std::tanh(a); });
  sign_op<N, pair, true>(at(Op::neg_f16));
  sign_op<N, pair, false>(at(Op::abs_f16));
}

}  // namespace

void register_half(Table& t) {
  register_type<Half, false>(t, Op::add_f16);
  register_type<Half, true>(t, Op::add_f16x2);
  register_type<Bfloat, false>(t, Op::add_bf16);
  register_type<Bfloat, true>(t, Op::add_bf16x2);
}

}  // namespace simgpu::exec::SIMGPU_ISA
