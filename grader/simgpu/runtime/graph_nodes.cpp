/// @file
/// Nodes added to graphs by hand, asked about and changed.
#include <algorithm>
#include <cstring>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/arrays.hpp"
#include "simgpu/runtime/conditional.hpp"
#include "simgpu/runtime/copies.hpp"
#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/graph_memory.hpp"
#include "simgpu/runtime/launch.hpp"
#include "simgpu/runtime/place.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

/// Does what @p body submits to a stream that only records, and @return the error; @p node receives the recorded node.
template <typename Body>
cudaError_t record(Runtime& runtime, GraphNode& node, Body&& body) {
  Stream scratch;
  scratch.device = runtime.current();
  scratch.capture = std::make_shared<Graph>();
  runtime.streams.insert(&scratch);
  const cudaError_t error = body(scratch);
  runtime.streams.erase(&scratch);
  if (error != cudaSuccess) return error;
  if (scratch.capture->nodes.empty()) {  // a copy of nothing
    node.work.reset();
    return cudaSuccess;
  }
  GraphNode& made = scratch.capture->nodes.back();
  node.work = std::move(made.work);
  node.kernel = std::move(made.kernel);
  return cudaSuccess;
}

cudaStream_t handle_of_stream(Stream& stream) {
  return reinterpret_cast<cudaStream_t>(&stream);
}

// --- What makes a node of each type. Each fills in `type`, `work` and what can be asked about later. ---

/// @param before the node as it was, whose attributes stay; nullptr for a new one.
cudaError_t make_kernel(Runtime& runtime, GraphNode& node, const cudaKernelNodeParams* p,
                        const KernelDetail* before = nullptr) {
  if (p == nullptr) return cudaErrorInvalidValue;
  if (p->kernelParams == nullptr && p->extra != nullptr) {
    runtime.note_unsupported("kernel nodes with packed arguments (extra)");
    return cudaErrorNotSupported;
  }
  KernelEntry* entry = runtime.kernel(p->func);
  if (entry == nullptr)
    return p->func == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
  node.type = cudaGraphNodeTypeKernel;
  return record(runtime, node, [&](Stream& stream) {
    LaunchRequest request{
        .grid = p->gridDim, .block = p->blockDim, .cluster = {}, .dynamic_shared = p->sharedMemBytes};
    request.function = p->func;
    if (before != nullptr) {
      request.cluster = before->cluster;
      request.cooperative = before->cooperative;
      request.hints = before->hints;
    }
    return launch(runtime, *entry, request, p->kernelParams, stream);
  });
}

/// The same kernel node with another request.
cudaError_t make_kernel_again(Runtime& runtime, GraphNode& node, const KernelDetail& detail) {
  node.type = cudaGraphNodeTypeKernel;
  std::vector<void*> arguments = detail.pointers;
  return record(runtime, node, [&](Stream& stream) {
    return launch(runtime, *detail.entry,
                  {.grid = detail.grid,
                   .block = detail.block,
                   .cluster = detail.cluster,
                   .dynamic_shared = detail.dynamic_shared,
                   .cooperative = detail.cooperative,
                   .hints = detail.hints,
                   .function = detail.function},
                  arguments.data(), stream);
  });
}

cudaError_t make_copy(Runtime& runtime, GraphNode& node, const cudaMemcpy3DParms* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  node.type = cudaGraphNodeTypeMemcpy;
  node.copy = *p;
  return record(runtime, node, [&](Stream& stream) {
    return copy_box(runtime, "cudaGraphAddMemcpyNode", *p, stream, false);
  });
}

cudaError_t make_copy_1d(Runtime& runtime, GraphNode& node, void* to, const void* from, std::size_t bytes,
                         cudaMemcpyKind kind) {
  if (bytes == 0) return cudaErrorInvalidValue;
  node.type = cudaGraphNodeTypeMemcpy;
  node.copy = {};
  node.copy.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  node.copy.dstPtr = {to, bytes, bytes, 1};
  node.copy.extent = {bytes, 1, 1};
  node.copy.kind = kind;
  return record(runtime, node, [&](Stream& stream) {
    return copy(runtime, "cudaGraphAddMemcpyNode1D", to, from,
                {.width = bytes, .to_pitch = bytes, .from_pitch = bytes}, kind, stream, false);
  });
}

