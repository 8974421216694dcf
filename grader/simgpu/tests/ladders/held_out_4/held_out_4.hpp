/// @file
/// What the kernels of the fourth held-out set share. Arrays, frame and helpers are the earlier sets'; so is
/// the rule that work and what is counted of it are factors of Set::n or Set::sms: copies over the link too,
/// and searches have as many steps on a slice. What does not shrink is short. Each class of kernels has a
/// file; main.cu runs them.
#pragma once

#include "../held_out_3/held_out_3.hpp"

namespace held_out_4 {

using blind::float_of, blind::other_of, blind::byte_of;
using blind::Set;
using held_out_2::floats, held_out_2::numbers;
using held_out_3::double_of, held_out_3::real, held_out_3::as_number, held_out_3::taken, held_out_3::kept;
using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

/// Room of the set's own, unwritten.
template <typename T>
T* room(std::size_t count) {
  T* there = nullptr;
  ladder::check(cudaMalloc(&there, count * sizeof(T)), "cudaMalloc");
  return there;
}
/// Is Set::out as near @p want as @p far, which need not be small beside it? Some of it is not zero.
inline bool within(Set& s, std::size_t count, double far, const std::function<double(std::size_t)>& want) {
  bool some = false;
  const bool right = Set::each(count, [&](std::size_t i) {
    const double got = s.value(i), wanted = want(i);
    some = some || got != 0;
    if (std::abs(got - wanted) <= far) return true;
    std::printf("  %g, not %g\n", got, wanted);
    return false;
  });
  return right && some;
}

/// The classes, each in the file of its name.
void copies(Set& s);
void gathers(Set& s);
void records(Set& s);
void orders(Set& s);
void reductions(Set& s);
void products(Set& s);
void sparse(Set& s);
void sorts(Set& s);
void counters(Set& s);
void local_arrays(Set& s);
void constants(Set& s);
void pictures(Set& s);
void stencils(Set& s);
void exchanges(Set& s);
void loops(Set& s);
void arithmetic(Set& s);
void chances(Set& s);
void asynchronous(Set& s);
void clusters(Set& s);
void grids(Set& s);
void letters(Set& s);
void programs(Set& s);
void transfers(Set& s);

}  // namespace held_out_4
