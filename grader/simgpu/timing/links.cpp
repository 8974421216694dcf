/// @file
/// Rates of a card: those of the H200 were measured with 256 MB buffers.
#include "simgpu/timing/links.hpp"

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

}  // namespace

double copy_seconds(const Device& device, CopyPath path, double bytes) noexcept {
  return kCopyStartSeconds + bytes / (rate(device, path) / device.slice);
}

double copy_rows_seconds(const Device& device, CopyPath path, double bytes) noexcept {
  if (path != CopyPath::device_to_device) return copy_seconds(device, path, bytes);
  // A copy reads and writes each byte.
  return kCopyStartSeconds + 2 * bytes / (device.card_copy_rows / device.slice);
}

double fill_seconds(const Device& device, double bytes) noexcept {
  return kCopyStartSeconds + bytes / (device.card_dram_fill / device.slice);
}

}  // namespace simgpu::timing