cudaError_t make_copy_symbol(Runtime& runtime, GraphNode& node, const void* symbol, void* to,
                             const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  node.type = cudaGraphNodeTypeMemcpy;
  return record(runtime, node, [&](Stream& stream) {
    return to != nullptr
               ? cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, handle_of_stream(stream))
               : cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, handle_of_stream(stream));
  });
}

cudaError_t make_fill(Runtime& runtime, GraphNode& node, const cudaMemsetParams* given) {
  if (given == nullptr) return cudaErrorInvalidValue;
  const cudaMemsetParams p = *given;
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) return cudaErrorInvalidValue;
  const std::size_t row = p.width * p.elementSize, rows = std::max<std::size_t>(p.height, 1);
  if (rows > 1 && p.pitch < row) return cudaErrorInvalidPitchValue;
  const Place where = place(runtime, p.dst, row == 0 ? 0 : (rows - 1) * p.pitch + row);
  if (where.pageable() || !where.valid) {
    return runtime.explain(
        cudaErrorInvalidValue,
        "cudaGraphAddMemsetNode: the range is not within one live allocation of the device's.");
  }
  node.type = cudaGraphNodeTypeMemset;
  node.fill = p;
  const std::uint32_t most = p.elementSize == 4 ? ~0u : (1u << (8 * p.elementSize)) - 1;
  node.work = queue::Set{.unit = p.elementSize,
                         .value = p.value & most,
                         .call = queue::call_named("a memset node"),
                         .address = reinterpret_cast<std::uint64_t>(p.dst),
                         .shape = {.width = row, .height = rows, .to_pitch = p.pitch}};
  return cudaSuccess;
}

cudaError_t make_host(Runtime& runtime, GraphNode& node, const cudaHostNodeParams* p) {
  if (p == nullptr || p->fn == nullptr) return cudaErrorInvalidValue;
  node.type = cudaGraphNodeTypeHost;
  node.host = *p;
  node.host_function =
      std::make_shared<HostFunction>(runtime, [function = p->fn, data = p->userData] { function(data); });
  node.work = queue::Marker{.token = node.host_function->token()};
  return cudaSuccess;
}

cudaError_t make_child(Runtime&, GraphNode& node, cudaGraph_t graph) {
  const auto child = find_graph(graph);
  if (child == nullptr || has_conditionals(*child)) return cudaErrorInvalidValue;
  node.type = cudaGraphNodeTypeGraph;
  node.child = copy_of(*child, true);
  return cudaSuccess;
}

cudaError_t make_event(Runtime& runtime, GraphNode& node, cudaEvent_t event, bool records) {
  if (runtime.event(event) == nullptr) return cudaErrorInvalidValue;
  node.type = records ? cudaGraphNodeTypeEventRecord : cudaGraphNodeTypeWaitEvent;
  node.event = event;
  return cudaSuccess;
}

}  // namespace

cudaError_t simgpu::runtime::add_event_node(Stream& stream, cudaEvent_t event, bool records) {
  if (stream.capture->spoilt) return cudaErrorStreamCaptureInvalidated;
  GraphNode made;
  if (const cudaError_t error = make_event(Runtime::get(), made, event, records); error != cudaSuccess)
    return error;
  Graph& graph = *stream.capture;
  const std::size_t index = add_node(graph, made.type, {}, stream.capture_tail);
  graph.nodes[index].event = event;
  stream.capture_tail = {index};
  return cudaSuccess;
}

