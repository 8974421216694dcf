/// @file
/// What a kernel keeps busy of a device while it runs. Kernels that run beside each other share it.
#pragma once

#include <array>

namespace simgpu::timing {

/// Of the time that a kernel takes alone, the parts in which all of DRAM, of the L2, of the L1s' pipes, of the issue slots and pipes of
/// the SMs, of the units for atomics and of the link to the host work for it. [0, 1]
using Use = std::array<double, 6>;

}  // namespace simgpu::timing
