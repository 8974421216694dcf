/// @file
/// Streams: creation, order, synchronisation, host functions.
#include <algorithm>
#include <memory>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/device_attributes.hpp"
#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/launch.hpp"
#include "simgpu/runtime/place.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

template <typename Body>
cudaError_t with_stream(const char* name, cudaStream_t handle, Body&& body) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return body(runtime, *stream);
  });
}

/// Nobody can wait for work that is only being captured.
cudaError_t refuse_wait(Runtime& runtime, Stream& stream) {
  if (stream.capture != nullptr) return spoil_on(cudaErrorStreamCaptureUnsupported, stream);
  if (const cudaError_t error = refuse_legacy(runtime, stream); error != cudaSuccess) return error;
  return refuse_unsafe(runtime);
}

/// Higher ones have smaller numbers.
int within_priorities(int priority) {
  return std::max(-5, std::min(0, priority));
}

bool is_stream_attribute(cudaLaunchAttributeID which) {
  return which == cudaLaunchAttributeAccessPolicyWindow ||
         which == cudaLaunchAttributeSynchronizationPolicy || which == cudaLaunchAttributePriority ||
         which == cudaLaunchAttributeMemSyncDomainMap || which == cudaLaunchAttributeMemSyncDomain;
}

bool sound(const Runtime& runtime, const cudaAccessPolicyWindow& window) {
  const int most = device_attribute(runtime, cudaDevAttrMaxAccessPolicyWindowSize, 0).value_or(0);
  return window.num_bytes <= static_cast<std::size_t>(most) && window.hitRatio >= 0 && window.hitRatio <= 1 &&
         window.missProp != cudaAccessPropertyPersisting;
}

/// Waiting for work of a capturing stream draws @p stream into the capture.
cudaError_t draw_into_capture(Stream& stream, const Event& event) {
  if (stream.id == 0) {
    event.capture->spoilt = true;
    return cudaErrorStreamCaptureImplicit;
  }
  if (event.capture->spoilt || is_spoilt(stream)) return cudaErrorStreamCaptureInvalidated;
  if (stream.capture == nullptr) {
    stream.capture = event.capture;
    stream.capture_tail.clear();
  } else if (stream.capture != event.capture) {
    event.capture->spoilt = true;
    return spoil_on(cudaErrorStreamCaptureMerge, stream);
  }
  stream.capture_tail.insert(stream.capture_tail.end(), event.capture_nodes.begin(),
                             event.capture_nodes.end());
  return cudaSuccess;
}

cudaError_t create(Runtime& runtime, cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) return cudaErrorInvalidValue;
  if (runtime.devices.empty()) return cudaErrorNoDevice;
  *stream = reinterpret_cast<cudaStream_t>(runtime.new_stream(flags, within_priorities(priority)));
  return cudaSuccess;
}

