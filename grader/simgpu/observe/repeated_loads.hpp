/// @file
/// Loads of shared memory that lie like their instruction's latest: of kernels with tiles, half of all instructions. An observer that only counts
/// them lets whoever executes them do that, a few at a time.
#pragma once

#include <cstdint>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// Of one instruction, what a load has that is like its latest.
struct RepeatedLoad {
  std::uint64_t executions = 0;  ///< to be counted up with each
  std::uint32_t shape = 0;       ///< Access::shape of the latest; 0: the next is not the same
  std::uint32_t wavefronts = 0, bytes = 0;
};

class RepeatedLoads {
 public:
  /// @return whether loads of @p warp may be counted, until it does something else that observers are told of.
  virtual bool may_count(const WarpId& warp) = 0;
  /// @return that of instruction @p site, where it stays until the launch ends. It must have words of the warp's own shared memory only.
  virtual RepeatedLoad* of(std::uint32_t site) = 0;
  /// Loads of @p warp have been counted, one at least. The sums of what they have are told here.
  virtual void counted(const WarpId& warp, std::uint64_t wavefronts, std::uint64_t bytes) = 0;

 protected:
  ~RepeatedLoads() = default;
};

}  // namespace simgpu::observe
