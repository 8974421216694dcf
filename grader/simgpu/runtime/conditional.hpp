/// @file
/// Nodes of graphs that run a body or not, or again and again: the variable that decides, and the bodies.
///
/// The client sends a graph node by node, and each node is carried out before the next is sent: so it can ask for the variable when
/// the node's turn has come, and send the body that the answer chooses.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// Held by the graph that it was made for, by the graph's instances, and by the node that it decides.
class Condition {
 public:
  /// @param at_launch what it is at the beginning of each launch; nothing: what kernels have left
  Condition(Runtime& runtime, std::uint32_t first, std::optional<std::uint32_t> at_launch);
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  cudaGraphConditionalHandle handle() const { return id_; }
  void launched() const;
  std::optional<std::uint32_t> value(cudaError_t& error) const;

  bool decides = false;  ///< a node

 private:
  void assign(std::uint32_t value) const;

  Runtime& runtime_;
  queue::Id id_;
  std::optional<std::uint32_t> at_launch_;
};

struct Conditional {
  std::shared_ptr<Condition> condition;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles;  ///< of the bodies, for the program to fill in; empty in instances
};

/// Fills in a node that was asked for, and @p wish with its bodies.
cudaError_t make_conditional(GraphNode& node, cudaConditionalNodeParams& wish);
/// With bodies of its own.
std::shared_ptr<Conditional> copy_of(const Conditional& conditional, bool fresh);
bool has_conditionals(const Graph& graph);
/// Whether the bodies of all nodes hold what bodies may, and have no cycles.
bool has_sound_bodies(const Graph& graph);
/// The handles of bodies go with the graph.
void forget_bodies(const Graph& graph);
/// A launch of @p graph begins.
void assign_conditions(const Graph& graph);
cudaError_t run_conditional(const Conditional& conditional, Stream& stream);

}  // namespace simgpu::runtime
