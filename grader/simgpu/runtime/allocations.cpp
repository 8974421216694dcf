/// @file
/// See allocations.hpp.
#include "simgpu/runtime/allocations.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "simgpu/runtime/host_view.hpp"

namespace simgpu::runtime {
namespace {

/// Memory that the device gives and the host touches, too.
bool is_in_common(memory::AllocationKind kind) {
  return kind == memory::AllocationKind::pinned || kind == memory::AllocationKind::managed;
}

}  // namespace

const memory::Allocation* Allocations::add(queue::Allocated where, std::uint64_t bytes,
                                           memory::AllocationKind kind, std::string name) {
  auto made = std::make_unique<memory::Allocation>();
  made->base = where.address;
  made->bytes = bytes;
  made->kind = kind;
  made->id = where.number;
  made->name = std::move(name);
  if (view_ != nullptr && is_in_common(kind)) view_->allocated(where.address, bytes);
  if (is_in_common(kind)) in_common_[where.address] = bytes;
  if (kind == memory::AllocationKind::registered) registered_.insert(where.address);
  return (by_base_[where.address] = std::move(made)).get();
}

void Allocations::free(std::uint64_t base) {
  const auto it = by_base_.find(base);
  if (it == by_base_.end()) return;
  const memory::Allocation& gone = *it->second;
  if (view_ != nullptr && is_in_common(gone.kind) && gone.live) view_->freed(base, gone.bytes);
  in_common_.erase(base);
  in_reach_.erase(base);
  registered_.erase(base);
  if (gone.kind == memory::AllocationKind::registered) {
    if (view_ != nullptr) view_->unregistered(base, gone.bytes);
    by_base_.erase(it);
  } else {
    it->second->live = false;
  }
}

bool Allocations::registered_in_reach() const {
  return std::any_of(registered_.begin(), registered_.end(),
                     [this](std::uint64_t base) { return in_reach(base); });
}

const memory::Allocation* Allocations::find(std::uint64_t address) const noexcept {
  const auto next = by_base_.upper_bound(address);
  if (next == by_base_.begin()) return nullptr;
  const memory::Allocation* const found = std::prev(next)->second.get();
  return found->contains(address, 1) ? found : nullptr;
}

const memory::Allocation* Allocations::nearest(std::uint64_t address) const noexcept {
  const auto next = by_base_.upper_bound(address);
  const memory::Allocation* const above = next == by_base_.end() ? nullptr : next->second.get();
  if (next == by_base_.begin()) return above;
  const memory::Allocation* const below = std::prev(next)->second.get();
  const std::uint64_t from_below = address < below->end() ? 0 : address - below->end() + 1;
  return above != nullptr && above->base - address < from_below ? above : below;
}

}  // namespace simgpu::runtime
