/// @file
/// How much memory the judge and its children may have: what limits of theirs are shares of.
#pragma once

#include <cstddef>

namespace course {

/// The machine's, or the container's if that has less. [bytes]
std::size_t memory_of_machine();

}  // namespace course
