/// @file
/// Events: marks on the modelled clock.
#include <string>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/graph.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

cudaError_t create(Runtime& runtime, cudaEvent_t* event, unsigned flags) {
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  const bool shared = (flags & cudaEventInterprocess) != 0, timed = (flags & cudaEventDisableTiming) == 0;
  if (event == nullptr || (flags & ~kKnown) != 0 || (shared && timed)) return cudaErrorInvalidValue;
  if (runtime.devices.empty()) return cudaErrorNoDevice;
  auto* made = new Event;
  made->device = runtime.current();
  made->flags = flags;
  made->id = ++runtime.events_made;
  runtime.events.insert(made);
  handle_made(Handle::event, made);
  *event = reinterpret_cast<cudaEvent_t>(made);
  return cudaSuccess;
}

Event* find(Runtime& runtime, cudaEvent_t handle) {
  return runtime.event(handle);
}

/// Nobody can wait for work that is only being captured.
cudaError_t refuse_wait(Runtime& runtime, const Event& event) {
  if (event.capture != nullptr) {
    event.capture->spoilt = true;
    return cudaErrorCapturedEvent;
  }
  return event.stale ? cudaErrorInvalidValue : refuse_unsafe(runtime);
}

cudaError_t record(Runtime& runtime, cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags) {
  Event* event = find(runtime, handle);
  Stream* stream = runtime.stream(stream_handle);
  if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (event->device != stream->device) return cudaErrorInvalidResourceHandle;
  if (flags != cudaEventRecordDefault && flags != cudaEventRecordExternal) return cudaErrorInvalidValue;
  if (flags == cudaEventRecordExternal) {
    if (stream->capture == nullptr) return cudaErrorIllegalState;
    return add_event_node(*stream, handle, /*records=*/true);
  }
  if (stream->capture == nullptr) {
    if (const cudaError_t error = refuse_legacy(runtime, *stream); error != cudaSuccess) return error;
  }
  if (is_spoilt(*stream)) return cudaErrorStreamCaptureInvalidated;
  event->stale = false;
  if (stream->capture != nullptr) {
    event->capture = stream->capture;
    event->capture_nodes = stream->capture_tail;
    return cudaSuccess;
  }
  event->capture = nullptr;
  event->recorded = true;
  return runtime.send(*stream, queue::Record{.event = event->id});
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return api("cudaEventCreate", [&](Runtime& runtime) { return create(runtime, event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return api("cudaEventCreateWithFlags", [&](Runtime& runtime) { return create(runtime, event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return api("cudaEventDestroy", [&](Runtime& runtime) -> cudaError_t {
    Event* event = find(runtime, handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->recorded) runtime.tell(queue::EventGone{event->id});
    runtime.events.erase(event);
    handle_destroyed(Handle::event, event);
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api("cudaEventRecord", [&](Runtime& runtime) { return record(runtime, event, stream, 0); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  return api("cudaEventRecordWithFlags",
             [&](Runtime& runtime) { return record(runtime, event, stream, flags); });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return api("cudaEventQuery", [&](Runtime& runtime) -> cudaError_t {
    Event* event = find(runtime, handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_wait(runtime, *event); error != cudaSuccess) return error;
    if (!event->recorded) return cudaSuccess;
    cudaError_t error = cudaSuccess;
    const auto ready =
        runtime.ask<queue::Ready>(queue::Query{.what = queue::Query::What::event, .id = event->id}, error);
    return ready && !ready->value ? cudaErrorNotReady : error;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return api("cudaEventSynchronize", [&](Runtime& runtime) -> cudaError_t {
    Event* event = find(runtime, handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t error = refuse_wait(runtime, *event); error != cudaSuccess) return error;
    const cudaError_t error =
        runtime.tell(queue::Synchronise{.what = queue::Synchronise::What::event, .id = event->id});
    if (error != cudaSuccess) return error;
    runtime.shrink_pools();
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin_handle, cudaEvent_t end_handle) {
  return api("cudaEventElapsedTime", [&](Runtime& runtime) -> cudaError_t {
    const Event* begin = find(runtime, begin_handle);
    const Event* end = find(runtime, end_handle);
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (begin == nullptr || end == nullptr || begin->device != end->device)
      return cudaErrorInvalidResourceHandle;
    if (!begin->recorded || !end->recorded) {
      return runtime.explain(cudaErrorInvalidResourceHandle,
                             std::string("cudaEventElapsedTime was given ") +
                                 (begin->recorded ? "a second" : "a first") +
                                 " event that was never recorded: record one before the work and one behind "
                                 "it (cudaEventRecord), and wait for the second.");
    }
    if (((begin->flags | end->flags) & cudaEventDisableTiming) != 0) {
      return runtime.explain(cudaErrorInvalidResourceHandle,
                             "cudaEventElapsedTime was given an event that takes no time: create it without "
                             "cudaEventDisableTiming.");
    }
    cudaError_t error = cudaSuccess;
    const auto passed = runtime.ask<queue::Seconds>(queue::Elapsed{begin->id, end->id}, error);
    if (passed) *milliseconds = static_cast<float>(passed->value * 1e3);
    return error;
  });
}

}  // extern "C"
