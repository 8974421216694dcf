/// @file
/// Memory that belongs to graphs: one address for all launches, in use from an allocation node to a free node or a free call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// Held by all nodes, of graphs and of instances, that allocate or free it. What is still in use when the last of them goes lives on
/// as an ordinary allocation, as on hardware.
class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
 public:
  GraphMemory(Runtime& runtime, std::uint64_t base, std::size_t bytes, int device);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  void* pointer() const { return reinterpret_cast<void*>(base_); }
  std::size_t bytes() const { return bytes_; }
  bool in_use() const { return in_use_; }

  /// An allocation node runs in @p stream.
  void take(const Stream& stream);
  /// A free node runs, or a program frees it. @param stream in whose order; nullptr: the host has waited for all that used it.
  /// @return false if it was not in use.
  bool give_back(const Stream* stream = nullptr);

 private:
  Runtime& runtime_;
  std::uint64_t base_;
  std::size_t bytes_;
  int device_;
  bool in_use_ = false;
};

/// @return nullptr if the device is full.
std::shared_ptr<GraphMemory> allocate_for_graph(Runtime& runtime, std::size_t bytes, int device);

/// The graph memory that starts at @p pointer. @return nullptr if none does.
std::shared_ptr<GraphMemory> graph_memory_at(Runtime& runtime, const void* pointer);

}  // namespace simgpu::runtime
