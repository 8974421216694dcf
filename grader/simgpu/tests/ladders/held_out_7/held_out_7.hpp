/// @file
/// What the kernels of the seventh held-out set share. Arrays, frame and helpers are the earlier sets'; so is
/// the rule that work and what is counted of it are factors of Set::n or Set::sms. What a call or one block's
/// chain costs does not shrink: run_whole counts it. Each class of kernels has a file; main.cu runs them.
#pragma once

#include "../set_helpers.hpp"

namespace held_out_7 {

using namespace set_helpers;

/// The classes, each in the file of its name.
void constants(Set& s);
void atomics(Set& s);
void histograms(Set& s);
void local_arrays(Set& s);
void scatters(Set& s);
void textures(Set& s);
void sparse(Set& s);
void library_calls(Set& s);
void library_picks(Set& s);
void structs(Set& s);
void products(Set& s);
void transposes(Set& s);
void occupancy(Set& s);
void branches(Set& s);
void launches(Set& s);
void transfers(Set& s);
void stencils(Set& s);
void layers(Set& s);
void orders(Set& s);
void reductions(Set& s);
void codes(Set& s);
void spectra(Set& s);
void simulations(Set& s);
void tensors(Set& s);
void asynchronous(Set& s);

}  // namespace held_out_7
