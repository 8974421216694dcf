/// @file
/// Sees the host touch memory that work of the device is still using. The device says which pages (device/host_guard.hpp); here they are
/// closed and opened, and who touches one all the same gets it opened again, and is remembered until the device is told.
#pragma once

#include <cstdint>
#include <vector>

#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/runtime/allocations.hpp"

namespace simgpu::runtime {

/// These pages are closed to the host from now on, and no others. What is no live memory of both sides in @p known is left alone:
/// the device closes nothing else of the program's. Does nothing if faults do not come to the handler (host_fault.hpp).
void close_pages(const queue::Closed& now, const Allocations& known);

/// For the handler. @return whether @p address is in memory that was closed, and now is open: a fault there is none. Async-signal-safe.
bool open_for_host(std::uint64_t address, bool writes) noexcept;

/// @return what was touched since the last call.
std::vector<queue::Touched> take_touches();

}  // namespace simgpu::runtime
