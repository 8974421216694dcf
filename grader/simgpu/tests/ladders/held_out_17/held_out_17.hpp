/// @file
/// What the kernels of the seventeenth held-out set share. Arrays, frame and helpers are the earlier sets'; so is
/// the rule that work and what is counted of it are factors of Set::n or Set::sms. Tables that a problem
/// fixes stay as they are; what a launch costs does not shrink: run_whole counts it. Each file has a class or
/// a few of kernels; main.cu runs them.
#pragma once

#include "../set_helpers.hpp"

namespace held_out_17 {

using namespace set_helpers;

/// The groups of classes, each in the file of its name.
void streams(Set& s);
void places(Set& s);
void products(Set& s);
void stencils(Set& s);
void sums(Set& s);
void sparse(Set& s);
void images(Set& s);
void tables(Set& s);
void loops(Set& s);
void blocks(Set& s);
void calls(Set& s);
void library_calls(Set& s);

}  // namespace held_out_17
