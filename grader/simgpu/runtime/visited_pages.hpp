/// @file
/// Which managed memory the host has touched: on a card, a touch of what a kernel has used brings the pages home, and the next kernel
/// waits until they have come back. The device has a mapping of its own of managed memory (memory/shared_pages.hpp), so the system's table
/// of this process's pages holds the host's touches and no others. Each look at it makes the table forget; the bytes stay.
///
/// No page is closed for it, so system calls may fill managed memory as ever.
#pragma once

#include <cstdint>

#include "simgpu/queue/command.hpp"

namespace simgpu::runtime {

/// The host can touch managed memory [@p begin, @p begin + @p bytes) from now on: whole pages, which this process maps as shared ones. They
/// begin with a piece of memory::kManagedPiece bytes; such are looked at as a whole.
void watch_visits(std::uint64_t begin, std::uint64_t bytes);
void forget_visits(std::uint64_t begin);

/// Whether how long @p command takes may depend on which pages the host has touched.
bool depends_on_visits(const queue::Body& command) noexcept;

/// @return what was touched since the last call, in order of addresses, neighbours as one. Empty where the system does not tell.
queue::Visited take_visits();

}  // namespace simgpu::runtime
