/// @file
/// Arrays, textures and surfaces of the blind sets from the eighth on and of the ladders of texels, and what a filter gives between two values.
#pragma once

#include <cmath>
#include <functional>

#include "ladder.hpp"

namespace set_helpers {

inline cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  return what;
}
/// Memory, whose texels are read by number.
inline cudaResourceDesc resource_of(void* memory, const cudaChannelFormatDesc& format, std::size_t bytes) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear = {memory, format, bytes};
  return what;
}

inline cudaTextureObject_t texture_of(const cudaResourceDesc& what, cudaTextureAddressMode beyond,
                                      cudaTextureFilterMode filter, bool normalised,
                                      cudaTextureReadMode as = cudaReadModeElementType) {
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = beyond;
  how.filterMode = filter;
  how.readMode = as;
  how.normalizedCoords = normalised;
  cudaTextureObject_t texture = 0;
  ladder::check(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  return texture;
}
inline cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode beyond,
                                      cudaTextureFilterMode filter, bool normalised,
                                      cudaTextureReadMode as = cudaReadModeElementType) {
  return texture_of(resource_of(array), beyond, filter, normalised, as);
}

inline cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc what = resource_of(array);
  cudaSurfaceObject_t surface = 0;
  ladder::check(cudaCreateSurfaceObject(&surface, &what), "surface");
  return surface;
}

/// An array of what begins at @p from, in device memory; a line has no height, a picture no depth.
template <typename Texel>
cudaArray_t array_of(const void* from, std::size_t width, std::size_t height, std::size_t depth,
                     unsigned flags = cudaArrayDefault) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<Texel>();
  ladder::check(cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth), flags), "array");
  const std::size_t rows = height == 0 ? 1 : height;
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(const_cast<void*>(from), width * sizeof(Texel), width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, rows, depth == 0 ? 1 : depth);
  copy.kind = cudaMemcpyDeviceToDevice;
  ladder::check(cudaMemcpy3D(&copy), "copy to array");
  return array;
}

/// What lies between two values at @p x of a line whose points are at halves.
inline double between_two(double x, const std::function<double(long)>& at) {
  x -= 0.5;
  const double left = std::floor(x), part = x - left;
  return (1 - part) * at(static_cast<long>(left)) + part * at(static_cast<long>(left) + 1);
}

}  // namespace set_helpers
