/// @file
/// What the client knows of memory: which addresses belong to which allocation. The bytes are the device's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/queue/answer.hpp"

namespace simgpu::runtime {

class HostView;

class Allocations {
 public:
  /// @param view is told of memory that the host can touch; nullptr: nobody need be
  explicit Allocations(HostView* view = nullptr) : view_(view) {}

  /// @param bytes may be 0: it then has an address of its own, and find() finds it nowhere.
  /// @return a stable address for the life of this object; `host` is null.
  const memory::Allocation* add(queue::Allocated where, std::uint64_t bytes, memory::AllocationKind kind,
                                std::string name = {});
  /// Its addresses stay known as freed, but for registered memory, whose addresses are the program's to use again.
  void free(std::uint64_t base);
  /// @return the allocation, live or freed, that holds @p address; nullptr if none does.
  const memory::Allocation* find(std::uint64_t address) const noexcept;
  /// @return the allocation, live or freed, whose edge is nearest to @p address, for messages; nullptr if there is none.
  const memory::Allocation* nearest(std::uint64_t address) const noexcept;

  /// Live memory that the device gives and the host touches, too: bytes by its begin.
  const std::map<std::uint64_t, std::uint64_t>& in_common() const noexcept { return in_common_; }
  /// A kernel was given the address of such memory, or was seen to use it: others may follow.
  void reached(std::uint64_t base) { in_reach_.insert(base); }
  bool in_reach(std::uint64_t base) const { return in_reach_.contains(base); }
  /// Whether the program has registered memory of its own that a kernel can be expected to reach.
  bool registered_in_reach() const;
  /// @return whether @p address is in memory that the program has registered.
  bool is_registered(std::uint64_t address) const noexcept {
    if (registered_.empty()) return false;
    const memory::Allocation* const a = find(address);
    return a != nullptr && a->kind == memory::AllocationKind::registered;
  }

 private:
  HostView* view_;
  std::set<std::uint64_t> in_reach_, registered_;
  std::map<std::uint64_t, std::uint64_t> in_common_;
  std::map<std::uint64_t, std::unique_ptr<memory::Allocation>> by_base_;
};

}  // namespace simgpu::runtime
