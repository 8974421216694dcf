/// @file
/// cudaMemcpy and its kin.
#include "simgpu/runtime/copies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/arrays.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/place.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace simgpu::runtime {
namespace {

/// Bytes from the first to the last byte touched.
std::size_t extent(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch,
                   std::size_t slice) {
  return (depth - 1) * slice + (height - 1) * pitch + width;
}

const char* word(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return "cudaMemcpyHostToHost";
    case cudaMemcpyHostToDevice:
      return "cudaMemcpyHostToDevice";
    case cudaMemcpyDeviceToHost:
      return "cudaMemcpyDeviceToHost";
    case cudaMemcpyDeviceToDevice:
      return "cudaMemcpyDeviceToDevice";
    default:
      return "cudaMemcpyDefault";
  }
}

/// Whether @p place is what @p kind says of this side. Pinned and managed memory is both host's and device's.
bool suits(const Place& place, bool device_side) {
  if (place.pinned() || place.managed()) return true;
  return device_side ? place.on_device() : place.pageable();
}

cudaError_t check_side(Runtime& runtime, const char* name, const char* side, const Place& place,
                       cudaMemcpyKind kind, bool device_side) {
  if (!place.valid) {
    if (place.beyond > 0) {
      return runtime.explain(cudaErrorInvalidValue,
                             fmt::format("{}: the {} ends {} bytes beyond its allocation of {} bytes.", name,
                                         side, place.beyond, place.allocation->bytes));
    }
    if (place.allocation != nullptr) {
      return runtime.explain(cudaErrorInvalidValue,
                             fmt::format("{}: the {} has been freed already.", name, side));
    }
    return runtime.explain(cudaErrorInvalidValue,
                           fmt::format("{}: the {} is not an address of any allocation.", name, side));
  }
  // Host to host may name anything, as on hardware; so may cudaMemcpyDefault.
  if (kind == cudaMemcpyDefault || kind == cudaMemcpyHostToHost) return cudaSuccess;
  if (!suits(place, device_side)) {
    return runtime.explain(cudaErrorInvalidValue,
                           fmt::format("{}: {} says that the {} is {} memory, but it is {} memory. Are the "
                                       "arguments in the right order?",
                                       name, word(kind), side, device_side ? "device" : "host",
                                       device_side ? "host" : "device"));
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t copy(Runtime& runtime, const char* name, void* to_pointer, const void* from_pointer,
                 const CopyShape& shape, cudaMemcpyKind kind, Stream& stream, bool wait) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (shape.bytes() == 0) return cudaSuccess;
  if (shape.height > 1 && (shape.to_pitch < shape.width || shape.from_pitch < shape.width)) {
    return cudaErrorInvalidPitchValue;
  }
  const Place to = place(runtime, to_pointer,
                         extent(shape.width, shape.height, shape.depth, shape.to_pitch, shape.to_slice));
  const Place from =
      place(runtime, from_pointer,
            extent(shape.width, shape.height, shape.depth, shape.from_pitch, shape.from_slice));
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (const auto error = check_side(runtime, name, "destination", to, kind, to_device);
      error != cudaSuccess) {
    return error;
  }
  if (const auto error = check_side(runtime, name, "source", from, kind, from_device); error != cudaSuccess) {
    return error;
  }
  if (stream.capture != nullptr && wait) return spoil_on(cudaErrorStreamCaptureUnsupported, stream);
  return runtime.submit(stream, cudaGraphNodeTypeMemcpy,
                        queue::Copy{.call = queue::call_named(name),
                                    .to = {to.kind(), reinterpret_cast<std::uint64_t>(to_pointer)},
                                    .from = {from.kind(), reinterpret_cast<std::uint64_t>(from_pointer)},
                                    .shape = shape,
                                    .waits = wait});
}

}  // namespace simgpu::runtime

namespace {

CopyShape line(std::size_t bytes) {
  return {.width = bytes, .to_pitch = bytes, .from_pitch = bytes};
}

/// Plain or asynchronous copy of one run of bytes.
cudaError_t copy_line(const char* name, void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                      cudaStream_t handle, bool wait) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return copy(runtime, name, to, from, line(bytes), kind, *stream, wait);
  });
}

