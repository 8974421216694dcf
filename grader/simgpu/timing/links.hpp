/// @file
/// How long copies and fills take: over the host link, and inside the device's memory.
#pragma once

#include <cstdint>

#include "simgpu/timing/device.hpp"

namespace simgpu::timing {

/// Which way a copy goes, as far as its speed is concerned.
enum class CopyPath : std::uint8_t {
  pinned_to_device,
  device_to_pinned,
  pageable_to_device,  ///< staged by the host through a pinned buffer
  device_to_pageable,
  device_to_device,
  host_to_host,
  peer,  ///< between two simulated devices (NVLink)
};

/// Fixed cost of a copy, of one from page-locked memory to the device, and of a fill, on its engine. [s]
inline constexpr double kCopyStartSeconds = 1.6e-6, kFetchStartSeconds = 2.4e-6, kFillStartSeconds = 1.0e-6;

/// @return seconds that @p bytes are on their way once they move; whole-card rates divided by the slice, but for a few words.
double moving_seconds(const Device& device, CopyPath path, double bytes) noexcept;

/// @return seconds that a copy of @p bytes occupies its engine.
double copy_seconds(const Device& device, CopyPath path, double bytes) noexcept;

/// @return the same of @p rows rows that do not lie side by side, at one of the two places at least. Those move at rates of their own.
double copy_rows_seconds(const Device& device, CopyPath path, double bytes, double rows = 1) noexcept;

/// @return seconds for a fill of @p bytes of device memory in @p rows rows that do not lie side by side.
double fill_seconds(const Device& device, double bytes, double rows = 1) noexcept;

/// @return what a fill or a copy within the device, that would take @p seconds with its fixed cost @p start, takes as a graph's node (H200:
/// "graph of a memset, a copy and a kernel" of tests/ladders/held_out_14, "graph of six fills" of held_out_7).
double node_seconds(const Device& device, double seconds, double start) noexcept;

/// @return seconds that the pages of a prefetch take on their way, once the first byte moves. Megabytes move at little more than half
/// the link's rate, and what is behind them at nearly all of it.
double prefetch_seconds(const Device& device, double bytes) noexcept;

/// What the host waits for when it touches managed memory that a device has.
struct Homecoming {
  double runs = 0;   ///< of pages that come, 64 kB and more apart
  double bytes = 0;  ///< of these pages
  double written =
      0;  ///< pages of which both sides had a copy (cudaMemAdviseSetReadMostly), and the host has changed its own
};
/// @param as_it_is takes as long on a slice as on the whole card: a flag is as large on both
/// @param of_a_slice what a whole card has a slice's number of times
/// @return seconds
double homecoming_seconds(const Device& device, const Homecoming& as_it_is,
                          const Homecoming& of_a_slice) noexcept;

/// While both directions of the host link are busy each is slower: together they take 1.094 times as long as one.
inline constexpr double kDuplexFactor = 1.094;

}  // namespace simgpu::timing
