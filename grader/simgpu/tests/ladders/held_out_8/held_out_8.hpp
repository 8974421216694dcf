/// @file
/// What the kernels of the eighth held-out set share. Arrays, frame and helpers are the earlier sets'; so is
/// the rule that work and what is counted of it are factors of Set::n or Set::sms. What a call or one block's
/// chain costs does not shrink: run_whole counts it. Each file has a few classes of kernels; main.cu runs
/// them.
#pragma once

#include "../set_helpers.hpp"

namespace held_out_8 {

using namespace set_helpers;

/// The groups of classes, each in the file of its name.
void tables(Set& s);
void scatters(Set& s);
void images(Set& s);
void library_calls(Set& s);
void matrices(Set& s);
void fields(Set& s);
void blocks(Set& s);
void loops(Set& s);
void calls(Set& s);

}  // namespace held_out_8
