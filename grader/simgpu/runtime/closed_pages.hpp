/// @file
/// Sees the host touch memory that work of the device is still using. The device says which pages (device/host_guard.hpp); here they are
/// closed and opened, and who touches one all the same gets it opened again, and is remembered until the device is told.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/runtime/allocations.hpp"

namespace simgpu::runtime {

/// These pages are closed to the host from now on, and no others. What is no live memory of both sides in @p known is left alone:
/// the device closes nothing else of the program's. Does nothing if faults do not come to the handler (host_fault.hpp).
void close_pages(const queue::Closed& now, Allocations& known);

// --- Closed ahead. A launch for whose answer nobody waits may close pages, and nobody knows which before it is answered. So before it
// is sent all memory is closed that its kernel can be expected to reach; who touches that waits until the device has answered. ---

/// Closes managed memory, and pinned memory whose address was seen among the parameters of a launch, or which a kernel was seen to use.
/// @return false if that cannot be, or would take longer than to wait: nothing more is closed, and the answer has to be waited for.
bool close_ahead(std::span<const std::byte> parameters, Allocations& known);
/// How a thread that has touched it waits. @param wait returns when nothing is closed ahead any more, or false if this thread cannot wait;
/// async-signal-safe
void wait_for_opening_by(bool (*wait)() noexcept) noexcept;
/// All that was sent is carried out, and what it closed has been said: what else was closed ahead opens. Under the lock of the API.
void open_ahead(const Allocations& known);
/// Whether anything is closed ahead. Async-signal-safe.
bool closed_ahead() noexcept;
/// Waits until nothing is any more, for @p most. Async-signal-safe.
void wait_for_opening(std::chrono::nanoseconds most) noexcept;

/// For the handler. @return whether @p address is in memory that was closed, and now is open: a fault there is none. Async-signal-safe.
bool open_for_host(std::uint64_t address, bool writes) noexcept;

/// @return what was touched since the last call.
std::vector<queue::Touched> take_touches();

}  // namespace simgpu::runtime