namespace {

cudaError_t make_allocation(Runtime& runtime, GraphNode& node, cudaMemAllocNodeParams* p) {
  if (p == nullptr || p->bytesize == 0) return cudaErrorInvalidValue;
  if (p->poolProps.location.type != cudaMemLocationTypeDevice ||
      !runtime.valid_device(p->poolProps.location.id)) {
    return cudaErrorInvalidValue;
  }
  const auto memory = allocate_for_graph(runtime, p->bytesize, p->poolProps.location.id);
  if (memory == nullptr) return cudaErrorMemoryAllocation;
  p->dptr = memory->pointer();
  make_allocation_node(node, memory);
  node.allocation_parameters = *p;
  return cudaSuccess;
}

cudaError_t make_free(Runtime& runtime, GraphNode& node, void* pointer) {
  const auto memory = graph_memory_at(runtime, pointer);
  if (memory == nullptr) return cudaErrorInvalidValue;
  make_free_node(node, memory);
  return cudaSuccess;
}

bool is_plain(const cudaGraphEdgeData& edge) {
  return edge.type == cudaGraphDependencyTypeDefault && edge.from_port == cudaGraphKernelNodePortDefault &&
         edge.to_port == 0;
}

cudaError_t refuse_stranger(Runtime& runtime, const char* name) {
  return runtime.explain(
      cudaErrorInvalidValue,
      std::string(name) +
          " was given a node of another graph: edges join nodes of one. Add the node to this "
          "graph, or the other graph as a whole (cudaGraphAddChildGraphNode).");
}

/// Adds a node that @p make fills in.
/// @param edges one for each dependency, or nullptr: all plain.
template <typename Make>
cudaError_t add(const char* name, cudaGraphNode_t* out, cudaGraph_t handle,
                const cudaGraphNode_t* dependencies, std::size_t count, Make&& make,
                const cudaGraphEdgeData* edges = nullptr) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (out == nullptr || graph == nullptr || (count > 0 && dependencies == nullptr))
      return cudaErrorInvalidValue;
    std::vector<std::size_t> after;
    GraphNode made;
    for (std::size_t i = 0; i < count; ++i) {
      const NodePlace before = find_node(dependencies[i]);
      if (!before) return cudaErrorInvalidValue;
      if (before.graph != graph) return refuse_stranger(runtime, name);
      after.push_back(before.index);
      if (edges != nullptr && !is_plain(edges[i])) made.edges[before.index] = edges[i];
    }
    if (const cudaError_t error = make(runtime, made); error != cudaSuccess) return error;
    GraphNode& node = graph->nodes[add_node(*graph, made.type, {}, std::move(after))];
    made.after = node.after;
    made.id = node.id;
    node = std::move(made);
    *out = handle_of(node);
    return cudaSuccess;
  });
}

/// Makes a node anew, in a graph or an instance.
template <typename Make>
cudaError_t change(const char* name, NodePlace (*find)(cudaGraphExec_t, cudaGraphNode_t),
                   cudaGraphExec_t instance, cudaGraphNode_t handle, cudaGraphNodeType type, Make&& make) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    const NodePlace at = find(instance, handle);
    if (!at || at->type != type) return cudaErrorInvalidValue;
    GraphNode made;
    if (const cudaError_t error = make(runtime, made); error != cudaSuccess) return error;
    GraphNode& node = at.graph->nodes[at.index];
    made.after = node.after;
    made.edges = node.edges;
    made.id = node.id;
    made.origin = node.origin;
    made.enabled = node.enabled;
    node = std::move(made);
    return cudaSuccess;
  });
}

NodePlace in_graph(cudaGraphExec_t, cudaGraphNode_t node) {
  return find_node(node);
}
NodePlace in_instance(cudaGraphExec_t instance, cudaGraphNode_t node) {
  return find_node(instance, node);
}

template <typename Body>
cudaError_t ask(const char* name, cudaGraphNode_t handle, cudaGraphNodeType type, Body&& body) {
  return api(name, [&](Runtime&) -> cudaError_t {
    const NodePlace at = find_node(handle);
    if (!at || at->type != type) return cudaErrorInvalidValue;
    return body(at.graph->nodes[at.index]);
  });
}

