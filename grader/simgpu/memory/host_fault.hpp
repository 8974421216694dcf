/// @file
/// Says what went wrong when host code touched an address that only the device may touch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simgpu/memory/device_memory.hpp"

namespace simgpu::memory {

/// Explains a fault of host code at @p address in one or two sentences, without a line end. Meant for a
/// SIGSEGV handler: it allocates nothing and takes no lock.
/// @param buffer receives the text, always NUL-terminated if @p size > 0.
/// @return length of the text; 0 if the address has nothing to do with this device (an ordinary fault).
std::size_t explain_host_fault(const DeviceMemory& memory, std::uint64_t address, char* buffer,
                               std::size_t size) noexcept;

}  // namespace simgpu::memory
