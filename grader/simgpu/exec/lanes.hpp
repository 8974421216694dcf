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

/// As values of their own type: the compiler may take it that who writes floats changes no integer.
template <class R>
inline void blend(R* to, const R* from, u32 mask) {
  SIMGPU_LANES to[l] = mask >> l & 1 ? from[l] : to[l];
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

// The loops. They stand by themselves, since nearly every instruction is of all lanes: then a handler is no more than a jump here.
template <class D, class A, class F>
[[gnu::noinline]] void all1(Row<D>* d, const Row<A>* a, F f) {
  SIMGPU_LANES d[l] = put<D>(f(get<A>(a[l])));
}
template <class D, class A, class B, class F>
[[gnu::noinline]] void all2(Row<D>* d, const Row<A>* a, const Row<B>* b, F f) {
  SIMGPU_LANES d[l] = put<D>(f(get<A>(a[l]), get<B>(b[l])));
}
template <class D, class A, class B, class C, class F>
[[gnu::noinline]] void all3(Row<D>* d, const Row<A>* a, const Row<B>* b, const Row<C>* c, F f) {
  SIMGPU_LANES d[l] = put<D>(f(get<A>(a[l]), get<B>(b[l]), get<C>(c[l])));
}
/// Calls @p all with a place for results, and takes over those of lanes @p mask.
template <class D, class All>
[[gnu::noinline]] void for_some(Warp& w, Operand d, u32 mask, All all) {
  Output<D> out(w, d, mask);
  all(out.to);
  out.done();
}

template <class D, class A, class F>
inline void lanes1(Warp& w, const Ins& i, u32 mask, F f) {
  const Row<A>* a = w.row<Row<A>>(i.a);
  if (mask == kFull) [[likely]]
    return all1<D, A>(w.row<Row<D>>(i.d), a, f);
  for_some<D>(w, i.d, mask, [=](Row<D>* d) { all1<D, A>(d, a, f); });
}
template <class D, class A, class B, class F>
inline void lanes2(Warp& w, const Ins& i, u32 mask, F f) {
  const Row<A>* a = w.row<Row<A>>(i.a);
  const Row<B>* b = w.row<Row<B>>(i.b);
  if (mask == kFull) [[likely]]
    return all2<D, A, B>(w.row<Row<D>>(i.d), a, b, f);
  for_some<D>(w, i.d, mask, [=](Row<D>* d) { all2<D, A, B>(d, a, b, f); });
}
template <class D, class A, class B, class C, class F>
inline void lanes3(Warp& w, const Ins& i, u32 mask, F f) {
  const Row<A>* a = w.row<Row<A>>(i.a);
  const Row<B>* b = w.row<Row<B>>(i.b);
  const Row<C>* c = w.row<Row<C>>(i.c);
  if (mask == kFull) [[likely]]
    return all3<D, A, B, C>(w.row<Row<D>>(i.d), a, b, c, f);
  for_some<D>(w, i.d, mask, [=](Row<D>* d) { all3<D, A, B, C>(d, a, b, c, f); });
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
