/// @file
/// Stream capture: work is put into a graph instead of being run.
#include "simgpu/runtime/capture.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/of_thread.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

/// Indices of nodes. @return false if one of them is not of @p graph.
bool places(const Graph& graph, const cudaGraphNode_t* nodes, std::size_t count,
            std::vector<std::size_t>& out) {
  if (nodes == nullptr && count > 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto it = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                 [&](const GraphNode& n) { return handle_of(n) == nodes[i] && !n.removed; });
    if (it == graph.nodes.end()) return false;
    out.push_back(static_cast<std::size_t>(it - graph.nodes.begin()));
  }
  return true;
}

/// What cudaThreadExchangeStreamCaptureMode() changes: how careful this thread must be about captures that it did not begin.
cudaStreamCaptureMode& mode_of_thread() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

cudaError_t begin(Runtime& runtime, cudaStream_t handle, std::shared_ptr<Graph> graph,
                  std::vector<std::size_t> tail, cudaStreamCaptureMode mode, bool given) {
  Stream* stream = runtime.stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->id == 0) return cudaErrorStreamCaptureUnsupported;  // the legacy default stream
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  graph->spoilt = false;
  graph->left_by_streams.clear();
  graph->given = given;
  graph->mode = mode;
  graph->thread = std::this_thread::get_id();
  stream->capture = std::move(graph);
  stream->capture_tail = std::move(tail);
  stream->capture_origin = true;
  return cudaSuccess;
}

/// @return whether all work that other streams added to the capture of @p origin comes before the end of @p origin.
bool joined(const Runtime& runtime, const Stream& origin) {
  const Graph& graph = *origin.capture;
  std::set<std::size_t> reached;
  std::vector<std::size_t> open = origin.capture_tail;
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (!reached.insert(node).second) continue;
    open.insert(open.end(), graph.nodes[node].after.begin(), graph.nodes[node].after.end());
  }
  const auto all_reached = [&](const std::vector<std::size_t>& nodes) {
    return std::all_of(nodes.begin(), nodes.end(), [&](std::size_t node) { return reached.contains(node); });
  };
  return all_reached(graph.left_by_streams) &&
         std::all_of(runtime.streams.begin(), runtime.streams.end(), [&](const Stream* stream) {
           return stream->capture != origin.capture || all_reached(stream->capture_tail);
         });
}

void end(Runtime& runtime, const std::shared_ptr<Graph>& captured) {
  for (Stream* stream : runtime.streams) {
    if (stream->capture != captured) continue;
    stream->capture = nullptr;
    stream->capture_tail.clear();
    stream->capture_origin = false;
  }
  for (Event* event : runtime.events) {
    if (event->capture != captured) continue;
    event->capture = nullptr;
    event->stale = true;
  }
}

cudaStreamCaptureStatus status_of(const Stream& stream) {
  if (stream.capture == nullptr) return cudaStreamCaptureStatusNone;
  return stream.capture->spoilt ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

}  // namespace

