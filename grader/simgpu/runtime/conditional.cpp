/// @file
/// Implementation of conditional.hpp.
#include "simgpu/runtime/conditional.hpp"

#include <algorithm>
#include <map>

#include "simgpu/runtime/api.hpp"

namespace simgpu::runtime {
namespace {

/// By handle.
std::map<cudaGraphConditionalHandle, std::weak_ptr<Condition>>& conditions() {
  static auto* const all = new std::map<cudaGraphConditionalHandle, std::weak_ptr<Condition>>;
  return *all;
}

queue::Id next_condition() {
  static queue::Id last = 0;
  return ++last;
}

bool is_size(cudaGraphConditionalNodeType type, unsigned size) {
  switch (type) {
    case cudaGraphCondTypeIf:
      return size == 1 || size == 2;
    case cudaGraphCondTypeWhile:
      return size == 1;
    case cudaGraphCondTypeSwitch:
      return size >= 1;
    default:
      return false;
  }
}

bool may_be_in_body(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeMemcpy:
    case cudaGraphNodeTypeConditional:
      return true;
    default:
      return false;
  }
}

bool is_sound_body(const Graph& body) {
  return order_of(body).size() == body.nodes.size() && has_sound_bodies(body) &&
         std::all_of(body.nodes.begin(), body.nodes.end(), [](const GraphNode& node) {
           return node.removed ||
                  (may_be_in_body(node.type) && (node.child == nullptr || is_sound_body(*node.child)));
         });
}

/// Which body a value chooses. @return their number for none
std::size_t chosen(const Conditional& conditional, std::uint32_t value) {
  if (conditional.type == cudaGraphCondTypeSwitch)
    return std::min<std::size_t>(value, conditional.bodies.size());
  return value != 0 ? 0 : conditional.type == cudaGraphCondTypeIf ? 1 : conditional.bodies.size();
}

}  // namespace

Condition::Condition(Runtime& runtime, std::uint32_t first, std::optional<std::uint32_t> at_launch)
    : runtime_(runtime), id_(next_condition()), at_launch_(at_launch) {
  assign(first);
}

Condition::~Condition() {
  conditions().erase(id_);
  runtime_.tell(queue::Condition{.id = id_, .what = queue::Condition::What::gone});
}

void Condition::assign(std::uint32_t value) const {
  runtime_.tell(queue::Condition{.id = id_, .what = queue::Condition::What::assign, .value = value});
}

void Condition::launched() const {
  if (at_launch_) assign(*at_launch_);
}

std::optional<std::uint32_t> Condition::value(cudaError_t& error) const {
  const auto answer =
      runtime_.ask<queue::Value>(queue::Condition{.id = id_, .what = queue::Condition::What::ask}, error);
  return answer ? std::optional(answer->value) : std::nullopt;
}

cudaError_t make_conditional(GraphNode& node, cudaConditionalNodeParams& wish) {
  const auto it = conditions().find(wish.handle);
  auto condition = it != conditions().end() ? it->second.lock() : nullptr;
  if (condition == nullptr || condition->decides || !is_size(wish.type, wish.size))
    return cudaErrorInvalidValue;
  condition->decides = true;
  auto made = std::make_shared<Conditional>();
  made->condition = std::move(condition);
  made->type = wish.type;
  for (unsigned i = 0; i < wish.size; ++i) {
    made->bodies.push_back(std::make_shared<Graph>());
    made->handles.push_back(publish(made->bodies.back()));
  }
  wish.phGraph_out = made->handles.data();
  node.type = cudaGraphNodeTypeConditional;
  node.conditional = std::move(made);
  return cudaSuccess;
}

std::shared_ptr<Conditional> copy_of(const Conditional& conditional, bool fresh) {
  auto copy = std::make_shared<Conditional>(conditional);
  copy->handles.clear();
  for (auto& body : copy->bodies) body = copy_of(*body, fresh);
  return copy;
}

bool has_conditionals(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const GraphNode& node) { return !node.removed && node.conditional != nullptr; });
}

bool has_sound_bodies(const Graph& graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const GraphNode& node) {
    return node.removed || node.conditional == nullptr ||
           std::all_of(node.conditional->bodies.begin(), node.conditional->bodies.end(),
                       [](const auto& body) { return is_sound_body(*body); });
  });
}

void forget_bodies(const Graph& graph) {
  for (const GraphNode& node : graph.nodes) {
    if (node.conditional == nullptr) continue;
    for (const auto& body : node.conditional->bodies) forget_bodies(*body);
    for (const cudaGraph_t handle : node.conditional->handles) forget_graph(handle);
  }
}

void assign_conditions(const Graph& graph) {
  for (const GraphNode& node : graph.nodes) {
    if (node.conditional == nullptr) continue;
    node.conditional->condition->launched();
    for (const auto& body : node.conditional->bodies) assign_conditions(*body);
  }
}

cudaError_t run_conditional(const Conditional& conditional, Stream& stream) {
  cudaError_t error = cudaSuccess;
  do {
    const auto value = conditional.condition->value(error);
    if (!value) break;
    const std::size_t body = chosen(conditional, *value);
    if (body >= conditional.bodies.size()) break;
    error = run_graph(*conditional.bodies[body], stream);
    // A kernel that was stopped has not set it: a loop would go on for ever.
  } while (error == cudaSuccess && conditional.type == cudaGraphCondTypeWhile &&
           Runtime::get().device_of(stream).stopped_by == device::Status::success);
  return error;
}

}  // namespace simgpu::runtime

using namespace simgpu;
using namespace simgpu::runtime;

extern "C" cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle,
                                                        cudaGraph_t graph_handle, unsigned int first,
                                                        unsigned int flags) {
  return api("cudaGraphConditionalHandleCreate", [&](Runtime& runtime) -> cudaError_t {
    const auto graph = find_graph(graph_handle);
    if (handle == nullptr || graph == nullptr || (flags & ~unsigned{cudaGraphCondAssignDefault}) != 0)
      return cudaErrorInvalidValue;
    const bool each_launch = (flags & cudaGraphCondAssignDefault) != 0;
    const auto made =
        std::make_shared<Condition>(runtime, first, each_launch ? std::optional(first) : std::nullopt);
    conditions()[made->handle()] = made;
    graph->conditions.push_back(made);
    *handle = made->handle();
    return cudaSuccess;
  });
}
