/// @file
/// CUDA arrays: texels in an allocation of device memory, row after row, behind a handle.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "simgpu/memory/textures.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// What a cudaArray_t names.
struct Array {
  memory::Image image;
  cudaChannelFormatDesc description{};
  cudaExtent extent{};  ///< as asked for: 0 where there is no such dimension
  unsigned flags = 0;
  bool normalized = false;  ///< a format that is always read as [0, 1] or [-1, 1]
  bool level = false;       ///< belongs to a mipmapped array
};

/// What a cudaMipmappedArray_t names.
struct MipmappedArray {
  std::vector<Array*> levels;
};

/// @return nullptr if @p handle names no live array.
Array* find_array(cudaArray_const_t handle);
MipmappedArray* find_mipmapped_array(cudaMipmappedArray_const_t handle);

/// @param normalized set for the formats whose name says so.
/// @return nothing for formats that are not simulated (planar, block-compressed) or make no sense.
std::optional<memory::TexelFormat> texel_format(const cudaChannelFormatDesc& description, bool& normalized);

/// Checks and submits what cudaMemcpy3D describes.
/// @param name of the API function, for explanations.
cudaError_t copy_box(Runtime& runtime, const char* name, const cudaMemcpy3DParms& parameters, Stream& stream,
                     bool wait);

}  // namespace simgpu::runtime
