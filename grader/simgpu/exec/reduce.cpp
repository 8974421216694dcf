/// @file
/// Element-wise reductions of bulk copies and red.async.
#include <cmath>

#include "simgpu/exec/half.hpp"
#include "simgpu/exec/nans.hpp"
#include "simgpu/exec/state.hpp"

namespace simgpu::exec {
namespace {

using lower::AtomicOp;
using lower::NumberType;

template <class T>
T integer(AtomicOp op, T a, T b) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
    case AtomicOp::add:
      return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    case AtomicOp::min:
      return a < b ? a : b;
    case AtomicOp::max:
      return a > b ? a : b;
    case AtomicOp::and_:
      return a & b;
    case AtomicOp::or_:
      return a | b;
    case AtomicOp::xor_:
      return a ^ b;
    case AtomicOp::inc:
      return static_cast<U>(a) >= static_cast<U>(b) ? T{0} : static_cast<T>(a + 1);
    case AtomicOp::dec:
      return a == 0 || static_cast<U>(a) > static_cast<U>(b) ? b : static_cast<T>(a - 1);
    default:
      return b;
  }
}

/// -0 is less than +0.
template <class T>
T real(AtomicOp op, T a, T b) {
  const bool less = a < b || (a == b && std::signbit(a) && !std::signbit(b));
  if (op == AtomicOp::min) return a != a ? b : b != b ? a : less ? a : b;
  if (op == AtomicOp::max) return a != a ? b : b != b ? a : less ? b : a;
  return a + b;
}
/// Sums of f32 have one NaN and, unlike those of atomics, subnormals; of f64, an operand's NaN stays as it is.
float sum(float a, float b) {
  return settled(a + b);
}
double sum(double a, double b) {
  return b != b ? b : a != a ? a : settled(a + b, a, b);
}

template <class T, class F>
void each(std::byte* to, const std::byte* from, u32 bytes, F f) {
  for (u32 at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
    T a, b;
    std::memcpy(&a, to + at, sizeof a);
    std::memcpy(&b, from + at, sizeof b);
    a = f(a, b);
    std::memcpy(to + at, &a, sizeof a);
  }
}

}  // namespace

void combine_elements(std::byte* to, const std::byte* from, u32 bytes, u32 how) {
  const auto op = static_cast<AtomicOp>(how & 0xFF);
  const auto integers = [&](auto zero) {
    using T = decltype(zero);
    each<T>(to, from, bytes, [&](T a, T b) { return integer<T>(op, a, b); });
  };
  switch (static_cast<NumberType>(how >> 8)) {
    case NumberType::u8:
    case NumberType::b8:
      return integers(u8{});
    case NumberType::u16:
    case NumberType::b16:
      return integers(u16{});
    case NumberType::s32:
      return integers(s32{});
    case NumberType::b64:
    case NumberType::u64:
      return integers(u64{});
    case NumberType::s64:
      return integers(s64{});
    case NumberType::f32:
      return each<float>(to, from, bytes,
                         [&](float a, float b) { return op == AtomicOp::add ? sum(a, b) : real(op, a, b); });
    case NumberType::f64:
      return each<double>(to, from, bytes, [&](double a, double b) {
        return op == AtomicOp::add ? sum(a, b) : real(op, a, b);
      });
    case NumberType::f16:
      return each<u16>(to, from, bytes,
                       [&](u16 a, u16 b) { return to_half(real<double>(op, from_half(a), from_half(b))); });
    case NumberType::bf16:
      return each<u16>(to, from, bytes, [&](u16 a, u16 b) {
        return to_bfloat(real<double>(op, from_bfloat(a), from_bfloat(b)));
      });
    default:
      return integers(u32{});
  }
}

}  // namespace simgpu::exec
