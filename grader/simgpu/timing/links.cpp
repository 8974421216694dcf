/// @file
/// Rates measured on an H200 with 256 MB buffers.
#include "simgpu/timing/links.hpp"

namespace simgpu::timing {
namespace {

/// Bytes per second of the whole card.
double rate(const Device& device, CopyPath path) {
  switch (path) {
    case CopyPath::pinned_to_device:
      return 55.0e9;
    case CopyPath::device_to_pinned:
      return 55.2e9;
    case CopyPath::pageable_to_device:
      return 8.1e9;
    case CopyPath::device_to_pageable:
      return 14.2e9;
    // cudaMemcpyAsync reached 0.989 of the float4 copy; a copy reads and writes each byte.
    case CopyPath::device_to_device:
      return 0.989 * device.copy_ceiling() * device.slice / 2;
    case CopyPath::host_to_host:
      return 10e9;
    case CopyPath::peer:
      return 371e9;
  }
  return 55.0e9;
}

}  // namespace

double copy_seconds(const Device& device, CopyPath path, double bytes) noexcept {
  return kCopyStartSeconds + bytes / (rate(device, path) / device.slice);
}

double fill_seconds(const Device& device, double bytes) noexcept {
  return kCopyStartSeconds + bytes / (4.566e12 / device.slice);
}

}  // namespace simgpu::timing
