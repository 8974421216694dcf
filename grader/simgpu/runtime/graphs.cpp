/// @file
/// Graphs as a whole: handles, order, instances, launch. Nodes are made in graph_nodes.cpp and capture.cpp.
///
/// Branches of a graph run one after the other on the modelled clock, although hardware may run them side by side.
#include "simgpu/runtime/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "simgpu/report/report.hpp"
#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/conditional.hpp"
#include "simgpu/runtime/graph_memory.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

/// Live handles. A cudaGraph_t is a Graph held here; a cudaGraphExec_t a copy of one.
struct Handles {
  std::map<const void*, std::shared_ptr<Graph>> graphs, instances;
  struct UserObject {
    void* pointer;
    cudaHostFn_t destroy;
    unsigned references;
  };
  std::map<const void*, std::unique_ptr<UserObject>> user_objects;
  std::uint64_t next_node = 1;
  queue::Id next_instance = queue::kOwnEvents;
};

Handles& handles() {
  static auto* const all = new Handles;  // like the runtime, outlives everything
  return *all;
}

void release_user_object(const void* object, unsigned count) {
  const auto it = handles().user_objects.find(object);
  if (it == handles().user_objects.end()) return;
  it->second->references -= std::min(count, it->second->references);
  if (it->second->references != 0) return;
  const auto owned = std::move(it->second);
  handles().user_objects.erase(it);
  owned->destroy(owned->pointer);
}

}  // namespace

namespace simgpu::runtime {

std::size_t add_node(Graph& graph, cudaGraphNodeType type, std::optional<queue::Work> work,
                     std::vector<std::size_t> after) {
  GraphNode node;
  node.type = type;
  node.work = std::move(work);
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  node.after = std::move(after);
  node.id = handles().next_node++;
  graph.nodes.push_back(std::move(node));
  return graph.nodes.size() - 1;
}

cudaGraphEdgeData edge_of(const GraphNode& node, std::size_t before) {
  const auto it = node.edges.find(before);
  return it != node.edges.end() ? it->second : cudaGraphEdgeData{};
}

void make_allocation_node(GraphNode& node, std::shared_ptr<GraphMemory> memory) {
  node.type = cudaGraphNodeTypeMemAlloc;
  node.memory = std::move(memory);
}

void make_free_node(GraphNode& node, std::shared_ptr<GraphMemory> memory) {
  node.type = cudaGraphNodeTypeMemFree;
  node.memory = std::move(memory);
}

std::vector<std::size_t> order_of(const Graph& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::size_t> missing(count), order;
  std::vector<std::vector<std::size_t>> next(count);
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < count; ++i) {
    missing[i] = graph.nodes[i].after.size();
    for (const std::size_t before : graph.nodes[i].after) next[before].push_back(i);
    if (missing[i] == 0) ready.insert(i);
  }
  while (!ready.empty()) {
    const std::size_t i = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(i);
    for (const std::size_t n : next[i]) {
      if (--missing[n] == 0) ready.insert(n);
    }
  }
  return order;
}

namespace {
/// What a node does: work of the device, or of the client.
cudaError_t run_node(Runtime& runtime, const GraphNode& node, Stream& stream) {
  if (node.child != nullptr) return run_graph(*node.child, stream);
  if (node.conditional != nullptr) return run_conditional(*node.conditional, stream);
  if (node.work) return runtime.send(stream, *node.work);
  const auto handle = reinterpret_cast<cudaStream_t>(&stream);
  switch (node.type) {
    case cudaGraphNodeTypeMemAlloc:
      if (node.memory != nullptr) node.memory->take(stream);
      return cudaSuccess;
    case cudaGraphNodeTypeMemFree:
      return node.memory == nullptr || node.memory->give_back(&stream) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaGraphNodeTypeEventRecord:
      return cudaEventRecord(node.event, handle);
    case cudaGraphNodeTypeWaitEvent:
      return cudaStreamWaitEvent(handle, node.event, 0);
    default:
      return cudaSuccess;
  }
}
}  // namespace

cudaError_t run_graph(const Graph& graph, Stream& stream) {
  Runtime& runtime = Runtime::get();
  using Step = queue::Graph::Step;
  const auto say = [&](Step step, std::size_t node = 0, std::vector<std::uint32_t> after = {}) {
    runtime.tell(queue::Graph{.stream = stream.name(),
                              .step = step,
                              .node = static_cast<std::uint32_t>(node),
                              .after = std::move(after)});
  };
  say(Step::begin, graph.nodes.size());
  cudaError_t error = cudaSuccess;
  for (const std::size_t i : order_of(graph)) {
    const GraphNode& node = graph.nodes[i];
    say(Step::place, i, {node.after.begin(), node.after.end()});
    if (node.removed || !node.enabled) continue;
    say(Step::enter, i);
    error = run_node(runtime, node, stream);
    say(Step::leave, i);
    if (error != cudaSuccess) break;
  }
  say(Step::end);
  return error;
}

