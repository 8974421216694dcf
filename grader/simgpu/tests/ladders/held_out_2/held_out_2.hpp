/// @file
/// What the kernels of the second held-out set share. The arrays and the frame are the blind set's; so is the rule that work and what
/// is counted of it are factors of Set::n or Set::sms. Each class of kernels has a file; main.cu runs them.
#pragma once

#include "../blind/blind.hpp"

namespace held_out_2 {

using blind::float_of, blind::other_of, blind::byte_of;
using blind::Set;
using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

/// Does Set::out hold @p want, in some elements of @p count?
inline bool floats(Set& s, std::size_t count, const std::function<double(std::size_t)>& want,
                   double tolerance = 1e-3) {
  return Set::each(count, [&](std::size_t i) { return Set::near(s.value(i), want(i), tolerance); });
}
inline bool numbers(Set& s, std::size_t count, const std::function<unsigned(std::size_t)>& want) {
  return Set::each(count, [&](std::size_t i) { return s.number(i) == want(i); });
}
/// For products with what is counted.
inline double real(std::size_t count) {
  return static_cast<double>(count);
}

/// The classes, each in the file of its name.
void streams(Set& s);
void strides(Set& s);
void gathers(Set& s);
void transposes(Set& s);
void reductions(Set& s);
void scans(Set& s);
void histograms(Set& s);
void products(Set& s);
void stencils(Set& s);
void constants(Set& s);
void images(Set& s);
void local_arrays(Set& s);
void branches(Set& s);
void arithmetic(Set& s);
void banks(Set& s);
void clusters(Set& s);
void asynchronous(Set& s);
void grids(Set& s);
void bodies(Set& s);
void sorts(Set& s);
void sparse(Set& s);
void letters(Set& s);
void transfers(Set& s);

}  // namespace held_out_2
