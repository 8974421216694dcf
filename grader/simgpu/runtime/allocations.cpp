/// @file
/// See allocations.hpp.
#include "simgpu/runtime/allocations.hpp"

#include <iterator>
#include <utility>

namespace simgpu::runtime {

const memory::Allocation* Allocations::add(queue::Allocated where, std::uint64_t bytes,
                                           memory::AllocationKind kind, std::string name) {
  auto made = std::make_unique<memory::Allocation>();
  made->base = where.address;
  made->bytes = bytes;
  made->kind = kind;
  made->id = where.number;
  made->name = std::move(name);
  return (by_base_[where.address] = std::move(made)).get();
}

void Allocations::free(std::uint64_t base) {
  const auto it = by_base_.find(base);
  if (it == by_base_.end()) return;
  if (it->second->kind == memory::AllocationKind::registered) {
    by_base_.erase(it);
  } else {
    it->second->live = false;
  }
}

const memory::Allocation* Allocations::find(std::uint64_t address) const {
  const auto next = by_base_.upper_bound(address);
  if (next == by_base_.begin()) return nullptr;
  const memory::Allocation* const found = std::prev(next)->second.get();
  return found->contains(address, 1) ? found : nullptr;
}

}  // namespace simgpu::runtime
