/// @file
/// Changes PTX programs at random, as programs: opcodes, types, operands, labels, guards, sizes. What comes out mostly
/// still parses, so that it tests the interpreter and not only the parser.
#pragma once

#include <string>
#include <string_view>

namespace simgpu::fuzz {

/// @return @p text with one to four changes; the same for the same @p seed.
std::string mutate(std::string_view text, unsigned seed);

/// @return @p text with some of the instructions of @p donor put in.
std::string cross(std::string_view text, std::string_view donor, unsigned seed);

}  // namespace simgpu::fuzz