cudaError_t copy_rows(const char* name, void* to, std::size_t to_pitch, const void* from,
                      std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                      cudaStream_t handle, bool wait) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (width > to_pitch || width > from_pitch) {
      return runtime.explain(
          cudaErrorInvalidPitchValue,
          fmt::format(
              "{}: a row of {} bytes does not fit the {}'s pitch of {} bytes. Widths and pitches are in "
              "bytes, and a pitch is the way from one row to the next.",
              name, width, width > to_pitch ? "destination" : "source",
              width > to_pitch ? to_pitch : from_pitch));
    }
    const CopyShape shape{
        .width = width, .height = height, .depth = 1, .to_pitch = to_pitch, .from_pitch = from_pitch};
    return copy(runtime, name, to, from, shape, kind, *stream, wait);
  });
}

cudaError_t copy_box(const char* name, const cudaMemcpy3DParms* p, cudaStream_t handle, bool wait) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    if (p == nullptr) return cudaErrorInvalidValue;
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return simgpu::runtime::copy_box(runtime, name, *p, *stream, wait);
  });
}

/// Addresses tell the devices: the peer form is the plain one.
cudaMemcpy3DParms without_devices(const cudaMemcpy3DPeerParms& p) {
  cudaMemcpy3DParms plain{};
  plain.srcArray = p.srcArray, plain.srcPos = p.srcPos, plain.srcPtr = p.srcPtr;
  plain.dstArray = p.dstArray, plain.dstPos = p.dstPos, plain.dstPtr = p.dstPtr;
  plain.extent = p.extent;
  plain.kind = cudaMemcpyDeviceToDevice;
  return plain;
}

/// Whether attribute k is that of the copies from @p first [k] on, all of them covered.
bool sound(const cudaMemcpyAttributes* attributes, const std::size_t* first, std::size_t attribute_count,
           std::size_t count) {
  if (attributes == nullptr || first == nullptr || attribute_count == 0 || attribute_count > count ||
      first[0] != 0) {
    return false;
  }
  for (std::size_t i = 0; i < attribute_count; ++i) {
    if (attributes[i].srcAccessOrder <= cudaMemcpySrcAccessOrderInvalid ||
        attributes[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny || (i > 0 && first[i] <= first[i - 1])) {
      return false;
    }
  }
  return true;
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_line("cudaMemcpy", to, from, bytes, kind, nullptr, true);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy_line("cudaMemcpyAsync", to, from, bytes, kind, stream, false);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  if (!Runtime::get().valid_device(to_device) || !Runtime::get().valid_device(from_device)) {
    return api("cudaMemcpyPeer", [](Runtime&) { return cudaErrorInvalidDevice; });
  }
  return copy_line("cudaMemcpyPeer", to, from, bytes, cudaMemcpyDeviceToDevice, nullptr, true);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t handle) {
  return api("cudaMemcpyPeerAsync", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (!runtime.valid_device(to_device) || !runtime.valid_device(from_device)) return cudaErrorInvalidDevice;
    if (stream->capture != nullptr) return spoil_on(cudaErrorStreamCaptureUnsupported, *stream);
    return copy(runtime, "cudaMemcpyPeerAsync", to, from, line(bytes), cudaMemcpyDeviceToDevice, *stream,
                false);
  });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return copy_rows("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind, nullptr, true);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_rows("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind, stream, false);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return copy_box("cudaMemcpy3D", parameters, nullptr, true);
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return copy_box("cudaMemcpy3DAsync", parameters, stream, false);
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
  const cudaMemcpy3DParms plain = parameters != nullptr ? without_devices(*parameters) : cudaMemcpy3DParms{};
  return copy_box("cudaMemcpy3DPeer", parameters != nullptr ? &plain : nullptr, nullptr, true);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
  const cudaMemcpy3DParms plain = parameters != nullptr ? without_devices(*parameters) : cudaMemcpy3DParms{};
  return copy_box("cudaMemcpy3DPeerAsync", parameters != nullptr ? &plain : nullptr, stream, false);
}

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* bytes, size_t count,
                                 cudaMemcpyAttributes* attributes, size_t* first_of_attribute,
                                 size_t attribute_count, cudaStream_t handle) {
  return api("cudaMemcpyBatchAsync", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (to == nullptr || from == nullptr || bytes == nullptr || count == 0) return cudaErrorInvalidValue;
    if (stream->id == 0) {
      return runtime.explain(cudaErrorInvalidValue,
                             "cudaMemcpyBatchAsync does not take the legacy default stream.");
    }
    if (!sound(attributes, first_of_attribute, attribute_count, count) ||
        std::find(bytes, bytes + count, 0) != bytes + count) {
      return cudaErrorInvalidValue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const cudaError_t error = copy(runtime, "cudaMemcpyBatchAsync", to[i], from[i], line(bytes[i]),
                                     cudaMemcpyDefault, *stream, false);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
