/// @file
/// See buffers.hpp. This is the slow path: Traffic counts requests that lie well within one allocation by itself.
#include "simgpu/observe/buffers.hpp"

#include <algorithm>
#include <bit>

namespace simgpu::observe {

void BufferTable::clear() {
  entries_.clear();
  by_allocation_.clear();
}

BufferTable::Entry* BufferTable::find(std::uint64_t address) {
  if (memory_ == nullptr) return nullptr;
  const memory::Allocation* allocation = memory_->find(address);
  if (allocation == nullptr) return nullptr;
  Entry*& entry = by_allocation_[allocation];
  if (entry == nullptr) {
    entry = &entries_.emplace_back();
    entry->allocation = allocation;
    entry->first_line = (allocation->base + kLineBytes - 1) / kLineBytes;
    entry->end_line = allocation->end() / kLineBytes;
  }
  return entry;
}

BufferTable::Entry* BufferTable::count(const Access& a, RoadCounters BufferCounters::*road, Entry* guess) {
  Entry* only = nullptr;
  bool several = false;
  const std::uint64_t* const at = a.address;
  for (std::uint32_t rest = a.mask; rest != 0;) {
    const std::uint64_t first = at[std::countr_zero(rest)];
    Entry* const entry = guess != nullptr && guess->allocation->contains(first, 1) ? guess : find(first);
    std::uint32_t part = 0;
    for (std::uint32_t left = rest; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const bool here = entry != nullptr ? entry->allocation->contains(at[lane], 1) : at[lane] == first;
      if (here) part |= 1u << lane;
    }
    rest &= ~part;
    if (entry == nullptr) continue;
    several |= only != nullptr;
    only = entry;
    footprint_of(at, part, a.bytes, footprint_);
    const auto lanes = static_cast<std::uint32_t>(std::popcount(part));
    RoadCounters& n = entry->*road;
    n.requests += 1;
    n.lanes += lanes;
    n.bytes += std::uint64_t{lanes} * a.bytes;
    n.sectors += footprint_.sectors;
    if (a.evict_first) entry->hinted_bytes += std::uint64_t{lanes} * a.bytes;
    if (a.asynchronous) entry->async_bytes += std::uint64_t{lanes} * a.bytes;
  }
  return several ? nullptr : only;
}

std::vector<BufferCounters> BufferTable::all() const {
  std::vector<BufferCounters> list(entries_.begin(), entries_.end());
  std::sort(list.begin(), list.end(), [](const BufferCounters& a, const BufferCounters& b) {
    return a.allocation->id < b.allocation->id;
  });
  return list;
}

}  // namespace simgpu::observe
