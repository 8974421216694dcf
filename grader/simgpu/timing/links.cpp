/// @file
/// Rates of a card: those of the H200 were measured with 256 MB buffers.
#include "simgpu/timing/links.hpp"

#include <algorithm>

namespace simgpu::timing {
namespace {

/// Bytes per second of the whole card.
double rate(const Device& device, CopyPath path) {
  switch (path) {
    case CopyPath::pinned_to_device:
      return device.link_up;
    case CopyPath::device_to_pinned:
      return device.link_down;
    case CopyPath::pageable_to_device:
      return device.pageable_up;
    case CopyPath::device_to_pageable:
      return device.pageable_down;
    // cudaMemcpyAsync reached 0.989 of the float4 copy; a copy reads and writes each byte.
    case CopyPath::device_to_device:
      return 0.989 * device.copy_ceiling() * device.slice / 2;
    case CopyPath::host_to_host:
      return 10e9;
    case CopyPath::peer:
      return device.peer;
  }
  return device.link_up;
}

/// So many bytes of a whole card are no part of its data, but a few words, which a slice has as many of: a result, a flag, a table of weights.
constexpr double kFewBytes = 64 * 1024;

/// Of a row that does not lie beside the next, on the whole card, filled or copied: 16,384 of 4 to 256 bytes take 10 us more than 64 (H200,
/// 2026-11-29).
constexpr double kRowSeconds = 0.62e-9;

}  // namespace

double moving_seconds(const Device& device, CopyPath path, double bytes) noexcept {
  const bool within = path == CopyPath::device_to_device || path == CopyPath::peer;
  const double few = within ? 0 : std::min(bytes, kFewBytes / device.slice);
  return (few + (bytes - few) * device.slice) / rate(device, path);
}

double copy_seconds(const Device& device, CopyPath path, double bytes) noexcept {
  return (path == CopyPath::pinned_to_device ? kFetchStartSeconds : kCopyStartSeconds) +
         moving_seconds(device, path, bytes);
}

double copy_rows_seconds(const Device& device, CopyPath path, double bytes, double rows) noexcept {
  if (path == CopyPath::pinned_to_device || path == CopyPath::device_to_pinned)
    return copy_seconds(device, path, bytes / device.link_rows);
  if (path != CopyPath::device_to_device) return copy_seconds(device, path, bytes);
  // A copy reads and writes each byte.
  return kCopyStartSeconds + device.slice * std::max(2 * bytes / device.card_copy_rows, rows * kRowSeconds);
}

double fill_seconds(const Device& device, double bytes, double rows) noexcept {
  return kFillStartSeconds + device.slice * std::max(bytes / device.card_dram_fill, rows * kRowSeconds);
}

double node_seconds(const Device& device, double seconds, double start) noexcept {
  return std::max(device.host.graph_copy_least, seconds - start + device.host.graph_copy_node);
}

double prefetch_seconds(const Device& device, double bytes) noexcept {
  const HostCosts& host = device.host;
  const double of_card = bytes * device.slice;  // as long as so many on the whole card
  return std::min(of_card / host.prefetch_slow_bytes_per_second,
                  host.prefetch_behind + of_card / host.prefetch_bytes_per_second);
}

double homecoming_seconds(const Device& device, const Homecoming& as_it_is,
                          const Homecoming& of_a_slice) noexcept {
  const HostCosts& host = device.host;
  const auto alone = [&](const Homecoming& part) {
    return host.homecoming_start * part.runs + part.bytes / host.homecoming_bytes_per_second +
           host.homecoming_written * part.written;
  };
  return alone(as_it_is) + device.slice * alone(of_a_slice);
}

}  // namespace simgpu::timing
