/// @file
/// Copies in one, two and three dimensions, as one operation.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

using CopyShape = queue::Shape;

/// Checks and submits a copy to @p stream.
/// @param name of the API function, for explanations.
/// @param wait the host waits for the end of the copy.
cudaError_t copy(Runtime& runtime, const char* name, void* to, const void* from, const CopyShape& shape,
                 cudaMemcpyKind kind, Stream& stream, bool wait);

}  // namespace simgpu::runtime
