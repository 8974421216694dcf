/// @file
/// What the fuzzers do with one PTX text; the test of their corpus does the same in the ordinary build.
#pragma once

#include <string>
#include <string_view>

namespace simgpu::fuzz {

/// Parses and lowers @p text.
/// @return the error as a user would see it, "" if there is none. Aborts with a message if an error does not
/// say where it is, or does not say it in a sentence.
std::string lower_text(std::string_view text);

/// Parses, lowers and launches every kernel of @p text, with all observers, on a small device.
///
/// A first line `//@ 1a2b` holds sixteen bits that choose the launch: cluster size, order, cooperative, block shape,
/// dynamic shared memory, what 8-byte parameters are, rank of tensor maps.
/// @return as lower_text().
std::string execute_text(std::string_view text);

}  // namespace simgpu::fuzz
