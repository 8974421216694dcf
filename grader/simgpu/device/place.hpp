/// @file
/// A side of a copy or a fill, as the device finds it: device memory, pinned or managed memory, or ordinary host memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/queue/command.hpp"

namespace simgpu::device {

struct Place {
  std::byte* bytes = nullptr;                      ///< where this process can read and write it
  const memory::Allocation* allocation = nullptr;  ///< null: ordinary (pageable) host memory
  int device = 0;                                  ///< that owns it, if it is device memory
  bool valid = false;        ///< the range lies within one live allocation, or is pageable
  std::uint64_t beyond = 0;  ///< bytes by which it leaves the allocation, if that is why it is not valid

  bool on_device() const;  ///< the host cannot touch it
  bool pinned() const;     ///< page-locked host memory
  bool managed() const;
  bool pageable() const { return allocation == nullptr; }
  queue::Place::Kind kind() const;
};

}  // namespace simgpu::device
