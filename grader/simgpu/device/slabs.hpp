/// @file
/// Where small allocations of device memory lie, as far as the clock is concerned: they share pieces of 2 MiB, so that most take a microsecond
/// of the host. The first in a piece and the last one freed cost what a large allocation does.
#pragma once

#include <cstdint>
#include <map>

namespace simgpu::device {

class Slabs {
 public:
  static constexpr std::uint64_t kBytes = 2u << 20;

  /// @param base of the allocation, which has @p bytes. @return whether the device had to be asked for more.
  bool take(std::uint64_t base, std::uint64_t bytes) {
    const std::uint64_t size = rounded(bytes);
    if (size >= kBytes) return true;
    for (auto& [number, slab] : slabs_) {
      if (slab.used + size > kBytes) continue;
      slab.used += size;
      ++slab.allocations;
      slab_of_[base] = number;
      return false;
    }
    slabs_[next_] = {size, 1};
    slab_of_[base] = next_++;
    return true;
  }
  /// @return whether the device gets a piece back.
  bool give_back(std::uint64_t base, std::uint64_t bytes) {
    const auto found = slab_of_.find(base);
    if (found == slab_of_.end()) return true;
    const auto slab = slabs_.find(found->second);
    slab_of_.erase(found);
    slab->second.used -= rounded(bytes);
    if (--slab->second.allocations != 0) return false;
    slabs_.erase(slab);
    return true;
  }

 private:
  struct Slab {
    std::uint64_t used = 0, allocations = 0;
  };
  static std::uint64_t rounded(std::uint64_t bytes) {
    return bytes > kBytes ? bytes : (bytes + 511) / 512 * 512;
  }

  std::map<std::uint64_t, Slab> slabs_;
  std::map<std::uint64_t, std::uint64_t> slab_of_;
  std::uint64_t next_ = 0;
};

}  // namespace simgpu::device