std::shared_ptr<Graph> copy_of(const Graph& graph, bool fresh) {
  auto copy = std::make_shared<Graph>(graph);
  copy->user_objects.clear();
  for (GraphNode& node : copy->nodes) {
    if (node.child != nullptr) node.child = copy_of(*node.child, fresh);
    if (node.conditional != nullptr) node.conditional = copy_of(*node.conditional, fresh);
    if (fresh) {
      node.origin = node.id;
      node.id = handles().next_node++;
    }
  }
  return copy;
}

cudaGraph_t publish(std::shared_ptr<Graph> graph) {
  void* const handle = graph.get();
  handles().graphs[handle] = std::move(graph);
  handle_made(Handle::graph, handle);
  return static_cast<cudaGraph_t>(handle);
}

std::shared_ptr<Graph> find_graph(cudaGraph_t handle) {
  const auto it = handles().graphs.find(handle);
  if (it != handles().graphs.end()) return it->second;
  handle_missed(Handle::graph, handle);
  return nullptr;
}

void forget_graph(cudaGraph_t handle) {
  handles().graphs.erase(handle);
  handle_destroyed(Handle::graph, handle);
}

std::shared_ptr<Graph> find_instance(cudaGraphExec_t handle) {
  const auto it = handles().instances.find(handle);
  if (it != handles().instances.end()) return it->second;
  handle_missed(Handle::instance, handle);
  return nullptr;
}

namespace {
NodePlace find_in(const std::shared_ptr<Graph>& graph, std::uint64_t id) {
  for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
    if (graph->nodes[i].id == id && !graph->nodes[i].removed) return {graph, i};
    if (graph->nodes[i].child != nullptr) {
      if (const NodePlace inner = find_in(graph->nodes[i].child, id)) return inner;
    }
    if (graph->nodes[i].conditional == nullptr) continue;
    for (const auto& body : graph->nodes[i].conditional->bodies)
      if (const NodePlace inner = find_in(body, id)) return inner;
  }
  return {};
}
}  // namespace

NodePlace find_node(cudaGraphNode_t handle) {
  for (const auto& [key, graph] : handles().graphs) {
    if (const NodePlace place = find_in(graph, reinterpret_cast<std::uint64_t>(handle))) return place;
  }
  // Their numbers never come again.
  const auto number = reinterpret_cast<std::uint64_t>(handle);
  if (number != 0 && number < handles().next_node) handle_destroyed(Handle::node, handle);
  handle_missed(Handle::node, handle);
  return {};
}

NodePlace find_node(cudaGraphExec_t instance, cudaGraphNode_t handle) {
  const auto graph = find_instance(instance);
  return graph == nullptr ? NodePlace{} : find_in(graph, reinterpret_cast<std::uint64_t>(handle));
}

}  // namespace simgpu::runtime

namespace {

const char* word(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "memcpy";
    case cudaGraphNodeTypeMemset:
      return "memset";
    case cudaGraphNodeTypeHost:
      return "host";
    case cudaGraphNodeTypeGraph:
      return "graph";
    case cudaGraphNodeTypeWaitEvent:
      return "event wait";
    case cudaGraphNodeTypeEventRecord:
      return "event record";
    case cudaGraphNodeTypeMemAlloc:
      return "alloc";
    case cudaGraphNodeTypeMemFree:
      return "free";
    case cudaGraphNodeTypeConditional:
      return "conditional";
    default:
      return "empty";
  }
}

/// "node 2 (kernel scale)": by order of creation, from 0.
std::string name_of(const Graph& graph, std::size_t index) {
  const GraphNode& node = graph.nodes[index];
  return fmt::format("node {} ({}{}{})", index, word(node.type), node.kernel != nullptr ? " " : "",
                     node.kernel != nullptr ? report::demangle(node.kernel->entry->name) : "");
}