/// Runs @p work when the stream's earlier work is done: the host function finds everything as it should be.
cudaError_t call_host(Runtime& runtime, Stream& stream, std::function<void()> work) {
  const auto function = std::make_shared<HostFunction>(runtime, std::move(work));
  const cudaError_t error =
      runtime.submit(stream, cudaGraphNodeTypeHost, queue::Marker{.token = function->token()});
  if (stream.capture != nullptr && error == cudaSuccess)
    stream.capture->nodes.back().host_function = function;
  else if (!runtime.connection.idle())
    runtime.connection.in_order(stream.name(), [function] {});  // it lives until it has run
  return error;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return api("cudaStreamCreate",
             [&](Runtime& runtime) { return create(runtime, stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return api("cudaStreamCreateWithFlags",
             [&](Runtime& runtime) { return create(runtime, stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  return api("cudaStreamCreateWithPriority",
             [&](Runtime& runtime) { return create(runtime, stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api("cudaStreamDestroy", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = reinterpret_cast<Stream*>(handle);
    if (!runtime.streams.contains(stream)) {
      handle_missed(Handle::stream, stream);
      return cudaErrorInvalidResourceHandle;
    }
    if (stream->built_in) return cudaErrorInvalidResourceHandle;
    const bool lost = leave_capture(runtime, *stream);
    runtime.drop_stream(stream);
    if (!lost) return cudaSuccess;
    return runtime.explain(cudaSuccess,
                           "cudaStreamDestroy was given the stream with which a capture began: what has been "
                           "captured is lost. Call cudaStreamEndCapture first.");
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return with_stream("cudaStreamSynchronize", handle, [](Runtime& runtime, Stream& stream) -> cudaError_t {
    if (const cudaError_t error = refuse_wait(runtime, stream); error != cudaSuccess) return error;
    const cudaError_t error =
        runtime.tell(queue::Synchronise{.what = queue::Synchronise::What::stream, .id = stream.name()});
    runtime.shrink_pools();
    return error;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return with_stream("cudaStreamQuery", handle, [](Runtime& runtime, Stream& stream) -> cudaError_t {
    if (const cudaError_t error = refuse_wait(runtime, stream); error != cudaSuccess) return error;
    cudaError_t error = cudaSuccess;
    const auto ready = runtime.ask<queue::Ready>(
        queue::Query{.what = queue::Query::What::stream, .id = stream.name()}, error);
    return ready && !ready->value ? cudaErrorNotReady : error;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event_handle, unsigned int flags) {
  return with_stream("cudaStreamWaitEvent", handle, [&](Runtime& runtime, Stream& stream) -> cudaError_t {
    Event* event = runtime.event(event_handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags != cudaEventWaitDefault && flags != cudaEventWaitExternal) return cudaErrorInvalidValue;
    if (flags == cudaEventWaitExternal) {
      if (stream.capture == nullptr) return cudaErrorIllegalState;
      return add_event_node(stream, event_handle, /*records=*/false);
    }
    if (event->stale) return spoil_on(cudaErrorInvalidValue, stream);
    if (event->capture != nullptr) return draw_into_capture(stream, *event);
    if (!event->recorded) return cudaSuccess;
    // What is captured must not depend on what is not.
    if (stream.capture != nullptr) return spoil_on(cudaErrorStreamCaptureIsolation, stream);
    if (const cudaError_t error = refuse_legacy(runtime, stream); error != cudaSuccess) return error;
    return runtime.send(stream, queue::Wait{.event = event->id});
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags) {
  return with_stream("cudaStreamAddCallback", handle, [&](Runtime& runtime, Stream& stream) -> cudaError_t {
    if (callback == nullptr || flags != 0) return cudaErrorInvalidValue;
    if (stream.capture != nullptr) return spoil_on(cudaErrorStreamCaptureUnsupported, stream);
    return call_host(runtime, stream, [=] { callback(handle, cudaSuccess, data); });
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  return with_stream("cudaLaunchHostFunc", handle, [&](Runtime& runtime, Stream& stream) -> cudaError_t {
    if (function == nullptr) return cudaErrorInvalidValue;
    return call_host(runtime, stream, [=] { function(data); });
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return with_stream("cudaStreamGetPriority", handle, [&](Runtime&, Stream& stream) -> cudaError_t {
    if (priority == nullptr) return cudaErrorInvalidValue;
    *priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int* flags) {
  return with_stream("cudaStreamGetFlags", handle, [&](Runtime&, Stream& stream) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = stream.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return with_stream("cudaStreamGetId", handle, [&](Runtime&, Stream& stream) -> cudaError_t {
    if (id == nullptr) return cudaErrorInvalidValue;
    *id = stream.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return with_stream("cudaStreamGetDevice", handle, [&](Runtime&, Stream& stream) -> cudaError_t {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = stream.device;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return with_stream("cudaStreamCopyAttributes", to, [&](Runtime& runtime, Stream& stream) -> cudaError_t {
    const Stream* source = runtime.stream(from);
    if (source == nullptr) return cudaErrorInvalidResourceHandle;
    stream.attributes = source->attributes;
    stream.priority = source->priority;
    return cudaSuccess;
  });
}

// Stream attributes are access-policy windows and scheduling hints: they change no result. The model does not use them yet.
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID which,
                                   const cudaLaunchAttributeValue* value) {
  return with_stream("cudaStreamSetAttribute", handle, [&](Runtime& runtime, Stream& stream) -> cudaError_t {
    if (value == nullptr || !is_stream_attribute(which)) return cudaErrorInvalidValue;
    if (which == cudaLaunchAttributeAccessPolicyWindow && !sound(runtime, value->accessPolicyWindow)) {
      return cudaErrorInvalidValue;
    }
    if (which == cudaLaunchAttributeAccessPolicyWindow)
      runtime.tell(queue::Hold{window_of(value->accessPolicyWindow, queue::Window::SetBy::stream)});
    if (which == cudaLaunchAttributePriority) stream.priority = within_priorities(value->priority);
    stream.attributes[which] = *value;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID which,
                                   cudaLaunchAttributeValue* value) {
  return with_stream("cudaStreamGetAttribute", handle, [&](Runtime&, Stream& stream) -> cudaError_t {
    if (value == nullptr || !is_stream_attribute(which)) return cudaErrorInvalidValue;
    *value = cudaLaunchAttributeValue{};
    if (which == cudaLaunchAttributePriority) {
      value->priority = stream.priority;
    } else if (const auto it = stream.attributes.find(which); it != stream.attributes.end()) {
      *value = it->second;
    } else if (which == cudaLaunchAttributeSynchronizationPolicy) {
      value->syncPolicy = cudaSyncPolicyAuto;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* pointer, size_t bytes, unsigned int flags) {
  return with_stream("cudaStreamAttachMemAsync", handle, [&](Runtime& runtime, Stream&) -> cudaError_t {
    const Place where = place(runtime, pointer, 1);
    const bool whole = where.allocation != nullptr && (bytes == 0 || bytes == where.allocation->bytes);
    const bool known =
        flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    return where.valid && where.managed() && whole && known ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // extern "C"