cudaKernelNodeParams plain(const cudaKernelNodeParamsV2& p) {
  return {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
}
cudaMemsetParams plain(const cudaMemsetParamsV2& p) {
  return {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
}

/// Any node, by the general parameters.
cudaError_t make_any(Runtime& runtime, GraphNode& node, cudaGraphNodeParams* p) {
  if (p == nullptr) return cudaErrorInvalidValue;
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams kernel = plain(p->kernel);
      return make_kernel(runtime, node, &kernel);
    }
    case cudaGraphNodeTypeMemcpy:
      return make_copy(runtime, node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams fill = plain(p->memset);
      return make_fill(runtime, node, &fill);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{p->host.fn, p->host.userData};
      return make_host(runtime, node, &host);
    }
    case cudaGraphNodeTypeGraph:
      return make_child(runtime, node, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
      node.type = cudaGraphNodeTypeEmpty;
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      return make_event(runtime, node, p->eventWait.event, false);
    case cudaGraphNodeTypeEventRecord:
      return make_event(runtime, node, p->eventRecord.event, true);
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams allocation{};
      allocation.bytesize = p->alloc.bytesize;
      allocation.poolProps = p->alloc.poolProps;
      const cudaError_t error = make_allocation(runtime, node, &allocation);
      p->alloc.dptr = allocation.dptr;
      return error;
    }
    case cudaGraphNodeTypeMemFree:
      return make_free(runtime, node, p->free.dptr);
    case cudaGraphNodeTypeConditional:
      return make_conditional(node, p->conditional);
    default:
      runtime.note_unsupported("cudaGraphAddNode of nodes for external semaphores");
      return cudaErrorNotSupported;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* parameters) {
  return add("cudaGraphAddKernelNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_kernel(r, n, parameters); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* parameters) {
  return add("cudaGraphAddMemcpyNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_copy(r, n, parameters); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNode1D", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_copy_1d(r, n, to, from, bytes, kind); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count,
                                           const void* symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNodeToSymbol", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) {
               return make_copy_symbol(r, n, symbol, nullptr, from, bytes, offset, kind);
             });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count, void* to,
                                             const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
  return add("cudaGraphAddMemcpyNodeFromSymbol", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) {
               return make_copy_symbol(r, n, symbol, to, nullptr, bytes, offset, kind);
             });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* parameters) {
  return add("cudaGraphAddMemsetNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_fill(r, n, parameters); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* parameters) {
  return add("cudaGraphAddHostNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_host(r, n, parameters); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t count, cudaGraph_t child) {
  return add("cudaGraphAddChildGraphNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_child(r, n, child); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count) {
  return add("cudaGraphAddEmptyNode", node, graph, dependencies, count,
             [](Runtime&, GraphNode&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t count,
                                        cudaEvent_t event) {
  return add("cudaGraphAddEventRecordNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_event(r, n, event, true); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event) {
  return add("cudaGraphAddEventWaitNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_event(r, n, event, false); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     cudaMemAllocNodeParams* parameters) {
  return add("cudaGraphAddMemAllocNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_allocation(r, n, parameters); });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t count, void* pointer) {
  return add("cudaGraphAddMemFreeNode", node, graph, dependencies, count,
             [&](Runtime& r, GraphNode& n) { return make_free(r, n, pointer); });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* parameters) {
  return add(
      "cudaGraphAddNode", node, graph, dependencies, count,
      [&](Runtime& r, GraphNode& n) { return make_any(r, n, parameters); }, edges);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return change(
      "cudaGraphKernelNodeSetParams", in_graph, nullptr, node, cudaGraphNodeTypeKernel,
      [&](Runtime& r, GraphNode& n) { return make_kernel(r, n, parameters, find_node(node)->kernel.get()); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return change("cudaGraphExecKernelNodeSetParams", in_instance, instance, node, cudaGraphNodeTypeKernel,
                [&](Runtime& r, GraphNode& n) {
                  return make_kernel(r, n, parameters, find_node(instance, node)->kernel.get());
                });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
  return change("cudaGraphMemcpyNodeSetParams", in_graph, nullptr, node, cudaGraphNodeTypeMemcpy,
                [&](Runtime& r, GraphNode& n) { return make_copy(r, n, parameters); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return change("cudaGraphExecMemcpyNodeSetParams", in_instance, instance, node, cudaGraphNodeTypeMemcpy,
                [&](Runtime& r, GraphNode& n) { return make_copy(r, n, parameters); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return change("cudaGraphMemcpyNodeSetParams1D", in_graph, nullptr, node, cudaGraphNodeTypeMemcpy,
                [&](Runtime& r, GraphNode& n) { return make_copy_1d(r, n, to, from, bytes, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t instance, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes, cudaMemcpyKind kind) {
  return change("cudaGraphExecMemcpyNodeSetParams1D", in_instance, instance, node, cudaGraphNodeTypeMemcpy,
                [&](Runtime& r, GraphNode& n) -> cudaError_t {
                  // An instance's copy cannot turn into one between other kinds of memory.
                  if (find_node(instance, node)->copy.kind != kind) return cudaErrorInvalidValue;
                  return make_copy_1d(r, n, to, from, bytes, kind);
                });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return change("cudaGraphMemsetNodeSetParams", in_graph, nullptr, node, cudaGraphNodeTypeMemset,
                [&](Runtime& r, GraphNode& n) { return make_fill(r, n, parameters); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return change("cudaGraphExecMemsetNodeSetParams", in_instance, instance, node, cudaGraphNodeTypeMemset,
                [&](Runtime& r, GraphNode& n) { return make_fill(r, n, parameters); });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return change("cudaGraphHostNodeSetParams", in_graph, nullptr, node, cudaGraphNodeTypeHost,
                [&](Runtime& r, GraphNode& n) { return make_host(r, n, parameters); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return change("cudaGraphExecHostNodeSetParams", in_instance, instance, node, cudaGraphNodeTypeHost,
                [&](Runtime& r, GraphNode& n) { return make_host(r, n, parameters); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return change("cudaGraphExecChildGraphNodeSetParams", in_instance, instance, node, cudaGraphNodeTypeGraph,
                [&](Runtime& r, GraphNode& n) { return make_child(r, n, child); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
  return change("cudaGraphNodeSetParams", in_graph, nullptr, node,
                parameters != nullptr ? parameters->type : cudaGraphNodeTypeEmpty,
                [&](Runtime& r, GraphNode& n) { return make_any(r, n, parameters); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t instance, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
  return change("cudaGraphExecNodeSetParams", in_instance, instance, node,
                parameters != nullptr ? parameters->type : cudaGraphNodeTypeEmpty,
                [&](Runtime& r, GraphNode& n) { return make_any(r, n, parameters); });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return ask("cudaGraphKernelNodeGetParams", node, cudaGraphNodeTypeKernel, [&](GraphNode& n) -> cudaError_t {
    if (parameters == nullptr || n.kernel == nullptr) return cudaErrorInvalidValue;
    *parameters = {const_cast<void*>(n.kernel->function),
                   n.kernel->grid,
                   n.kernel->block,
                   static_cast<unsigned>(n.kernel->dynamic_shared),
                   n.kernel->pointers.data(),
                   nullptr};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return ask("cudaGraphMemcpyNodeGetParams", node, cudaGraphNodeTypeMemcpy, [&](GraphNode& n) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *parameters = n.copy;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return ask("cudaGraphMemsetNodeGetParams", node, cudaGraphNodeTypeMemset, [&](GraphNode& n) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *parameters = n.fill;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return ask("cudaGraphHostNodeGetParams", node, cudaGraphNodeTypeHost, [&](GraphNode& n) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    *parameters = n.host;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters) {
  return ask("cudaGraphMemAllocNodeGetParams", node, cudaGraphNodeTypeMemAlloc,
             [&](GraphNode& n) -> cudaError_t {
               if (parameters == nullptr) return cudaErrorInvalidValue;
               *parameters = n.allocation_parameters;
               return cudaSuccess;
             });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* out) {
  return ask("cudaGraphMemFreeNodeGetParams", node, cudaGraphNodeTypeMemFree,
             [&](GraphNode& n) -> cudaError_t {
               if (out == nullptr) return cudaErrorInvalidValue;
               *static_cast<void**>(out) = n.memory->pointer();
               return cudaSuccess;
             });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return ask("cudaGraphEventRecordNodeGetEvent", node, cudaGraphNodeTypeEventRecord,
             [&](GraphNode& n) -> cudaError_t {
               if (event == nullptr) return cudaErrorInvalidValue;
               *event = n.event;
               return cudaSuccess;
             });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return ask("cudaGraphEventWaitNodeGetEvent", node, cudaGraphNodeTypeWaitEvent,
             [&](GraphNode& n) -> cudaError_t {
               if (event == nullptr) return cudaErrorInvalidValue;
               *event = n.event;
               return cudaSuccess;
             });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change("cudaGraphEventRecordNodeSetEvent", in_graph, nullptr, node, cudaGraphNodeTypeEventRecord,
                [&](Runtime& r, GraphNode& n) { return make_event(r, n, event, true); });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change("cudaGraphEventWaitNodeSetEvent", in_graph, nullptr, node, cudaGraphNodeTypeWaitEvent,
                [&](Runtime& r, GraphNode& n) { return make_event(r, n, event, false); });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t instance, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return change("cudaGraphExecEventRecordNodeSetEvent", in_instance, instance, node,
                cudaGraphNodeTypeEventRecord,
                [&](Runtime& r, GraphNode& n) { return make_event(r, n, event, true); });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t instance, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return change("cudaGraphExecEventWaitNodeSetEvent", in_instance, instance, node, cudaGraphNodeTypeWaitEvent,
                [&](Runtime& r, GraphNode& n) { return make_event(r, n, event, false); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return change("cudaGraphMemcpyNodeSetParamsToSymbol", in_graph, nullptr, node, cudaGraphNodeTypeMemcpy,
                [&](Runtime& r, GraphNode& n) {
                  return make_copy_symbol(r, n, symbol, nullptr, from, bytes, offset, kind);
                });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return change("cudaGraphMemcpyNodeSetParamsFromSymbol", in_graph, nullptr, node, cudaGraphNodeTypeMemcpy,
                [&](Runtime& r, GraphNode& n) {
                  return make_copy_symbol(r, n, symbol, to, nullptr, bytes, offset, kind);
                });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t instance, cudaGraphNode_t node,
                                                     const void* symbol, const void* from, size_t bytes,
                                                     size_t offset, cudaMemcpyKind kind) {
  return change("cudaGraphExecMemcpyNodeSetParamsToSymbol", in_instance, instance, node,
                cudaGraphNodeTypeMemcpy, [&](Runtime& r, GraphNode& n) {
                  return make_copy_symbol(r, n, symbol, nullptr, from, bytes, offset, kind);
                });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t instance, cudaGraphNode_t node,
                                                       void* to, const void* symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
  return change("cudaGraphExecMemcpyNodeSetParamsFromSymbol", in_instance, instance, node,
                cudaGraphNodeTypeMemcpy, [&](Runtime& r, GraphNode& n) {
                  return make_copy_symbol(r, n, symbol, to, nullptr, bytes, offset, kind);
                });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID which,
                                            cudaLaunchAttributeValue* value) {
  return ask("cudaGraphKernelNodeGetAttribute", node, cudaGraphNodeTypeKernel,
             [&](GraphNode& n) -> cudaError_t {
               if (value == nullptr || n.kernel == nullptr) return cudaErrorInvalidValue;
               const KernelDetail& kernel = *n.kernel;
               *value = cudaLaunchAttributeValue{};
               if (which == cudaLaunchAttributeCooperative) {
                 value->cooperative = kernel.cooperative ? 1 : 0;
               } else if (which == cudaLaunchAttributeClusterDimension) {
                 if (kernel.cluster)
                   value->clusterDim = {kernel.cluster->x, kernel.cluster->y, kernel.cluster->z};
               } else if (const auto it = kernel.hints.find(which); it != kernel.hints.end()) {
                 *value = it->second;
               }
               return cudaSuccess;
             });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID which,
                                            const cudaLaunchAttributeValue* value) {
  return change("cudaGraphKernelNodeSetAttribute", in_graph, nullptr, node, cudaGraphNodeTypeKernel,
                [&](Runtime& r, GraphNode& n) -> cudaError_t {
                  const NodePlace at = find_node(node);
                  if (value == nullptr || at->kernel == nullptr) return cudaErrorInvalidValue;
                  KernelDetail detail = *at->kernel;
                  if (which == cudaLaunchAttributeCooperative) {
                    detail.cooperative = value->cooperative != 0;
                  } else if (which == cudaLaunchAttributeClusterDimension) {
                    detail.cluster = dim3(value->clusterDim.x, value->clusterDim.y, value->clusterDim.z);
                  } else {
                    detail.hints[which] = *value;
                  }
                  return make_kernel_again(r, n, detail);
                });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return change("cudaGraphKernelNodeCopyAttributes", in_graph, nullptr, to, cudaGraphNodeTypeKernel,
                [&](Runtime& r, GraphNode& n) -> cudaError_t {
                  const NodePlace source = find_node(from), target = find_node(to);
                  if (!source || source->kernel == nullptr || target->kernel == nullptr)
                    return cudaErrorInvalidValue;
                  KernelDetail detail = *target->kernel;
                  detail.cluster = source->kernel->cluster;
                  detail.cooperative = source->kernel->cooperative;
                  detail.hints = source->kernel->hints;
                  return make_kernel_again(r, n, detail);
                });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return ask("cudaGraphChildGraphNodeGetGraph", node, cudaGraphNodeTypeGraph,
             [&](GraphNode& n) -> cudaError_t {
               if (graph == nullptr || n.child == nullptr) return cudaErrorInvalidValue;
               *graph = publish(n.child);
               return cudaSuccess;
             });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return api("cudaGraphNodeGetType", [&](Runtime&) -> cudaError_t {
    const NodePlace at = find_node(node);
    if (!at || type == nullptr) return cudaErrorInvalidValue;
    *type = at->type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* out, cudaGraphEdgeData* data,
                                         size_t* count) {
  return api("cudaGraphNodeGetDependencies", [&](Runtime&) -> cudaError_t {
    const NodePlace at = find_node(node);
    if (!at || count == nullptr) return cudaErrorInvalidValue;
    const auto& after = at->after;
    if (out != nullptr) {
      for (std::size_t i = 0; i < *count; ++i)
        out[i] = i < after.size() ? handle_of(at.graph->nodes[after[i]]) : nullptr;
      *count = std::min(*count, after.size());
      for (std::size_t i = 0; i < *count && data != nullptr; ++i)
        data[i] = edge_of(*at.operator->(), after[i]);
    } else {
      *count = after.size();
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* out,
                                           cudaGraphEdgeData* data, size_t* count) {
  return api("cudaGraphNodeGetDependentNodes", [&](Runtime&) -> cudaError_t {
    const NodePlace at = find_node(node);
    if (!at || count == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    std::vector<cudaGraphEdgeData> edges;
    for (const GraphNode& n : at.graph->nodes) {
      if (std::find(n.after.begin(), n.after.end(), at.index) == n.after.end()) continue;
      all.push_back(handle_of(n));
      edges.push_back(edge_of(n, at.index));
    }
    if (out != nullptr) {
      for (std::size_t i = 0; i < *count; ++i) out[i] = i < all.size() ? all[i] : nullptr;
      *count = std::min(*count, all.size());
      if (data != nullptr) std::copy_n(edges.begin(), *count, data);
    } else {
      *count = all.size();
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                     size_t count) {
  return api("cudaGraphAddDependencies", [&](Runtime& runtime) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (graph == nullptr || (count > 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const NodePlace before = find_node(from[i]), after = find_node(to[i]);
      if (!before || !after) return cudaErrorInvalidValue;
      if (before.graph != graph || after.graph != graph)
        return refuse_stranger(runtime, "cudaGraphAddDependencies");
      if (before.index == after.index) {
        return runtime.explain(
            cudaErrorInvalidValue,
            "cudaGraphAddDependencies was given an edge from a node to itself, which could "
            "then never begin: leave it out.");
      }
      auto& list = graph->nodes[after.index].after;
      if (std::find(list.begin(), list.end(), before.index) != list.end()) {
        return runtime.explain(
            cudaErrorInvalidValue,
            "cudaGraphAddDependencies was given an edge that is there already: leave it out.");
      }
      list.push_back(before.index);
      std::sort(list.begin(), list.end());
      if (edges != nullptr && !is_plain(edges[i])) graph->nodes[after.index].edges[before.index] = edges[i];
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t handle, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return api("cudaGraphRemoveDependencies", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (graph == nullptr || (count > 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const NodePlace before = find_node(from[i]), after = find_node(to[i]);
      if (!before || !after || before.graph != graph || after.graph != graph) return cudaErrorInvalidValue;
      if (std::erase(graph->nodes[after.index].after, before.index) == 0) return cudaErrorInvalidValue;
      graph->nodes[after.index].edges.erase(before.index);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api("cudaGraphDestroyNode", [&](Runtime&) -> cudaError_t {
    const NodePlace at = find_node(node);
    if (!at) return cudaErrorInvalidValue;
    if (at->memory != nullptr) return cudaErrorNotSupported;  // as on hardware
    for (GraphNode& n : at.graph->nodes) {
      std::erase(n.after, at.index);
      n.edges.erase(at.index);
    }
    GraphNode gone;
    gone.removed = true;
    at.graph->nodes[at.index] = std::move(gone);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t instance, cudaGraphNode_t node, unsigned int enabled) {
  return api("cudaGraphNodeSetEnabled", [&](Runtime&) -> cudaError_t {
    const NodePlace at = find_node(instance, node);
    if (!at) return cudaErrorInvalidValue;
    if (at->type != cudaGraphNodeTypeKernel && at->type != cudaGraphNodeTypeMemcpy &&
        at->type != cudaGraphNodeTypeMemset) {
      return cudaErrorInvalidValue;
    }
    at->enabled = enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t instance, cudaGraphNode_t node, unsigned int* enabled) {
  return api("cudaGraphNodeGetEnabled", [&](Runtime&) -> cudaError_t {
    const NodePlace at = find_node(instance, node);
    if (!at || enabled == nullptr) return cudaErrorInvalidValue;
    *enabled = at->enabled ? 1 : 0;
    return cudaSuccess;
  });
}

}  // extern "C"
