/// @file
/// How messages about copies that are still under way name what a reader knows: a line with its file, an element of a shared array.
#pragma once

#include <string>

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// "line 29", or "line 68 of copy_engine.cuh" where @p now stands in another file.
std::string line_of(const Machine& machine, u32 site, const Ins& now);
/// "float 0 of tile": what @p now touches at @p offset of its block's shared memory.
std::string shared_element_at(const Machine& machine, const Ins& now, u64 offset);

}  // namespace simgpu::exec
