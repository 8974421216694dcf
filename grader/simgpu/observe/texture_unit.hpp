/// @file
/// What a request for texels takes of an SM's texture unit: by format and filter, and by where the lanes look.
#pragma once

#include <cstdint>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// Of an access of @p lanes lanes to a texture or a surface. Stores take the unit's base; what they ask of the L2 is counted elsewhere.
/// @return hundredths of a cycle
std::uint64_t texture_unit_cycles(const TextureAccess& access, std::uint32_t lanes);

}  // namespace simgpu::observe
