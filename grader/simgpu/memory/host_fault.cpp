/// @file
/// See host_fault.hpp.
#include "simgpu/memory/host_fault.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace simgpu::memory {
namespace {

const char* article_of(AllocationKind kind) noexcept {
  switch (kind) {
    case AllocationKind::device:
      return "device memory";
    case AllocationKind::global:
      return "a __device__ variable";
    case AllocationKind::constant:
      return "a __constant__ variable";
    case AllocationKind::pinned:
      return "pinned host memory";
    case AllocationKind::registered:
      return "registered host memory";
    case AllocationKind::managed:
      return "managed memory";
  }
  return "memory";
}

bool in_host_ranges(std::uint64_t address) noexcept {
  return (address >= kPinnedBase && address - kPinnedBase < kMaxDevices * kHostRange) ||
         is_managed_address(address);
}

}  // namespace

std::size_t explain_host_fault(const DeviceMemory& memory, std::uint64_t address, char* buffer,
                               std::size_t size) noexcept {
  if (size == 0) return 0;
  buffer[0] = '\0';
  int length = 0;
  const Allocation* a = memory.find(address);
  if (is_device_address(address)) {
    if (a != nullptr && a->live) {
      const bool named = !a->name.empty();
      length = std::snprintf(buffer, size,
                             "Host code dereferenced the device pointer 0x%" PRIx64 " (byte %" PRIu64
                             " of %" PRIu64
                             " bytes of %s%s%s): only kernels can read or write it; use cudaMemcpy%s.",
                             address, address - a->base, a->bytes, article_of(a->kind), named ? " " : "",
                             named ? a->name.c_str() : "", named ? "FromSymbol or cudaMemcpyToSymbol" : "");
    } else if (a != nullptr) {
      length = std::snprintf(buffer, size,
                             "Host code dereferenced the device pointer 0x%" PRIx64
                             ", which was freed already; and only kernels could ever read or write it.",
                             address);
    } else {
      length = std::snprintf(buffer, size,
                             "Host code dereferenced 0x%" PRIx64
                             ", an address in device memory that belongs to no allocation.",
                             address);
    }
  } else if (in_host_ranges(address)) {
    if (a != nullptr && !a->live) {
      length = std::snprintf(buffer, size,
                             "Host code touched 0x%" PRIx64 ", byte %" PRIu64 " of %" PRIu64
                             " bytes of %s that was freed already.",
                             address, address - a->base, a->bytes, article_of(a->kind));
    } else if (a == nullptr) {
      a = memory.nearest(address);
      if (a != nullptr && address >= a->end()) {
        length = std::snprintf(buffer, size,
                               "Host code touched 0x%" PRIx64 ", %" PRIu64 " bytes beyond the end of %" PRIu64
                               " bytes of %s.",
                               address, address - a->end() + 1, a->bytes, article_of(a->kind));
      } else {
        length = std::snprintf(buffer, size,
                               "Host code touched 0x%" PRIx64
                               ", an address for pinned or managed memory that belongs to no allocation.",
                               address);
      }
    }
  }
  if (length <= 0) return 0;
  return std::min(static_cast<std::size_t>(length), size - 1);
}

}  // namespace simgpu::memory
