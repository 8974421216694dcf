/// @file
/// Texture and surface objects.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/arrays.hpp"
#include "simgpu/runtime/place.hpp"

using namespace simgpu;
using namespace simgpu::runtime;
using memory::Image;

namespace {

/// What the object was made from, for the functions that ask.
struct Description {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
  cudaResourceViewDesc view{};
  bool has_view = false, is_surface = false;
};

std::map<std::uint64_t, Description>& descriptions() {
  static auto* const all = new std::map<std::uint64_t, Description>;  // like the runtime, outlives everything
  return *all;
}

const Description* find(std::uint64_t handle) {
  const auto it = descriptions().find(handle);
  return it == descriptions().end() ? nullptr : &it->second;
}

/// Memory of the program's own as an image of one row or several.
cudaError_t plain_image(Runtime& runtime, const void* pointer, const cudaChannelFormatDesc& description,
                        std::size_t width, std::size_t height, std::size_t pitch, std::size_t bytes,
                        bool& normalized, Image& image) {
  const auto format = texel_format(description, normalized);
  if (!format) return cudaErrorInvalidChannelDescriptor;
  const Place where = place(runtime, pointer, bytes);
  if (!where.valid || where.pageable()) {
    return runtime.explain(
        cudaErrorInvalidValue,
        "cudaCreateTextureObject: the memory is not one whole allocation that the device can read.");
  }
  image.allocation = where.allocation;
  image.base = reinterpret_cast<std::uint64_t>(pointer);
  image.format = *format;
  image.width = static_cast<std::uint32_t>(width);
  image.height = static_cast<std::uint32_t>(height);
  image.pitch = pitch;
  image.slice = pitch * height;
  return cudaSuccess;
}

std::optional<memory::TexelFormat> view_format(cudaResourceViewFormat format) {
  using memory::ChannelKind;
  struct Row {
    std::uint8_t bytes;
    ChannelKind kind;
  };
  // In the order of the enum: three entries (1, 2 and 4 channels) each.
  constexpr Row kRows[] = {{1, ChannelKind::unsigned_}, {1, ChannelKind::signed_},
                           {2, ChannelKind::unsigned_}, {2, ChannelKind::signed_},
                           {4, ChannelKind::unsigned_}, {4, ChannelKind::signed_},
                           {2, ChannelKind::floating},  {4, ChannelKind::floating}};
  constexpr std::uint8_t kChannels[] = {1, 2, 4};
  const int index = static_cast<int>(format) - 1;
  if (index < 0 || index >= 24) return std::nullopt;
  return memory::TexelFormat{kRows[index / 3].bytes, kChannels[index % 3], kRows[index / 3].kind};
}

cudaError_t images_of(Runtime& runtime, const cudaResourceDesc& resource, std::vector<Image>& levels,
                      bool& normalized) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const Array* array = find_array(resource.res.array.array);
      if (array == nullptr) return cudaErrorInvalidResourceHandle;
      levels.push_back(array->image);
      normalized = array->normalized;
      return cudaSuccess;
    }
    case cudaResourceTypeMipmappedArray: {
      const MipmappedArray* mipmapped = find_mipmapped_array(resource.res.mipmap.mipmap);
      if (mipmapped == nullptr) return cudaErrorInvalidResourceHandle;
      for (const Array* level : mipmapped->levels) levels.push_back(level->image);
      normalized = mipmapped->levels.front()->normalized;
      return cudaSuccess;
    }
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      const auto format = texel_format(linear.desc, normalized);
      if (!format) return cudaErrorInvalidChannelDescriptor;
      const std::size_t width = linear.sizeInBytes / format->bytes();
      if (width == 0 || width > 1u << 28) return cudaErrorInvalidValue;
      Image image;
      image.linear = true;
      levels.push_back(image);
      return plain_image(runtime, linear.devPtr, linear.desc, width, 1, linear.sizeInBytes,
                         linear.sizeInBytes, normalized, levels.back());
    }
    case cudaResourceTypePitch2D: {
      const auto& pitched = resource.res.pitch2D;
      const auto format = texel_format(pitched.desc, normalized);
      if (!format) return cudaErrorInvalidChannelDescriptor;
      const std::size_t row = pitched.width * format->bytes();
      if (row == 0 || pitched.height == 0 || pitched.pitchInBytes < row) return cudaErrorInvalidValue;
      if (pitched.pitchInBytes % 32 != 0) {
        return runtime.explain(
            cudaErrorInvalidValue,
            fmt::format("cudaCreateTextureObject: the pitch of {} bytes is not a multiple of the device's "
                        "texturePitchAlignment (32); cudaMallocPitch gives one that is.",
                        pitched.pitchInBytes));
      }
      Image image;
      image.dimensions = 2;
      levels.push_back(image);
      return plain_image(runtime, pitched.devPtr, pitched.desc, pitched.width, pitched.height,
                         pitched.pitchInBytes, (pitched.height - 1) * pitched.pitchInBytes + row, normalized,
                         levels.back());
    }
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t apply_view(const cudaResourceViewDesc& view, memory::Texture& texture) {
  auto& levels = texture.levels;
  if (view.lastMipmapLevel >= levels.size() || view.firstMipmapLevel > view.lastMipmapLevel)
    return cudaErrorInvalidValue;
  levels.assign(levels.begin() + view.firstMipmapLevel, levels.begin() + view.lastMipmapLevel + 1);
  for (Image& image : levels) {
    if (view.format != cudaResViewFormatNone) {
      const auto format = view_format(view.format);
      if (!format || format->bytes() != image.format.bytes()) return cudaErrorInvalidValue;
      image.format = *format;
    }
    if (image.layered) {
      if (view.lastLayer >= image.layers || view.firstLayer > view.lastLayer) return cudaErrorInvalidValue;
      image.base += view.firstLayer * image.slice;
      image.layers = view.lastLayer - view.firstLayer + 1;
    }
  }
  return cudaSuccess;
}

