/// @file
/// Which registers hold one value in all lanes of a warp, as far as the text proves it: what ptxas goes by when it combines the
/// lanes of an atomic operation.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "simgpu/lower/code.hpp"

namespace simgpu::lower {

/// @param body before registers have places: operands are their numbers, below @p registers.
/// @return one entry a register. One that is written twice, or under a guard, counts as different.
std::vector<bool> uniform_registers(std::span<const Ins> body, const Code& code, std::size_t registers);

/// The same for lanes that go through all loops together: counters of loops, which are written more than once, count too.
std::vector<bool> uniform_in_step(std::span<const Ins> body, const Code& code, std::size_t registers);

}  // namespace simgpu::lower
