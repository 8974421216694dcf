/// @file
/// What the program has for memory of its own, which it sees and a kernel does not: for the sentence about a host pointer in a kernel.
#pragma once

#include <cstdint>

namespace simgpu::exec {

/// The program is process @p id from here on, and not this one.
void program_is(int id);

/// Whether the program itself has memory at @p address.
bool is_of_host(std::uint64_t address);

}  // namespace simgpu::exec