std::vector<queue::Texels> levels_of(const std::vector<Image>& images) {
  std::vector<queue::Texels> levels;
  for (const Image& image : images) {
    levels.push_back({.address = image.base,
                      .channel_bytes = image.format.channel_bytes,
                      .channels = image.format.channels,
                      .kind = static_cast<queue::Texels::Kind>(image.format.kind),
                      .dimensions = image.dimensions,
                      .layered = image.layered,
                      .cube = image.cube,
                      .tiled = image.tiled,
                      .linear = image.linear,
                      .width = image.width,
                      .height = image.height,
                      .depth = image.depth,
                      .layers = image.layers,
                      .pitch = image.pitch,
                      .slice = image.slice});
  }
  return levels;
}

queue::Sampling sampling_of(const memory::Sampler& s) {
  queue::Sampling sampling{.linear = s.linear_filter,
                           .normalized_coordinates = s.normalized_coordinates,
                           .normalized_values = s.normalized_float,
                           .srgb = s.srgb,
                           .seamless = s.seamless,
                           .linear_between_levels = s.linear_between_levels,
                           .border = s.border,
                           .level_bias = s.level_bias,
                           .level_min = s.level_min,
                           .level_max = s.level_max};
  for (std::size_t d = 0; d < s.address.size(); ++d)
    sampling.edges[d] = static_cast<queue::Sampling::Edge>(s.address[d]);
  return sampling;
}

cudaError_t destroy(Runtime& runtime, queue::Object::What what, std::uint64_t handle) {
  const Description* const known = find(handle);
  if (known == nullptr || known->is_surface != (what == queue::Object::What::surface))
    return cudaErrorInvalidValue;
  descriptions().erase(handle);
  return runtime.tell(queue::ObjectGone{what, handle});
}

}  // namespace

