/// @file
/// cudaMemset and its kin.
#include <fmt/format.h>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/copies.hpp"
#include "simgpu/runtime/place.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

struct FillShape {
  std::size_t width = 0, height = 1, depth = 1, pitch = 0, slice = 0;
};

cudaError_t fill(const char* name, void* pointer, int value, const FillShape& shape, cudaStream_t handle) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (shape.width * shape.height * shape.depth == 0) return cudaSuccess;
    if (shape.height > 1 && shape.width > shape.pitch) {
      return runtime.explain(cudaErrorInvalidValue,
                             fmt::format("{}: rows of {} bytes do not fit a pitch of {} bytes.", name,
                                         shape.width, shape.pitch));
    }
    const std::size_t touched =
        (shape.depth - 1) * shape.slice + (shape.height - 1) * shape.pitch + shape.width;
    const Place where = place(runtime, pointer, touched);
    if (where.pageable()) {
      return runtime.explain(
          cudaErrorInvalidValue,
          fmt::format("{} was given a host address; for host memory use std::memset.", name));
    }
    if (!where.valid) {
      return runtime.explain(
          cudaErrorInvalidValue,
          where.beyond > 0 ? fmt::format("{}: the range ends {} bytes beyond its allocation of {} bytes.",
                                         name, where.beyond, where.allocation->bytes)
                           : fmt::format("{}: the memory has been freed already.", name));
    }
    return runtime.submit(*stream, cudaGraphNodeTypeMemset,
                          queue::Set{.unit = 1,
                                     .value = static_cast<unsigned char>(value),
                                     .call = queue::call_named(name),
                                     .address = reinterpret_cast<std::uint64_t>(pointer),
                                     .shape = {.width = shape.width,
                                               .height = shape.height,
                                               .depth = shape.depth,
                                               .to_pitch = shape.pitch,
                                               .to_slice = shape.slice}});
  });
}

FillShape box(const cudaPitchedPtr& pointer, const cudaExtent& extent) {
  return {extent.width, extent.height, extent.depth, pointer.pitch, pointer.pitch * pointer.ysize};
}

}  // namespace

extern "C" {

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return fill("cudaMemset", pointer, value, {.width = bytes}, nullptr);
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return fill("cudaMemsetAsync", pointer, value, {.width = bytes}, stream);
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return fill("cudaMemset2D", pointer, value, {.width = width, .height = height, .pitch = pitch}, nullptr);
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fill("cudaMemset2DAsync", pointer, value, {.width = width, .height = height, .pitch = pitch},
              stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return fill("cudaMemset3D", pointer.ptr, value, box(pointer, extent), nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent, cudaStream_t stream) {
  return fill("cudaMemset3DAsync", pointer.ptr, value, box(pointer, extent), stream);
}

}  // extern "C"
