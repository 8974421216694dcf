/// @file
/// See handle_mistakes.hpp.
#include "simgpu/runtime/handle_mistakes.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace simgpu::runtime {
namespace {

using Named = std::pair<Handle, const void*>;

struct Words {
  const char *what, *made_by, *destroyed_by;
};

Words words_of(Handle kind) {
  switch (kind) {
    case Handle::stream:
      return {"a stream", "cudaStreamCreate", "cudaStreamDestroy"};
    case Handle::event:
      return {"an event", "cudaEventCreate", "cudaEventDestroy"};
    case Handle::graph:
      return {"a graph", "cudaGraphCreate or cudaStreamEndCapture", "cudaGraphDestroy"};
    case Handle::instance:
      return {"an executable graph", "cudaGraphInstantiate", "cudaGraphExecDestroy"};
    case Handle::node:
      return {"a node", "cudaGraphAddNode", "cudaGraphDestroyNode, or cudaGraphDestroy with its graph"};
    case Handle::pool:
      return {"a memory pool", "cudaMemPoolCreate", "cudaMemPoolDestroy"};
    default:
      return {};
  }
}

constexpr std::size_t kMostDestroyed = 64 * 1024;  // a program that makes so many uses none of the first

struct State {
  std::set<Named> destroyed;
  std::optional<Named> missed;
};
State& state() {
  static auto* const all = new State;  // like the runtime, outlives everything
  return *all;
}

}  // namespace

void handle_made(Handle kind, const void* handle) {
  if (!state().destroyed.empty()) state().destroyed.erase({kind, handle});
}

void handle_destroyed(Handle kind, const void* handle) {
  if (state().destroyed.size() >= kMostDestroyed) state().destroyed.clear();
  state().destroyed.insert({kind, handle});
}

void handle_missed(Handle kind, const void* handle) {
  if (!state().missed) state().missed = {kind, handle};
}

void forget_missed_handles() {
  state().missed.reset();
}

std::string handle_mistake(const char* call) {
  if (!state().missed) return {};
  const Named missed = *std::exchange(state().missed, {});
  if (missed.first == Handle::symbol) {
    return fmt::format(
        "{} was given something that is no __device__, __constant__ or __managed__ variable of this program: "
        "pass the variable itself, neither its address (&) nor its name as text.",
        call);
  }
  if (missed.first == Handle::kernel) {
    return fmt::format(
        "{} was given something that is no __global__ function of this program: pass the kernel's own name "
        "(of "
        "a template, with its arguments).",
        call);
  }
  const Words words = words_of(missed.first);
  if (missed.second == nullptr)
    return fmt::format("{} was given a null handle for {}: make one first ({}), and see whether that failed.",
                       call, words.what, words.made_by);
  if (!state().destroyed.contains(missed)) {
    return fmt::format(
        "{} was given {} that {} did not make: the variable may never have been set, or the call that was to "
        "set it has failed.",
        call, words.what, words.made_by);
  }
  const bool again = std::string_view(words.destroyed_by).starts_with(call);
  return again ? fmt::format("{} was given {} that has been destroyed already: destroy it once.", call,
                             words.what)
               : fmt::format(
                     "{} was given {} that has been destroyed before ({}): destroy it behind its last use.",
                     call, words.what, words.destroyed_by);
}

}  // namespace simgpu::runtime
