/// @file
/// Loops over the 32 lanes of a warp. A semantic is a function of scalars; these make a handler of it.
///
/// All 32 lanes are always computed (semantics must not trap), straight into the destination when all are
/// active, else into a buffer that is then blended. Rows never overlap partly, so the loops may be
/// vectorised.
#pragma once

#include <type_traits>

#include "simgpu/exec/handlers.hpp"

#define SIMGPU_LANES _Pragma("GCC ivdep") for (int l = 0; l < 32; ++l)

namespace simgpu::exec::SIMGPU_ISA {

/// How a value of type T lies in a row: 8- and 16-bit values in 32 bits, zero-extended.
template <class T>
using Row = std::conditional_t<
    std::is_floating_point_v<T>, T,
    std::conditional_t<sizeof(T) == 8, T, std::conditional_t<std::is_signed_v<T> && sizeof(T) == 4, T, u32>>>;

template <class T>
inline T get(Row<T> v) {
  return static_cast<T>(v);
}
template <class T>
inline Row<T> put(T v) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < 4)
    return static_cast<std::make_unsigned_t<T>>(v);
  else
    return v;
}

template <class R>
inline void blend(R* to, const R* from, u32 mask) {
  if constexpr (sizeof(R) == 4) {
    auto* d = reinterpret_cast<u32*>(to);
    auto* s = reinterpret_cast<const u32*>(from);
    SIMGPU_LANES {
      const u32 m = 0u - (mask >> l & 1);
      d[l] = (s[l] & m) | (d[l] & ~m);
    }
  } else {
    auto* d = reinterpret_cast<u64*>(to);
    auto* s = reinterpret_cast<const u64*>(from);
    SIMGPU_LANES {
      const u64 m = 0ull - (mask >> l & 1);
      d[l] = (s[l] & m) | (d[l] & ~m);
    }
  }
}

/// Where results go: the row itself, or a buffer that is blended in at the end.
template <class T>
struct Output {
  using R = Row<T>;
  alignas(32) R buffer[32];
  R* row;
  R* to;
  u32 mask;
  Output(Warp& w, Operand d, u32 m) : row(w.row<R>(d)), to(m == kFull ? row : buffer), mask(m) {}
  void done() {
    if (mask != kFull) blend(row, buffer, mask);
  }
};

template <class D, class A, class F>
inline void lanes1(Warp& w, const Ins& i, u32 mask, F f) {
  const Row<A>* a = w.row<Row<A>>(i.a);
  Output<D> out(w, i.d, mask);
  Row<D>* d = out.to;
  SIMGPU_LANES d[l] = put<D>(f(get<A>(a[l])));
  out.done();
}
template <class D, class A, class B, class F>
inline void lanes2(Warp& w, const Ins& i, u32 mask, F f) {
  const Row<A>* a = w.row<Row<A>>(i.a);
  const Row<B>* b = w.row<Row<B>>(i.b);
  Output<D> out(w, i.d, mask);
  Row<D>* d = out.to;
  SIMGPU_LANES d[l] = put<D>(f(get<A>(a[l]), get<B>(b[l])));
  out.done();
}
template <class D, class A, class B, class C, class F>
inline void lanes3(Warp& w, const Ins& i, u32 mask, F f) {
  const Row<A>* a = w.row<Row<A>>(i.a);
  const Row<B>* b = w.row<Row<B>>(i.b);
  const Row<C>* c = w.row<Row<C>>(i.c);
  Output<D> out(w, i.d, mask);
  Row<D>* d = out.to;
  SIMGPU_LANES d[l] = put<D>(f(get<A>(a[l]), get<B>(b[l]), get<C>(c[l])));
  out.done();
}

// One line for one semantic: op1<T>(table[Op::x], [](T a) { ... });
template <class D, class A = D, class F>
void op1(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 m) { lanes1<D, A>(w, i, m, F{}); };
}
template <class D, class A = D, class B = A, class F>
void op2(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 m) { lanes2<D, A, B>(w, i, m, F{}); };
}
template <class D, class A = D, class B = A, class C = D, class F>
void op3(Handler& h, F) {
  h = [](Warp& w, const Ins& i, u32 m) { lanes3<D, A, B, C>(w, i, m, F{}); };
}

/// Lanes in order, one by one: for what is rare or long.
template <class F>
inline void each_lane(u32 mask, F f) {
  for (; mask; mask &= mask - 1) f(static_cast<u32>(__builtin_ctz(mask)));
}

}  // namespace simgpu::exec::SIMGPU_ISA
