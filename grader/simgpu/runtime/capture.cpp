/// @file
/// Stream capture: work is put into a graph instead of being run.
#include <algorithm>
#include <utility>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/graph.hpp"

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

cudaError_t begin(Runtime& runtime, cudaStream_t handle, std::shared_ptr<Graph> graph,
                  std::vector<std::size_t> tail) {
  Stream* stream = runtime.stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (handle == nullptr || handle == cudaStreamLegacy) return cudaErrorStreamCaptureUnsupported;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  stream->capture = std::move(graph);
  stream->capture_tail = std::move(tail);
  stream->capture_origin = true;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  return api("cudaStreamBeginCapture",
             [&](Runtime& runtime) { return begin(runtime, handle, std::make_shared<Graph>(), {}); });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*,
                                          size_t count, cudaStreamCaptureMode) {
  return api("cudaStreamBeginCaptureToGraph", [&](Runtime& runtime) -> cudaError_t {
    std::vector<std::size_t> tail;
    const auto into = find_graph(graph);
    if (into == nullptr || !places(*into, dependencies, count, tail)) return cudaErrorInvalidValue;
    return begin(runtime, handle, into, tail);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return api("cudaStreamEndCapture", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (graph == nullptr) return cudaErrorInvalidValue;
    if (stream->capture == nullptr) return cudaErrorIllegalState;
    if (!stream->capture_origin) return cudaErrorStreamCaptureUnmatched;
    const std::shared_ptr<Graph> captured = stream->capture;
    for (Stream* other : runtime.streams) {
      if (other->capture == captured) {
        other->capture = nullptr;
        other->capture_tail.clear();
        other->capture_origin = false;
      }
    }
    for (Event* event : runtime.events) {
      if (event->capture == captured) event->capture = nullptr;
    }
    *graph = publish(captured);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api("cudaStreamIsCapturing", [&](Runtime& runtime) -> cudaError_t {
    const Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (status == nullptr) return cudaErrorInvalidValue;
    *status = stream->capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api("cudaThreadExchangeStreamCaptureMode", [&](Runtime&) -> cudaError_t {
    thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    if (mode == nullptr) return cudaErrorInvalidValue;
    std::swap(*mode, current);
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
    *status = stream->capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (stream->capture == nullptr) return cudaSuccess;
    // The lists stay valid until the next call of this thread.
    thread_local std::vector<cudaGraphNode_t> nodes;
    thread_local std::vector<cudaGraphEdgeData> data;
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
