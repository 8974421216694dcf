/// @file
/// What the client knows of memory: which addresses belong to which allocation. The bytes are the device's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/queue/answer.hpp"

namespace simgpu::runtime {

class Allocations {
 public:
  /// @param bytes may be 0: it then has an address of its own, and find() finds it nowhere.
  /// @return a stable address for the life of this object; `host` is null.
  const memory::Allocation* add(queue::Allocated where, std::uint64_t bytes, memory::AllocationKind kind,
                                std::string name = {});
  /// Its addresses stay known as freed, but for registered memory, whose addresses are the program's to use again.
  void free(std::uint64_t base);
  /// @return the allocation, live or freed, that holds @p address; nullptr if none does.
  const memory::Allocation* find(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, std::unique_ptr<memory::Allocation>> by_base_;
};

}  // namespace simgpu::runtime
