/// @file
/// Says an address of shared memory as its program would: "float 32 of tile" tells a reader more than "0x80".
#pragma once

#include <cstdint>
#include <string>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// The element of a kernel's shared variable at @p address, which @p site touches: "float 32 of tile", counted through all dimensions
/// of an array. "shared word 0x80" where no variable is known to lie there.
std::string shared_element(const LaunchInfo& launch, const Site& site, std::uint64_t address);

}  // namespace simgpu::observe
