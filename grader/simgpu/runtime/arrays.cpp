/// @file
/// Creation of CUDA arrays, and copies to, from and between them.
#include "simgpu/runtime/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/copies.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

struct Registry {
  std::map<const void*, std::unique_ptr<Array>> arrays;
  std::map<const void*, std::unique_ptr<MipmappedArray>> mipmapped;
};

Registry& registry() {
  static auto* const all = new Registry;  // like the runtime, outlives everything
  return *all;
}

}  // namespace

namespace simgpu::runtime {

Array* find_array(cudaArray_const_t handle) {
  const auto it = registry().arrays.find(handle);
  // cudaDeviceReset frees memory without asking its owners.
  return it != registry().arrays.end() && it->second->image.allocation->live ? it->second.get() : nullptr;
}

MipmappedArray* find_mipmapped_array(cudaMipmappedArray_const_t handle) {
  const auto it = registry().mipmapped.find(handle);
  return it != registry().mipmapped.end() ? it->second.get() : nullptr;
}

std::optional<memory::TexelFormat> texel_format(const cudaChannelFormatDesc& d, bool& normalized) {
  using memory::ChannelKind;
  normalized =
      d.f >= cudaChannelFormatKindUnsignedNormalized8X1 && d.f <= cudaChannelFormatKindSignedNormalized16X4;
  memory::TexelFormat format;
  if (d.f == cudaChannelFormatKindSigned)
    format.kind = ChannelKind::signed_;
  else if (d.f == cudaChannelFormatKindUnsigned)
    format.kind = ChannelKind::unsigned_;
  else if (normalized)
    format.kind =
        d.f >= cudaChannelFormatKindSignedNormalized8X1 ? ChannelKind::signed_ : ChannelKind::unsigned_;
  else if (d.f != cudaChannelFormatKindFloat)
    return std::nullopt;
  const int bits = d.x;
  if (bits != 8 && bits != 16 && bits != 32) return std::nullopt;
  if (format.kind == ChannelKind::floating && bits == 8) return std::nullopt;
  const int all[] = {d.x, d.y, d.z, d.w};
  unsigned channels = 0;
  while (channels < 4 && all[channels] == bits) ++channels;
  for (unsigned c = channels; c < 4; ++c) {
    if (all[c] != 0) return std::nullopt;
  }
  if (channels == 3) return std::nullopt;
  format.channel_bytes = static_cast<std::uint8_t>(bits / 8);
  format.channels = static_cast<std::uint8_t>(channels);
  return format;
}

}  // namespace simgpu::runtime

