/// @file
/// What the kernels of the sixth held-out set share. Arrays, frame and helpers are the earlier sets'; so is
/// the rule that work and what is counted of it are factors of Set::n or Set::sms. What a chain of dependent
/// reads or a call costs does not shrink: run_whole counts it. Each class of kernels has a file; main.cu runs
/// them.
#pragma once

#include "../held_out_5/held_out_5.hpp"

namespace held_out_6 {

using blind::float_of, blind::other_of, blind::byte_of;
using blind::Set;
using held_out_2::floats, held_out_2::numbers;
using held_out_3::double_of, held_out_3::real, held_out_3::as_number, held_out_3::taken, held_out_3::kept;
using held_out_4::room, held_out_4::within;
using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

/// Does Set::out hold @p want as doubles, in some elements of @p count?
inline bool doubles(Set& s, std::size_t count, const std::function<double(std::size_t)>& want,
                    double tolerance = 1e-9) {
  return Set::each(count, [&](std::size_t i) {
    return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i), want(i), tolerance);
  });
}

/// The classes, each in the file of its name.
void vectors(Set& s);
void structs(Set& s);
void indices(Set& s);
void sparse(Set& s);
void transposes(Set& s);
void products(Set& s);
void tensors(Set& s);
void vector_products(Set& s);
void reductions(Set& s);
void scans(Set& s);
void library_steps(Set& s);
void library_calls(Set& s);
void histograms(Set& s);
void atomics(Set& s);
void local_arrays(Set& s);
void constants(Set& s);
void textures(Set& s);
void stencils(Set& s);
void convolutions(Set& s);
void pictures(Set& s);
void branches(Set& s);
void integers(Set& s);
void halves(Set& s);
void bodies(Set& s);
void chances(Set& s);
void sorts(Set& s);
void tables(Set& s);
void graphs(Set& s);
void solvers(Set& s);
void chains(Set& s);
void groups(Set& s);
void asynchronous(Set& s);
void clusters(Set& s);
void launches(Set& s);
void transfers(Set& s);

}  // namespace held_out_6
