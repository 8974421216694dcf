/// @file
/// What the kernels of the eighth held-out set share. Arrays, frame and helpers are the earlier sets'; so is
/// the rule that work and what is counted of it are factors of Set::n or Set::sms. What a call or one block's
/// chain costs does not shrink: run_whole counts it. Each file has a few classes of kernels; main.cu runs
/// them.
#pragma once

#include "../held_out_7/held_out_7.hpp"

namespace held_out_8 {

using blind::float_of, blind::other_of, blind::byte_of;
using blind::Set;
using held_out_2::floats, held_out_2::numbers;
using held_out_3::double_of, held_out_3::real, held_out_3::as_number, held_out_3::taken, held_out_3::kept;
using held_out_4::room, held_out_4::within;
using held_out_6::doubles;
using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

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