namespace {

constexpr unsigned kKnownFlags = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
                                 cudaArrayTextureGather | cudaArrayColorAttachment;

std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

cudaError_t make_array(Runtime& runtime, const char* name, const cudaChannelFormatDesc* description,
                       cudaExtent extent, unsigned flags, bool level, Array** made) {
  if (runtime.devices.empty()) return cudaErrorNoDevice;
  if (description == nullptr || extent.width == 0) return cudaErrorInvalidValue;
  if ((flags & (cudaArraySparse | cudaArrayDeferredMapping)) != 0) {
    runtime.note_unsupported("sparse CUDA arrays");
    return cudaErrorNotSupported;
  }
  if ((flags & ~kKnownFlags) != 0) return cudaErrorInvalidValue;
  auto array = std::make_unique<Array>();
  const auto format = texel_format(*description, array->normalized);
  if (!format) {
    if (description->f > cudaChannelFormatKindSignedNormalized16X4 ||
        description->f == cudaChannelFormatKindNV12) {
      runtime.note_unsupported("CUDA arrays in planar or compressed formats");
      return cudaErrorNotSupported;
    }
    return runtime.explain(
        cudaErrorInvalidChannelDescriptor,
        fmt::format("{}: a texel has 1, 2 or 4 channels of 8, 16 or 32 bits each (floats: 16 or 32).", name));
  }
  memory::Image& image = array->image;
  image.format = *format;
  image.layered = (flags & cudaArrayLayered) != 0;
  image.cube = (flags & cudaArrayCubemap) != 0;
  const bool sliced = image.layered || image.cube;
  if (extent.height == 0 && extent.depth != 0 && !sliced) return cudaErrorInvalidValue;
  if (sliced && extent.depth == 0) return cudaErrorInvalidValue;
  if (image.cube) {
    const bool whole = image.layered ? extent.depth % 6 == 0 : extent.depth == 6;
    if (extent.width != extent.height || !whole) {
      return runtime.explain(
          cudaErrorInvalidValue,
          fmt::format("{}: a cube map has square faces and a depth of 6 (times the layers).", name));
    }
  }
  if (extent.width > 131072 || extent.height > 65536 || extent.depth > 16384) return cudaErrorInvalidValue;
  image.dimensions = static_cast<std::uint8_t>(extent.height == 0 ? 1 : sliced || extent.depth == 0 ? 2 : 3);
  image.tiled = true;
  image.width = static_cast<std::uint32_t>(extent.width);
  image.height = static_cast<std::uint32_t>(std::max<std::size_t>(extent.height, 1));
  image.depth = image.dimensions == 3 ? static_cast<std::uint32_t>(extent.depth) : 1;
  image.layers = sliced ? static_cast<std::uint32_t>(extent.depth) : 1;
  image.pitch = round_up(std::size_t{image.width} * format->bytes(), memory::kTileBytes);
  const std::size_t rows = image.dimensions == 1 ? 1 : round_up(image.height, memory::kTileRows);
  image.slice = image.pitch * rows;
  AllocationInfo info;
  info.device = runtime.current();
  image.allocation =
      runtime.allocate(image.slice * image.depth * image.layers, memory::AllocationKind::device,
                       std::move(info), 512, {.use = queue::Allocate::Use::array});
  if (image.allocation == nullptr) return cudaErrorMemoryAllocation;
  image.base = image.allocation->base;
  array->description = *description;
  array->extent = extent;
  array->flags = flags;
  array->level = level;
  *made = array.get();
  registry().arrays[array.get()] = std::move(array);
  return cudaSuccess;
}

void release(Runtime& runtime, Array* array) {
  runtime.release(array->image.base);
  registry().arrays.erase(array);
}

/// One side of a copy.
struct Side {
  std::byte* start = nullptr;
  std::size_t pitch = 0, slice = 0;
};

Side side_of(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z) {
  const memory::Image& image = array.image;
  return {reinterpret_cast<std::byte*>(image.base + z * image.slice + y * image.pitch + x_bytes), image.pitch,
          image.slice};
}

/// Whether a box lies within an array; explains it if not.
cudaError_t check_box(Runtime& runtime, const char* name, const Array& array, std::size_t x_bytes,
                      std::size_t y, std::size_t z, std::size_t width, std::size_t height,
                      std::size_t depth) {
  const memory::Image& image = array.image;
  const std::size_t row = std::size_t{image.width} * image.format.bytes();
  const std::size_t slices = std::size_t{image.depth} * image.layers;
  const auto within = [](std::size_t from, std::size_t count, std::size_t all) {
    return count <= all && from <= all - count;
  };
  if (within(x_bytes, width, row) && within(y, height, image.height) && within(z, depth, slices))
    return cudaSuccess;
  return runtime.explain(
      cudaErrorInvalidValue,
      fmt::format("{}: {} bytes x {} rows x {} slices from byte {}, row {}, slice {} leave the array of "
                  "{} bytes x {} x {}.",
                  name, width, height, depth, x_bytes, y, z, row, image.height, slices));
}

cudaError_t submit(Runtime& runtime, const char* name, const Side& to, const Side& from, std::size_t width,
                   std::size_t height, std::size_t depth, cudaMemcpyKind kind, Stream& stream, bool wait) {
  const CopyShape shape{.width = width,
                        .height = height,
                        .depth = depth,
                        .to_pitch = to.pitch,
                        .to_slice = to.slice,
                        .from_pitch = from.pitch,
                        .from_slice = from.slice};
  return copy(runtime, name, to.start, from.start, shape, kind, stream, wait);
}

/// Rows between an array and plain memory. @param to_array the direction.
cudaError_t copy_2d(const char* name, cudaArray_const_t handle, std::size_t x, std::size_t y, void* plain,
                    std::size_t pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                    cudaStream_t on, bool to_array, bool wait) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(on);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const Array* array = find_array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if (width > pitch && height > 1) return cudaErrorInvalidPitchValue;
    if (const auto error = check_box(runtime, name, *array, x, y, 0, width, height, 1); error != cudaSuccess)
      return error;
    const Side inside = side_of(*array, x, y, 0);
    const Side outside{static_cast<std::byte*>(plain), pitch, 0};
    return submit(runtime, name, to_array ? inside : outside, to_array ? outside : inside, width, height, 1,
                  kind, *stream, wait);
  });
}