namespace simgpu::runtime {

cudaError_t refuse_unsafe(Runtime& runtime) {
  if (mode_of_thread() == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  bool refused = false;
  for (Stream* stream : runtime.streams) {
    if (stream->capture == nullptr || !stream->capture_origin) continue;
    Graph& graph = *stream->capture;
    const bool mine = graph.thread == std::this_thread::get_id();
    // A capture of mode global forbids it to every thread that has not agreed to look at its own captures only.
    const bool forbids = graph.mode == cudaStreamCaptureModeGlobal
                             ? mine || mode_of_thread() == cudaStreamCaptureModeGlobal
                             : graph.mode == cudaStreamCaptureModeThreadLocal && mine;
    if (!forbids) continue;
    graph.spoilt = refused = true;
  }
  return refused ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t refuse_legacy(Runtime& runtime, const Stream& stream, bool spoils) {
  if (stream.id != 0) return cudaSuccess;
  bool refused = false;
  for (Stream* other : runtime.streams) {
    if (other->capture == nullptr || other->device != stream.device ||
        (other->flags & cudaStreamNonBlocking) != 0)
      continue;
    refused = true;
    if (spoils) other->capture->spoilt = true;
  }
  return refused ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

bool spoil_captures_of_device(Runtime& runtime) {
  bool any = false;
  for (Stream* stream : runtime.streams) {
    if (stream->capture == nullptr || stream->device != runtime.current()) continue;
    stream->capture->spoilt = any = true;
  }
  return any;
}

cudaError_t spoil_on(cudaError_t error, Stream& stream) {
  if (error != cudaSuccess && stream.capture != nullptr) stream.capture->spoilt = true;
  return error;
}

bool leave_capture(Runtime& runtime, const Stream& stream) {
  const std::shared_ptr<Graph> captured = stream.capture;
  if (captured == nullptr) return false;
  if (stream.capture_origin) {
    end(runtime, captured);
    return true;
  }
  captured->left_by_streams.insert(captured->left_by_streams.end(), stream.capture_tail.begin(),
                                   stream.capture_tail.end());
  return false;
}

bool is_spoilt(const Stream& stream) {
  return stream.capture != nullptr && stream.capture->spoilt;
}

}  // namespace simgpu::runtime

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return api("cudaStreamBeginCapture", [&](Runtime& runtime) {
    return begin(runtime, handle, std::make_shared<Graph>(), {}, mode, /*given=*/false);
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                          size_t count, cudaStreamCaptureMode mode) {
  return api("cudaStreamBeginCaptureToGraph", [&](Runtime& runtime) -> cudaError_t {
    std::vector<std::size_t> tail;
    const auto into = find_graph(graph);
    if (into == nullptr || !places(*into, dependencies, count, tail)) return cudaErrorInvalidValue;
    return begin(runtime, handle, into, tail, mode, /*given=*/true);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return api("cudaStreamEndCapture", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture == nullptr) return graph == nullptr ? cudaErrorInvalidValue : cudaErrorIllegalState;
    if (!stream->capture_origin) return spoil_on(cudaErrorStreamCaptureUnmatched, *stream);
    const std::shared_ptr<Graph> captured = stream->capture;
    if (captured->mode != cudaStreamCaptureModeRelaxed && captured->thread != std::this_thread::get_id()) {
      return spoil_on(cudaErrorStreamCaptureWrongThread, *stream);
    }
    const cudaError_t error = captured->spoilt            ? cudaErrorStreamCaptureInvalidated
                              : !joined(runtime, *stream) ? cudaErrorStreamCaptureUnjoined
                                                          : cudaSuccess;
    end(runtime, captured);
    if (graph == nullptr) {
      // What was captured has nowhere to go, unless the program has the graph that it went to.
      return error == cudaSuccess && !captured->given ? cudaErrorInvalidValue : error;
    }
    if (error != cudaSuccess) {
      *graph = nullptr;
      return error;
    }
    *graph = publish(captured);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api("cudaStreamIsCapturing", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = refuse_legacy(runtime, *stream, /*spoils=*/false); error != cudaSuccess)
      return error;
    *status = status_of(*stream);
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api("cudaThreadExchangeStreamCaptureMode", [&](Runtime&) -> cudaError_t {
    if (mode == nullptr || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed) {
      return cudaErrorInvalidValue;
    }
    std::swap(*mode, mode_of_thread());
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return api("cudaStreamGetCaptureInfo", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = refuse_legacy(runtime, *stream, /*spoils=*/false); error != cudaSuccess)
      return error;
    *status = status_of(*stream);
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    // The lists stay valid until the next call of this thread.
    auto& nodes = of_thread<std::vector<cudaGraphNode_t>, Graph>();
    auto& data = of_thread<std::vector<cudaGraphEdgeData>, Graph>();
    nodes.clear();
    for (const std::size_t i : stream->capture_tail) nodes.push_back(handle_of(stream->capture->nodes[i]));
    data.assign(nodes.size(), cudaGraphEdgeData{});
    if (id != nullptr) *id = reinterpret_cast<unsigned long long>(stream->capture.get());
    if (graph != nullptr) *graph = publish(stream->capture);
    if (dependencies != nullptr) *dependencies = nodes.data();
    if (edges != nullptr) *edges = data.data();
    if (count != nullptr) *count = nodes.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, size_t count, unsigned int flags) {
  return api("cudaStreamUpdateCaptureDependencies", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->capture == nullptr) return cudaErrorIllegalState;
    std::vector<std::size_t> tail;
    if (!places(*stream->capture, nodes, count, tail)) return cudaErrorInvalidValue;
    if ((flags & cudaStreamSetCaptureDependencies) == 0) {
      tail.insert(tail.end(), stream->capture_tail.begin(), stream->capture_tail.end());
    }
    stream->capture_tail = std::move(tail);
    return cudaSuccess;
  });
}

}  // extern "C"
