/// @file
/// When a call that copies has its bytes on their way, and how long the host is held by it. Four ways are unlike each other: what the host
/// stages from pageable memory, what comes back to it, what the link's engines fetch from page-locked memory by themselves, and what stays
/// on the device. Measured call by call, by size, on an H200 (tests/ladders/copies.cu, calibration.md).
#pragma once

#include <cstdint>

#include "simgpu/timing/links.hpp"
#include "simgpu/timing/timeline.hpp"

namespace simgpu::timing {

struct CopyCall {
  CopyPath path = CopyPath::device_to_device;
  std::uint64_t bytes = 0;
  double rows = 1;     ///< that do not lie side by side
  bool waits = false;  ///< cudaMemcpy, in place of cudaMemcpyAsync
  bool node = false;   ///< of a graph: no call of the host
};

/// What carries @p path out.
Engine engine_of(CopyPath path) noexcept;

/// Places @p copy into @p stream, and moves the host on to where the call returns.
/// @return when its last byte has arrived.
Instant call_copy(Timeline& timeline, const Device& device, StreamId stream, const CopyCall& copy);

}  // namespace simgpu::timing