extern "C" {

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* description, const cudaResourceViewDesc* view) {
  return api("cudaCreateTextureObject", [&](Runtime& runtime) -> cudaError_t {
    if (object == nullptr || resource == nullptr || description == nullptr) return cudaErrorInvalidValue;
    memory::Texture texture;
    bool normalized_format = false;
    if (const auto error = images_of(runtime, *resource, texture.levels, normalized_format);
        error != cudaSuccess) {
      return error;
    }
    if (view != nullptr) {
      if (resource->resType == cudaResourceTypeLinear || resource->resType == cudaResourceTypePitch2D) {
        return cudaErrorInvalidValue;
      }
      if (const auto error = apply_view(*view, texture); error != cudaSuccess) return error;
    }
    const Image& image = texture.levels.front();
    memory::Sampler& s = texture.sampler;
    for (std::size_t d = 0; d < 3; ++d) {
      switch (description->addressMode[d]) {
        case cudaAddressModeWrap:
          s.address[d] = memory::AddressMode::wrap;
          break;
        case cudaAddressModeClamp:
          s.address[d] = memory::AddressMode::clamp;
          break;
        case cudaAddressModeMirror:
          s.address[d] = memory::AddressMode::mirror;
          break;
        case cudaAddressModeBorder:
          s.address[d] = memory::AddressMode::border;
          break;
        default:
          return cudaErrorInvalidValue;
      }
    }
    s.linear_filter = description->filterMode == cudaFilterModeLinear;
    s.normalized_coordinates = description->normalizedCoords != 0;
    s.normalized_float = description->readMode == cudaReadModeNormalizedFloat || normalized_format;
    s.srgb = description->sRGB != 0;
    s.seamless = description->seamlessCubemap != 0;
    std::copy(std::begin(description->borderColor), std::end(description->borderColor), s.border.begin());
    s.linear_between_levels = description->mipmapFilterMode == cudaFilterModeLinear;
    // The queue takes numbers: what is none moves no level.
    const auto number = [](float value) { return std::isnan(value) ? 0 : value; };
    s.level_bias = number(description->mipmapLevelBias);
    s.level_min = number(description->minMipmapLevelClamp);
    s.level_max = number(description->maxMipmapLevelClamp);
    const bool floats = image.format.kind == memory::ChannelKind::floating;
    if (description->readMode == cudaReadModeNormalizedFloat && !floats && image.format.channel_bytes == 4) {
      return runtime.explain(
          cudaErrorInvalidNormSetting,
          "cudaCreateTextureObject: cudaReadModeNormalizedFloat is for integers of 8 and 16 bits.");
    }
    if (s.linear_filter && !floats && !s.normalized_float && !image.linear) {
      return runtime.explain(
          cudaErrorInvalidFilterSetting,
          "cudaCreateTextureObject: cudaFilterModeLinear needs texels that are read as floating-point "
          "numbers; integers of 8 and 16 bits can be, with cudaReadModeNormalizedFloat.");
    }
    if (texture.levels.size() > 1 && !s.normalized_coordinates) {
      return runtime.explain(cudaErrorInvalidValue,
                             "cudaCreateTextureObject: a mipmapped array needs normalised coordinates.");
    }
    cudaError_t error = cudaSuccess;
    const auto handle = runtime.ask<queue::Handle>(
        queue::Object{queue::Object::What::texture, sampling_of(s), levels_of(texture.levels)}, error);
    if (!handle) return error;
    *object = handle->value;
    descriptions()[*object] = {*resource, *description, view != nullptr ? *view : cudaResourceViewDesc{},
                               view != nullptr};
    return cudaSuccess;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return api("cudaDestroyTextureObject", [&](Runtime& runtime) -> cudaError_t {
    if (object == 0) return cudaSuccess;
    return destroy(runtime, queue::Object::What::texture, object);
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  return api("cudaGetTextureObjectResourceDesc", [&](Runtime&) -> cudaError_t {
    const Description* d = find(object);
    if (resource == nullptr || d == nullptr || d->is_surface) return cudaErrorInvalidValue;
    *resource = d->resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* description, cudaTextureObject_t object) {
  return api("cudaGetTextureObjectTextureDesc", [&](Runtime&) -> cudaError_t {
    const Description* d = find(object);
    if (description == nullptr || d == nullptr || d->is_surface) return cudaErrorInvalidValue;
    *description = d->texture;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view, cudaTextureObject_t object) {
  return api("cudaGetTextureObjectResourceViewDesc", [&](Runtime&) -> cudaError_t {
    const Description* d = find(object);
    if (view == nullptr || d == nullptr || !d->has_view) return cudaErrorInvalidValue;
    *view = d->view;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  return api("cudaCreateSurfaceObject", [&](Runtime& runtime) -> cudaError_t {
    if (object == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray) {
      return cudaErrorInvalidValue;
    }
    const Array* array = find_array(resource->res.array.array);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if ((array->flags & cudaArraySurfaceLoadStore) == 0) {
      return runtime.explain(
          cudaErrorInvalidValue,
          "cudaCreateSurfaceObject: the array was not created with cudaArraySurfaceLoadStore.");
    }
    cudaError_t error = cudaSuccess;
    const auto handle = runtime.ask<queue::Handle>(
        queue::Object{queue::Object::What::surface, {}, levels_of({array->image})}, error);
    if (!handle) return error;
    *object = handle->value;
    descriptions()[*object] = {.resource = *resource, .is_surface = true};
    return cudaSuccess;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return api("cudaDestroySurfaceObject", [&](Runtime& runtime) -> cudaError_t {
    if (object == 0) return cudaSuccess;
    return destroy(runtime, queue::Object::What::surface, object);
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  return api("cudaGetSurfaceObjectResourceDesc", [&](Runtime&) -> cudaError_t {
    const Description* d = find(object);
    if (resource == nullptr || d == nullptr || !d->is_surface) return cudaErrorInvalidValue;
    *resource = d->resource;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* width, const cudaChannelFormatDesc* description,
                                                 int device) {
  return api("cudaDeviceGetTexture1DLinearMaxWidth", [&](Runtime& runtime) -> cudaError_t {
    if (width == nullptr || description == nullptr) return cudaErrorInvalidValue;
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    bool normalized = false;
    const auto format = texel_format(*description, normalized);
    if (!format) return cudaErrorInvalidChannelDescriptor;
    *width = std::size_t{1} << 28;
    return cudaSuccess;
  });
}

}  // extern "C"
