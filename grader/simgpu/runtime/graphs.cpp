/// @file
/// Stream capture and graph launch. Nodes that are added by hand (cudaGraphAddKernelNode and so on) are not simulated yet.
#include "simgpu/runtime/graph.hpp"

#include <map>
#include <set>

#include "simgpu/runtime/api.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace simgpu::runtime {

std::size_t add_node(Graph& graph, cudaGraphNodeType type, std::function<cudaError_t(Stream&)> run,
                     std::vector<std::size_t> after) {
  graph.nodes.push_back({type, std::move(run), std::move(after)});
  return graph.nodes.size() - 1;
}

}  // namespace simgpu::runtime

namespace {

/// Live handles. A cudaGraph_t is a Graph held here; a cudaGraphExec_t a copy of one.
struct Handles {
  std::map<void*, std::shared_ptr<Graph>> graphs, instances;
};

Handles& handles() {
  static auto* const all = new Handles;  // like the runtime, outlives everything
  return *all;
}

std::shared_ptr<Graph> find(const std::map<void*, std::shared_ptr<Graph>>& among, const void* handle) {
  const auto it = among.find(const_cast<void*>(handle));
  return it == among.end() ? nullptr : it->second;
}

cudaGraph_t publish(std::shared_ptr<Graph> graph) {
  void* const handle = graph.get();
  handles().graphs[handle] = std::move(graph);
  return static_cast<cudaGraph_t>(handle);
}

cudaError_t instantiate(cudaGraphExec_t* instance, cudaGraph_t handle) {
  const auto graph = find(handles().graphs, handle);
  if (instance == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  auto copy = std::make_shared<Graph>(*graph);
  void* const made = copy.get();
  handles().instances[made] = std::move(copy);
  *instance = static_cast<cudaGraphExec_t>(made);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  return api("cudaStreamBeginCapture", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (handle == nullptr || handle == cudaStreamLegacy) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture != nullptr) return cudaErrorIllegalState;
    stream->capture = std::make_shared<Graph>();
    stream->capture_tail.clear();
    stream->capture_origin = true;
    return cudaSuccess;
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

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int) {
  return api("cudaGraphCreate", [&](Runtime&) -> cudaError_t {
    if (graph == nullptr) return cudaErrorInvalidValue;
    *graph = publish(std::make_shared<Graph>());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api("cudaGraphDestroy", [&](Runtime&) -> cudaError_t {
    return handles().graphs.erase(graph) != 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return api("cudaGraphGetNodes", [&](Runtime&) -> cudaError_t {
    const auto graph = find(handles().graphs, handle);
    if (graph == nullptr || count == nullptr) return cudaErrorInvalidValue;
    if (nodes != nullptr) {
      for (std::size_t i = 0; i < *count; ++i) {
        nodes[i] = i < graph->nodes.size() ? reinterpret_cast<cudaGraphNode_t>(&graph->nodes[i]) : nullptr;
      }
    }
    *count = graph->nodes.size();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long) {
  return api("cudaGraphInstantiate", [&](Runtime&) { return instantiate(instance, graph); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long) {
  return api("cudaGraphInstantiateWithFlags", [&](Runtime&) { return instantiate(instance, graph); });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t instance, cudaStream_t) {
  return api("cudaGraphUpload", [&](Runtime&) -> cudaError_t {
    return find(handles().instances, instance) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t handle) {
  return api("cudaGraphLaunch", [&](Runtime& runtime) -> cudaError_t {
    const auto graph = find(handles().instances, instance);
    Stream* stream = runtime.stream(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    for (const GraphNode& node : graph->nodes) {
      if (!node.run) continue;
      if (const cudaError_t error = node.run(*stream); error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
  return api("cudaGraphExecDestroy", [&](Runtime&) -> cudaError_t {
    return handles().instances.erase(instance) != 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // extern "C"
