/// @file
/// Graphs: recorded operations and the order between them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

struct GraphNode {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t(Stream&)> run;   ///< arguments were copied when the node was made
  std::vector<std::size_t> after;            ///< indices of nodes that come before
};

/// Nodes in an order in which they may be run: a node can only depend on ones that existed before it.
struct Graph {
  std::vector<GraphNode> nodes;
};

/// @return the new node's index.
std::size_t add_node(Graph& graph, cudaGraphNodeType type, std::function<cudaError_t(Stream&)> run,
                     std::vector<std::size_t> after);

}  // namespace simgpu::runtime
