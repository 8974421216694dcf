/// @file
/// Shapes: where the lanes of an access lie relative to one another. Nearly all warps repeat a shape that their instruction
/// has shown before; then one comparison of the address registers tells everything about the access but its place: the
/// bytes it spans, how the data move, and for observers that it is the same as before.
#pragma once

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// One shape. Offsets count from the first active lane's address; they have the width of the address register.
struct LaneShape {
  alignas(64) std::byte relative[256];  ///< per lane; 0 where it does not take part
  alignas(64) std::byte taking_part[256];  ///< per lane: all ones, or 0
  u32 mask = 0;                         ///< 0: nothing remembered
  u32 id = 0;                           ///< see observe::Access::shape
  u64 low = 0;                          ///< offset of the lowest address; may be negative (wraps)
  u64 span = 0;                         ///< from the lowest address to the end of the highest access [bytes]
  bool aligned = false;                 ///< all are, if the first one is
  bool contiguous = false;              ///< all 32 lanes, one after the other
  bool uniform = false;                 ///< all active lanes have the same address
  u8 runs = 0, sames = 0;  ///< bit k: of a full warp, lanes 8k to 8k+7 lie one after the other; have one address

  template <class T>
  T* offsets() {
    return reinterpret_cast<T*>(relative);
  }
  template <class T>
  const T* offsets() const {
    return reinterpret_cast<const T*>(relative);
  }
};

/// The recent shapes of one site.
struct SiteShapes {
  LaneShape shapes[2];
  u32 misses = 0;  ///< in a row
};

}  // namespace simgpu::exec
