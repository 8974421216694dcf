/// @file
/// Which allocation a launch's traffic went to: what a contract says about bytes is about *its* arrays, and a total cannot tell
/// the input from the filter, nor device memory from host memory behind the link.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/coalescing.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// What came to an allocation by one road. A request that reaches several allocations counts once in each, with its own lanes,
/// bytes and sectors there.
struct RoadCounters {
  std::uint64_t requests = 0;  ///< warp instructions; of bulk and tensor roads: copies
  std::uint64_t lanes = 0;     ///< threads that took part, summed; of bulk and tensor roads: 0
  std::uint64_t bytes = 0;     ///< asked for, repeats included; textures: texels looked up x bytes of a texel
  std::uint64_t sectors = 0;   ///< distinct 32-byte sectors of each request, summed
};

/// One allocation's share of a launch.
struct BufferCounters {
  const memory::Allocation* allocation = nullptr;
  RoadCounters load, store, atomic;  ///< by ld, st, atom/red; loads of cp.async included
  RoadCounters texture;              ///< texture fetches and surface loads
  RoadCounters surface_store;
  RoadCounters bulk_load, bulk_store, tensor_load, tensor_store;  ///< bytes inside the tensor only
  std::uint64_t async_bytes = 0;                                  ///< of load.bytes: by cp.async
  std::uint64_t hinted_bytes = 0;  ///< of load.bytes and store.bytes: with a streaming or evict-first hint
};

/// The allocations that the current launch has touched.
class BufferTable {
 public:
  /// One allocation, with the lines that lie in it whole: most requests are found to lie there by two comparisons.
  struct Entry : BufferCounters {
    std::uint64_t first_line = 0, end_line = 0;
    bool holds_lines(std::uint64_t low, std::uint64_t high) const noexcept {
      return low >= first_line && high < end_line;
    }
  };

  /// @param memory nullptr: nothing is counted.
  explicit BufferTable(const memory::DeviceMemory* memory) : memory_(memory) {}

  void clear();
  bool counts() const noexcept { return memory_ != nullptr; }
  /// @return the allocation that holds @p address, or nullptr.
  Entry* find(std::uint64_t address);
  /// Counts a request lane by lane. @return the allocation, if all lanes are in one: the next request's guess.
  Entry* count(const Access& access, RoadCounters BufferCounters::*road, Entry* guess);
  /// Touched allocations, in order of allocation.
  std::vector<BufferCounters> all() const;

 private:
  const memory::DeviceMemory* memory_;
  std::deque<Entry> entries_;  // never moves
  std::unordered_map<const memory::Allocation*, Entry*> by_allocation_;
  Footprint footprint_;
};

}  // namespace simgpu::observe