/// A run of bytes that goes on in the next row.
cudaError_t copy_run(const char* name, cudaArray_const_t handle, std::size_t x, std::size_t y, void* plain,
                     std::size_t bytes, cudaMemcpyKind kind, cudaStream_t on, bool to_array, bool wait) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(on);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const Array* array = find_array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    const std::size_t row = std::size_t{array->image.width} * array->image.format.bytes();
    auto* memory = static_cast<std::byte*>(plain);
    while (bytes > 0) {
      const bool whole = x == 0 && bytes >= row;
      const std::size_t width = whole ? row : std::min(bytes, row - std::min(row, x));
      const std::size_t height = whole ? bytes / row : 1;
      if (width == 0) return cudaErrorInvalidValue;
      if (const auto error = check_box(runtime, name, *array, x, y, 0, width, height, 1);
          error != cudaSuccess) {
        return error;
      }
      const Side inside = side_of(*array, x, y, 0);
      const Side outside{memory, width, 0};
      if (const auto error = submit(runtime, name, to_array ? inside : outside, to_array ? outside : inside,
                                    width, height, 1, kind, *stream, wait);
          error != cudaSuccess) {
        return error;
      }
      memory += width * height;
      bytes -= width * height;
      y += height;
      x = 0;
    }
    return cudaSuccess;
  });
}

cudaError_t copy_between(const char* name, cudaArray_t to_handle, std::size_t to_x, std::size_t to_y,
                         cudaArray_const_t from_handle, std::size_t from_x, std::size_t from_y,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    const Array *to = find_array(to_handle), *from = find_array(from_handle);
    if (to == nullptr || from == nullptr) return cudaErrorInvalidResourceHandle;
    for (const auto& [array, x, y] : {std::tuple(to, to_x, to_y), std::tuple(from, from_x, from_y)}) {
      if (const auto error = check_box(runtime, name, *array, x, y, 0, width, height, 1);
          error != cudaSuccess)
        return error;
    }
    return submit(runtime, name, side_of(*to, to_x, to_y, 0), side_of(*from, from_x, from_y, 0), width,
                  height, 1, kind, *runtime.stream(nullptr), true);
  });
}

}  // namespace

