/// @file
/// What the blind sets up to the sixth have made for one another, by one name for the sets that came later.
#pragma once

#include "held_out_6/held_out_6.hpp"

namespace set_helpers {

using blind::float_of, blind::other_of, blind::byte_of;
using blind::Set;
using held_out_2::floats, held_out_2::numbers;
using held_out_3::double_of, held_out_3::real, held_out_3::as_number, held_out_3::taken, held_out_3::kept;
using held_out_4::room, held_out_4::within;
using held_out_6::doubles;
using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

}  // namespace set_helpers
