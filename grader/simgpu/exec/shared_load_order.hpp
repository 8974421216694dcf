/// @file
/// How far ahead of their use ptxas puts loads of shared memory in a stretch of machine code without branches or barriers: registers bound it. A
/// product that is unrolled loads the next step's rows and columns while it multiplies this one's.
///
/// Seen in machine code of ptxas 13.0 for sm_90 (products with 1 x 1 to 8 x 8 results a thread, out of one tile): where a step has 18 instructions
/// or more, its loads stand right behind the first use of the step before; where it has fewer, some fourteen instructions ahead of their own use.
#pragma once

#include <cstdint>
#include <vector>

#include "simgpu/exec/trace.hpp"

namespace simgpu::exec {

/// A step of a stretch, before its place is certain.
struct Pending {
  double at = 0;  ///< when it could issue if nothing else were in its way [cycles]
  Step step;
  enum class Shared : std::uint8_t { none, load, store } shared = Shared::none;  ///< memory that it accesses
};

/// Puts the loads of shared memory in @p stretch, whose other steps are in their order, where ptxas would. No load comes later than the text has
/// it, or before a store of shared memory that the text has first.
void place_shared_loads(std::vector<Pending>& stretch);

}  // namespace simgpu::exec