/// @return nodes that come after each other in a ring, of a graph that has such: "node 2 (...) comes after node 1 (...), and that after ...".
std::string cycle_of(const Graph& graph) {
  // What is in no order has one such before it, and so on.
  const std::vector<std::size_t> order = order_of(graph);
  std::vector<bool> in_order(graph.nodes.size());
  for (const std::size_t node : order) in_order[node] = true;
  const auto loose = [&](std::size_t node) { return !in_order[node]; };
  std::vector<std::size_t> way;
  std::size_t at = 0;
  while (in_order[at]) ++at;
  auto again = way.end();
  while ((again = std::find(way.begin(), way.end(), at)) == way.end()) {
    way.push_back(at);
    const auto& after = graph.nodes[at].after;
    at = *std::find_if(after.begin(), after.end(), loose);
  }
  way.erase(way.begin(), again);
  constexpr std::size_t kMost = 6;
  std::string text = name_of(graph, way[0]);
  for (std::size_t i = 1; i <= way.size(); ++i) {
    if (i == kMost && i < way.size()) {
      text += ", and so on, up to " + name_of(graph, way[0]) + " again";
      break;
    }
    text += fmt::format("{} after {}{}", i == 1 ? " comes" : ", that", name_of(graph, way[i % way.size()]),
                        i == way.size() && i > 1 ? " again" : "");
  }
  return text;
}

cudaError_t instantiate(cudaGraphExec_t* instance, cudaGraph_t handle, unsigned long long flags) {
  const auto graph = find_graph(handle);
  constexpr unsigned long long kKnown =
      cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
      cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
  if (instance == nullptr || graph == nullptr || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_unsafe(Runtime::get()); error != cudaSuccess) return error;
  if (order_of(*graph).size() != graph->nodes.size()) {
    return Runtime::get().explain(
        cudaErrorInvalidValue,
        fmt::format(
            "The graph cannot be instantiated: {}, so none of them can be the first. Take away one of "
            "these edges (cudaGraphRemoveDependencies).",
            cycle_of(*graph)));
  }
  if (!has_sound_bodies(*graph)) return cudaErrorInvalidValue;
  auto copy = copy_of(*graph, false);
  copy->flags = flags;
  copy->last_launch = handles().next_instance++;
  void* const made = copy.get();
  handles().instances[made] = std::move(copy);
  handle_made(Handle::instance, made);
  *instance = static_cast<cudaGraphExec_t>(made);
  return cudaSuccess;
}

bool all_plain(const Graph& graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const GraphNode& node) { return node.edges.empty(); });
}

bool has_memory_nodes(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const GraphNode& node) { return !node.removed && node.memory != nullptr; });
}

/// What the graph's earlier launch took and nobody gave back stands in the way of the next, unless it is to be freed by that.
cudaError_t prepare_memory(const Graph& instance) {
  const bool frees = (instance.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  for (const GraphNode& node : instance.nodes) {
    if (node.type != cudaGraphNodeTypeMemAlloc || node.memory == nullptr || !node.memory->in_use()) continue;
    if (!frees) return cudaErrorInvalidValue;
    node.memory->give_back();
  }
  return cudaSuccess;
}

cudaError_t launch(const Graph& instance, Stream& stream) {
  assign_conditions(instance);
  return run_graph(instance, stream);
}

/// Fills a caller's list as the graph queries do: without a list only the count, else what fits, padded with null.
void give_list(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* list, std::size_t* count) {
  if (list != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) list[i] = i < all.size() ? all[i] : nullptr;
    *count = std::min(*count, all.size());
    return;
  }
  *count = all.size();
}

