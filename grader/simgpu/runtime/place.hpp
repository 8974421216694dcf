/// @file
/// What a pointer handed to the API points to: device memory, pinned or managed memory, or ordinary host memory.
#pragma once

#include <cstddef>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

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
};

/// Looks up @p bytes bytes at @p pointer.
Place place(Runtime& runtime, const void* pointer, std::size_t bytes);

}  // namespace simgpu::runtime
