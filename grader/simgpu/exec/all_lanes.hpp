/// @file
/// What all handlers of matrices that a warp holds together look at first.
#pragma once

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// Says so if lanes are not there: then such an instruction is undefined.
inline void expect_all_lanes(Warp& w, const Ins& i, u32 mask) {
  if (mask == kFull) [[likely]]
    return;
  const u32 first = static_cast<u32>(__builtin_ctz(mask));
  w.machine->undefined(w, i, observe::FindingKind::undefined_mask, first,
                       Machine::who(w, first) +
                           " executes an instruction on matrices that all 32 lanes of a warp hold together, "
                           "but some of its warp's lanes "
                           "have ended or never were: what comes is undefined. Let whole warps execute it, "
                           "with a block size that is a "
                           "multiple of 32.");
}

}  // namespace simgpu::exec
