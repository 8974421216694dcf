/// @file
/// Copies in one, two and three dimensions, as one operation.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// A block of rows: `depth` slices of `height` rows of `width` bytes.
struct CopyShape {
  std::size_t width = 0, height = 1, depth = 1;  ///< bytes, rows, slices
  std::size_t to_pitch = 0, from_pitch = 0;      ///< bytes between rows
  std::size_t to_slice = 0, from_slice = 0;      ///< bytes between slices
  std::size_t bytes() const { return width * height * depth; }
};

/// Checks and submits a copy to @p stream.
/// @param name of the API function, for explanations.
/// @param wait the host waits for the end of the copy.
cudaError_t copy(Runtime& runtime, const char* name, void* to, const void* from, const CopyShape& shape,
                 cudaMemcpyKind kind, Stream& stream, bool wait);

}  // namespace simgpu::runtime
