/// @file
/// Graphs: recorded operations and the order between them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// What a kernel node was made from, for those who ask or change it.
struct KernelDetail {
  KernelEntry* entry = nullptr;
  const void* function = nullptr;  ///< as the program named the kernel
  dim3 grid, block;
  std::size_t dynamic_shared = 0;
  std::optional<dim3> cluster;
  bool cooperative = false;
  std::map<int, cudaLaunchAttributeValue> hints;
  std::vector<std::vector<std::byte>> arguments;
  std::vector<void*> pointers;  ///< to each argument
};

/// A function of the program that the device calls for at a marker, for as long as this lives.
class HostFunction {
 public:
  HostFunction(Runtime& runtime, std::function<void()> function)
      : runtime_(runtime), token_(runtime.add_host_function(std::move(function))) {}
  ~HostFunction() { runtime_.drop_host_function(token_); }
  HostFunction(const HostFunction&) = delete;
  HostFunction& operator=(const HostFunction&) = delete;
  std::uint64_t token() const noexcept { return token_; }

 private:
  Runtime& runtime_;
  std::uint64_t token_;
};

class Condition;
struct Conditional;

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::optional<queue::Work>
      work;  ///< what the device does; without it the client does what the type says, or nobody anything
  std::vector<std::size_t> after;                  ///< indices of nodes that come before
  std::map<std::size_t, cudaGraphEdgeData> edges;  ///< of those in `after` whose edge is not a plain one
  std::uint64_t id = 0;      ///< the node's handle; an instance's nodes have those of their graph
  std::uint64_t origin = 0;  ///< in a clone: the original's id
  bool enabled = true, removed = false;
  std::shared_ptr<Graph> child;
  std::shared_ptr<Conditional> conditional;
  std::shared_ptr<KernelDetail> kernel;  ///< never changed once made: copies share it
  cudaMemcpy3DParms copy{};              ///< as given to cudaGraphAddMemcpyNode
  cudaMemsetParams fill{};
  cudaHostNodeParams host{};
  std::shared_ptr<HostFunction> host_function;  ///< that the marker in `work` names
  cudaEvent_t event = nullptr;
  std::shared_ptr<GraphMemory> memory;  ///< of allocation and free nodes
  cudaMemAllocNodeParams allocation_parameters{};
};

/// Nodes with the order between them.
struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<cudaUserObject_t> user_objects;
  std::vector<std::shared_ptr<Condition>>
      conditions;  ///< that were made for it, whether or not a node has them
  unsigned long long flags = 0;
  // Of an instance:
  queue::Id last_launch = 0;  ///< the event that is recorded behind each launch
  bool launched = false;
  // While it is being captured:
  bool spoilt = false;
  /// Where streams stood that were in this capture and have been destroyed meanwhile.
  std::vector<std::size_t> left_by_streams = {};
  bool given = false;  ///< by the program, which has its handle already
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
};

/// @return the new node's index.
std::size_t add_node(Graph& graph, cudaGraphNodeType type, std::optional<queue::Work> work,
                     std::vector<std::size_t> after);

/// The edge from the node with index @p before to @p node.
cudaGraphEdgeData edge_of(const GraphNode& node, std::size_t before);

/// Adds to what @p stream captures a node that records @p event, or waits for it, at each launch.
cudaError_t add_event_node(Stream& stream, cudaEvent_t event, bool records);

/// Makes @p node one that takes @p memory into use, or gives it back.
void make_allocation_node(GraphNode& node, std::shared_ptr<GraphMemory> memory);
void make_free_node(GraphNode& node, std::shared_ptr<GraphMemory> memory);

/// Indices of @p graph's nodes, each after those that it depends on; the order of creation where that leaves a choice.
/// @return fewer than there are nodes if there is a cycle.
std::vector<std::size_t> order_of(const Graph& graph);
cudaError_t run_graph(const Graph& graph, Stream& stream);

/// A copy with children of its own. @param fresh gives the nodes new ids.
std::shared_ptr<Graph> copy_of(const Graph& graph, bool fresh);

/// Handles. Graphs are kept alive by their handle.
cudaGraph_t publish(std::shared_ptr<Graph> graph);
std::shared_ptr<Graph> find_graph(cudaGraph_t handle);
void forget_graph(cudaGraph_t handle);
std::shared_ptr<Graph> find_instance(cudaGraphExec_t handle);

/// A node by its handle.
struct NodePlace {
  std::shared_ptr<Graph> graph;
  std::size_t index = 0;
  GraphNode* operator->() const { return &graph->nodes[index]; }
  explicit operator bool() const { return graph != nullptr; }
};
NodePlace find_node(cudaGraphNode_t handle);
/// The node of an instance that was made from @p handle.
NodePlace find_node(cudaGraphExec_t instance, cudaGraphNode_t handle);
inline cudaGraphNode_t handle_of(const GraphNode& node) {
  return reinterpret_cast<cudaGraphNode_t>(node.id);
}

}  // namespace simgpu::runtime