/// @return why @p from cannot take the place of @p to.
cudaGraphExecUpdateResult update(Graph& to, const Graph& from, cudaGraphNode_t& culprit) {
  std::vector<std::size_t> mine, theirs;
  for (std::size_t i = 0; i < to.nodes.size(); ++i)
    if (!to.nodes[i].removed) mine.push_back(i);
  for (std::size_t i = 0; i < from.nodes.size(); ++i)
    if (!from.nodes[i].removed) theirs.push_back(i);
  if (mine.size() != theirs.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const GraphNode &old = to.nodes[mine[i]], &now = from.nodes[theirs[i]];
    culprit = handle_of(now);
    if (old.type != now.type) return cudaGraphExecUpdateErrorNodeTypeChanged;
    if (old.after.size() != now.after.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (std::size_t k = 0; k < old.after.size(); ++k) {
      const auto place = [](const std::vector<std::size_t>& list, std::size_t index) {
        return std::find(list.begin(), list.end(), index) - list.begin();
      };
      if (place(mine, old.after[k]) != place(theirs, now.after[k]))
        return cudaGraphExecUpdateErrorTopologyChanged;
    }
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    GraphNode& old = to.nodes[mine[i]];
    const GraphNode& now = from.nodes[theirs[i]];
    if (old.child != nullptr && now.child != nullptr) {
      if (const auto inner = update(*old.child, *now.child, culprit); inner != cudaGraphExecUpdateSuccess)
        return inner;
      continue;
    }
    if (old.conditional != nullptr) {
      const auto &mine_of = old.conditional->bodies, &theirs_of = now.conditional->bodies;
      if (old.conditional->type != now.conditional->type || mine_of.size() != theirs_of.size())
        return cudaGraphExecUpdateErrorParametersChanged;
      for (std::size_t k = 0; k < mine_of.size(); ++k)
        if (const auto inner = update(*mine_of[k], *theirs_of[k], culprit);
            inner != cudaGraphExecUpdateSuccess)
          return inner;
      old.conditional->condition = now.conditional->condition;
      continue;
    }
    GraphNode next = now;
    next.id = old.id;
    next.after = old.after;
    next.edges = old.edges;
    next.enabled = old.enabled;
    old = std::move(next);
  }
  culprit = nullptr;
  return cudaGraphExecUpdateSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  return api("cudaGraphCreate", [&](Runtime&) -> cudaError_t {
    if (graph == nullptr || flags != 0) return cudaErrorInvalidValue;
    *graph = publish(std::make_shared<Graph>());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return api("cudaGraphDestroy", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    forget_bodies(*graph);
    forget_graph(handle);
    for (const auto object : graph->user_objects) release_user_object(object, 1);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t handle) {
  return api("cudaGraphClone", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (clone == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    // As on hardware: their memory, and what decides, has one owner.
    if (has_memory_nodes(*graph) || has_conditionals(*graph)) return cudaErrorNotSupported;
    *clone = publish(copy_of(*graph, true));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return api("cudaGraphNodeFindInClone", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(clone);
    if (node == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    for (const GraphNode& n : graph->nodes) {
      if (n.origin == reinterpret_cast<std::uint64_t>(original) && !n.removed) {
        *node = handle_of(n);
        return cudaSuccess;
      }
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return api("cudaGraphGetNodes", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (graph == nullptr || count == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const GraphNode& node : graph->nodes) {
      if (!node.removed) all.push_back(handle_of(node));
    }
    give_list(all, nodes, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count) {
  return api("cudaGraphGetRootNodes", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (graph == nullptr || count == nullptr) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const GraphNode& node : graph->nodes) {
      if (!node.removed && node.after.empty()) all.push_back(handle_of(node));
    }
    give_list(all, nodes, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, size_t* count) {
  return api("cudaGraphGetEdges", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (graph == nullptr || count == nullptr || (from == nullptr) != (to == nullptr))
      return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> sources, targets;
    std::vector<cudaGraphEdgeData> edges;
    for (const GraphNode& node : graph->nodes) {
      for (const std::size_t before : node.after) {
        sources.push_back(handle_of(graph->nodes[before]));
        targets.push_back(handle_of(node));
        edges.push_back(edge_of(node, before));
      }
    }
    if (from != nullptr && data == nullptr && !all_plain(*graph)) return cudaErrorLossyQuery;
    std::size_t again = *count;
    give_list(sources, from, count);
    if (to != nullptr) give_list(targets, to, &again);
    if (data != nullptr) std::copy_n(edges.begin(), *count, data);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned int) {
  return api("cudaGraphDebugDotPrint", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (graph == nullptr || path == nullptr) return cudaErrorInvalidValue;
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) return cudaErrorOperatingSystem;
    std::string text = "digraph dot {\n";
    for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
      const GraphNode& node = graph->nodes[i];
      if (node.removed) continue;
      text += fmt::format("  node_{} [label=\"{} {}\"];\n", i, word(node.type),
                          node.kernel != nullptr ? node.kernel->entry->name : "");
      for (const std::size_t before : node.after) text += fmt::format("  node_{} -> node_{};\n", before, i);
    }
    text += "}\n";
    std::fputs(text.c_str(), file);
    std::fclose(file);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long flags) {
  return api("cudaGraphInstantiate", [&](Runtime&) { return instantiate(instance, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* instance, cudaGraph_t graph,
                                          unsigned long long flags) {
  return api("cudaGraphInstantiateWithFlags", [&](Runtime&) { return instantiate(instance, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* instance, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  return api("cudaGraphInstantiateWithParams", [&](Runtime&) -> cudaError_t {
    if (parameters == nullptr) return cudaErrorInvalidValue;
    const cudaError_t error = instantiate(instance, graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out =
        error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
    return error;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t handle, unsigned long long* flags) {
  return api("cudaGraphExecGetFlags", [&](Runtime&) -> cudaError_t {
    const auto instance = find_instance(handle);
    if (instance == nullptr || flags == nullptr) return cudaErrorInvalidValue;
    *flags = instance->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph_handle,
                                cudaGraphExecUpdateResultInfo* info) {
  return api("cudaGraphExecUpdate", [&](Runtime&) -> cudaError_t {
    const auto instance = find_instance(handle);
    const auto graph = find_graph(graph_handle);
    if (instance == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    cudaGraphNode_t culprit = nullptr;
    const auto result = update(*instance, *graph, culprit);
    if (info != nullptr) {
      info->result = result;
      info->errorNode = culprit;
      info->errorFromNode = nullptr;
    }
    return result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t instance, cudaStream_t) {
  return api("cudaGraphUpload", [&](Runtime&) -> cudaError_t {
    return find_instance(instance) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
  return api("cudaGraphLaunch", [&](Runtime& runtime) -> cudaError_t {
    const auto instance = find_instance(handle);
    Stream* stream = runtime.stream(stream_handle);
    if (instance == nullptr) return cudaErrorInvalidValue;
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (is_spoilt(*stream)) return cudaErrorStreamCaptureInvalidated;
    if (stream->capture != nullptr && has_conditionals(*instance)) return cudaErrorNotSupported;
    if (stream->capture != nullptr) {  // becomes a node of the graph under capture
      const std::size_t node = add_node(*stream->capture, cudaGraphNodeTypeGraph, {}, stream->capture_tail);
      stream->capture->nodes[node].child = copy_of(*instance, true);
      stream->capture_tail = {node};
      return cudaSuccess;
    }
    if (const cudaError_t error = prepare_memory(*instance); error != cudaSuccess) return error;
    // Launches of one instance come one after the other, whichever streams they are in.
    if (instance->launched) runtime.send(*stream, queue::Wait{.event = instance->last_launch});
    cudaError_t error = cudaSuccess;
    if (runtime.connection.idle()) {
      error = launch(*instance, *stream);
    } else {
      // The stream may be destroyed before its turn has come.
      const auto name = reinterpret_cast<cudaStream_t>(stream);
      runtime.connection.in_order(
          stream->name(), [&runtime, name, instance = copy_of(*instance, false), last = *stream]() mutable {
            Stream* const live = runtime.stream(name);
            launch(*instance, live != nullptr ? *live : last);
          });
    }
    runtime.send(*stream, queue::Record{.event = instance->last_launch});
    instance->launched = true;
    return error;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance) {
  return api("cudaGraphExecDestroy", [&](Runtime& runtime) -> cudaError_t {
    const auto known = find_instance(instance);
    if (known == nullptr) return cudaErrorInvalidValue;
    if (known->launched) runtime.tell(queue::EventGone{known->last_launch});
    handles().instances.erase(instance);
    handle_destroyed(Handle::instance, instance);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy,
                                 unsigned int references, unsigned int flags) {
  return api("cudaUserObjectCreate", [&](Runtime&) -> cudaError_t {
    if (object == nullptr || destroy == nullptr || references == 0 ||
        flags != cudaUserObjectNoDestructorSync) {
      return cudaErrorInvalidValue;
    }
    auto made = std::make_unique<Handles::UserObject>(Handles::UserObject{pointer, destroy, references});
    *object = reinterpret_cast<cudaUserObject_t>(made.get());
    handles().user_objects[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  return api("cudaUserObjectRetain", [&](Runtime&) -> cudaError_t {
    const auto it = handles().user_objects.find(object);
    if (it == handles().user_objects.end()) return cudaErrorInvalidValue;
    it->second->references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  return api("cudaUserObjectRelease", [&](Runtime&) -> cudaError_t {
    if (!handles().user_objects.contains(object)) return cudaErrorInvalidValue;
    release_user_object(object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned int count,
                                      unsigned int flags) {
  return api("cudaGraphRetainUserObject", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    const auto it = handles().user_objects.find(object);
    if (graph == nullptr || it == handles().user_objects.end()) return cudaErrorInvalidValue;
    if ((flags & cudaGraphUserObjectMove) == 0) it->second->references += count;
    graph->user_objects.insert(graph->user_objects.end(), count, object);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t handle, cudaUserObject_t object, unsigned int count) {
  return api("cudaGraphReleaseUserObject", [&](Runtime&) -> cudaError_t {
    const auto graph = find_graph(handle);
    if (graph == nullptr) return cudaErrorInvalidValue;
    for (; count > 0; --count) {
      const auto it = std::find(graph->user_objects.begin(), graph->user_objects.end(), object);
      if (it == graph->user_objects.end()) return cudaErrorInvalidValue;
      graph->user_objects.erase(it);
      release_user_object(object, 1);
    }
    return cudaSuccess;
  });
}

}  // extern "C"
