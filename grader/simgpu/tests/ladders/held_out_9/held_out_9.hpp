/// @file
/// What the kernels of the ninth held-out set share. Arrays, frame and helpers are the earlier sets'; so is
/// the rule that work and what is counted of it are factors of Set::n or Set::sms. Tables that a problem
/// fixes (bins, weights, lists of pages) stay as they are. Each file has a class or two of kernels; main.cu
/// runs them.
#pragma once

#include "../set_helpers.hpp"

namespace held_out_9 {

using namespace set_helpers;

/// The groups of classes, each in the file of its name.
void tables(Set& s);
void scatters(Set& s);
void images(Set& s);
void library_calls(Set& s);
void sparse(Set& s);
void records(Set& s);
void products(Set& s);
void blocks(Set& s);
void stencils(Set& s);
void copies(Set& s);
void loops(Set& s);
void calls(Set& s);

}  // namespace held_out_9