namespace simgpu::runtime {

cudaError_t copy_box(Runtime& runtime, const char* name, const cudaMemcpy3DParms& p, Stream& stream,
                     bool wait) {
  if (p.srcArray != nullptr && p.srcPtr.ptr != nullptr) return cudaErrorInvalidValue;
  if (p.dstArray != nullptr && p.dstPtr.ptr != nullptr) return cudaErrorInvalidValue;
  const Array* from = p.srcArray != nullptr ? find_array(p.srcArray) : nullptr;
  const Array* to = p.dstArray != nullptr ? find_array(p.dstArray) : nullptr;
  if ((p.srcArray != nullptr && from == nullptr) || (p.dstArray != nullptr && to == nullptr)) {
    return cudaErrorInvalidResourceHandle;
  }
  // Where an array takes part, the extent counts its texels; a plain side is placed in bytes.
  std::size_t unit = 1;
  if (from != nullptr) unit = from->image.format.bytes();
  if (to != nullptr) {
    if (from != nullptr && to->image.format.bytes() != unit) return cudaErrorInvalidValue;
    unit = to->image.format.bytes();
  }
  const std::size_t width = p.extent.width * unit;
  const auto side = [&](const Array* array, const cudaPitchedPtr& plain, const cudaPos& at,
                        Side& out) -> cudaError_t {
    if (array != nullptr) {
      out = side_of(*array, at.x * unit, at.y, at.z);
      return check_box(runtime, name, *array, at.x * unit, at.y, at.z, width, p.extent.height,
                       p.extent.depth);
    }
    if (plain.ptr == nullptr) return cudaErrorInvalidValue;
    if (plain.pitch < width && p.extent.height > 1) return cudaErrorInvalidPitchValue;
    const std::size_t rows = std::max<std::size_t>(plain.ysize, 1);
    if (rows < p.extent.height && p.extent.depth > 1) return cudaErrorInvalidValue;
    out = {static_cast<std::byte*>(plain.ptr) + at.x + plain.pitch * (at.y + rows * at.z), plain.pitch,
           plain.pitch * rows};
    return cudaSuccess;
  };
  Side to_side, from_side;
  if (const auto error = side(to, p.dstPtr, p.dstPos, to_side); error != cudaSuccess) return error;
  if (const auto error = side(from, p.srcPtr, p.srcPos, from_side); error != cudaSuccess) return error;
  return submit(runtime, name, to_side, from_side, width, p.extent.height, p.extent.depth, p.kind, stream,
                wait);
}

}  // namespace simgpu::runtime

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* description, cudaArray_const_t handle) {
  return api("cudaGetChannelDesc", [&](Runtime&) -> cudaError_t {
    const Array* array = find_array(handle);
    if (description == nullptr) return cudaErrorInvalidValue;
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    *description = array->description;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocArray(cudaArray_t* handle, const cudaChannelFormatDesc* description, size_t width,
                            size_t height, unsigned int flags) {
  return api("cudaMallocArray", [&](Runtime& runtime) -> cudaError_t {
    if (handle == nullptr) return cudaErrorInvalidValue;
    if ((flags & (cudaArrayLayered | cudaArrayCubemap)) != 0) return cudaErrorInvalidValue;
    Array* array = nullptr;
    const auto error =
        make_array(runtime, "cudaMallocArray", description, {width, height, 0}, flags, false, &array);
    if (error == cudaSuccess) *handle = reinterpret_cast<cudaArray_t>(array);
    return error;
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* handle, const cudaChannelFormatDesc* description,
                              cudaExtent extent, unsigned int flags) {
  return api("cudaMalloc3DArray", [&](Runtime& runtime) -> cudaError_t {
    if (handle == nullptr) return cudaErrorInvalidValue;
    Array* array = nullptr;
    const auto error = make_array(runtime, "cudaMalloc3DArray", description, extent, flags, false, &array);
    if (error == cudaSuccess) *handle = reinterpret_cast<cudaArray_t>(array);
    return error;
  });
}

cudaError_t cudaFreeArray(cudaArray_t handle) {
  return api("cudaFreeArray", [&](Runtime& runtime) -> cudaError_t {
    if (handle == nullptr) return cudaSuccess;
    Array* array = find_array(handle);
    if (array == nullptr || array->level) return cudaErrorInvalidValue;
    runtime.wait_for_device();
    release(runtime, array);
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* description, cudaExtent* extent, unsigned int* flags,
                             cudaArray_t handle) {
  return api("cudaArrayGetInfo", [&](Runtime&) -> cudaError_t {
    const Array* array = find_array(handle);
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if (description != nullptr) *description = array->description;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* handle, const cudaChannelFormatDesc* description,
                                     cudaExtent extent, unsigned int levels, unsigned int flags) {
  return api("cudaMallocMipmappedArray", [&](Runtime& runtime) -> cudaError_t {
    if (handle == nullptr) return cudaErrorInvalidValue;
    const bool sliced = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    std::size_t largest = std::max(extent.width, extent.height);
    if (!sliced) largest = std::max(largest, extent.depth);
    unsigned most = 1;
    while (largest > 1) largest /= 2, ++most;
    levels = std::clamp(levels, 1u, most);
    auto made = std::make_unique<MipmappedArray>();
    for (unsigned l = 0; l < levels; ++l) {
      const auto halve = [&](std::size_t n) { return n == 0 ? 0 : std::max<std::size_t>(n >> l, 1); };
      const cudaExtent part{halve(extent.width), halve(extent.height),
                            sliced ? extent.depth : halve(extent.depth)};
      Array* array = nullptr;
      const auto error =
          make_array(runtime, "cudaMallocMipmappedArray", description, part, flags, true, &array);
      if (error != cudaSuccess) {
        for (Array* earlier : made->levels) release(runtime, earlier);
        return error;
      }
      made->levels.push_back(array);
    }
    *handle = reinterpret_cast<cudaMipmappedArray_t>(made.get());
    registry().mipmapped[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level_array, cudaMipmappedArray_const_t handle,
                                       unsigned int level) {
  return api("cudaGetMipmappedArrayLevel", [&](Runtime&) -> cudaError_t {
    const MipmappedArray* mipmapped = find_mipmapped_array(handle);
    if (mipmapped == nullptr) return cudaErrorInvalidResourceHandle;
    if (level_array == nullptr || level >= mipmapped->levels.size()) return cudaErrorInvalidValue;
    *level_array = reinterpret_cast<cudaArray_t>(mipmapped->levels[level]);
    return cudaSuccess;
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t handle) {
  return api("cudaFreeMipmappedArray", [&](Runtime& runtime) -> cudaError_t {
    if (handle == nullptr) return cudaSuccess;
    MipmappedArray* mipmapped = find_mipmapped_array(handle);
    if (mipmapped == nullptr) return cudaErrorInvalidValue;
    runtime.wait_for_device();
    for (Array* level : mipmapped->levels) release(runtime, level);
    registry().mipmapped.erase(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_2d("cudaMemcpy2DToArray", to, x, y, const_cast<void*>(from), pitch, width, height, kind,
                 nullptr, true, true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_2d("cudaMemcpy2DToArrayAsync", to, x, y, const_cast<void*>(from), pitch, width, height, kind,
                 stream, true, false);
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_2d("cudaMemcpy2DFromArray", from, x, y, to, pitch, width, height, kind, nullptr, false, true);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy_2d("cudaMemcpy2DFromArrayAsync", from, x, y, to, pitch, width, height, kind, stream, false,
                 false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return copy_between("cudaMemcpy2DArrayToArray", to, to_x, to_y, from, from_x, from_y, width, height, kind);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  return copy_run("cudaMemcpyToArray", to, x, y, const_cast<void*>(from), bytes, kind, nullptr, true, true);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_run("cudaMemcpyToArrayAsync", to, x, y, const_cast<void*>(from), bytes, kind, stream, true,
                  false);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return copy_run("cudaMemcpyFromArray", from, x, y, to, bytes, kind, nullptr, false, true);
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_run("cudaMemcpyFromArrayAsync", from, x, y, to, bytes, kind, stream, false, false);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes, cudaMemcpyKind kind) {
  return copy_between("cudaMemcpyArrayToArray", to, to_x, to_y, from, from_x, from_y, bytes, 1, kind);
}

}  // extern "C"
