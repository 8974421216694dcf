/// @file
/// The words of memory that a kernel looks at while it waits: it goes on when somebody has changed one of them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::exec {

class PolledWords final : public observe::Observer {
 public:
  /// More than that are not remembered.
  static constexpr std::size_t kMost = 1 << 14;

  void access(const observe::Access& access) override;
  void clear() { words_.clear(); }
  bool any() const noexcept { return !words_.empty(); }
  /// Takes the values of now.
  void remember(const memory::DeviceMemory& memory);
  /// @return whether one has changed since, or is no more.
  bool changed(const memory::DeviceMemory& memory) const;

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> words_;  ///< values of aligned eight bytes, by address
  std::uint64_t latest_ = 0;
};

}  // namespace simgpu::exec
