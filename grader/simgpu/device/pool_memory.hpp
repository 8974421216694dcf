/// @file
/// Memory that a device's pools have taken from it, as far as the clock is concerned: taking more is dear, and so is giving it back
/// while the host waits. Pools of one device are not told apart.
#pragma once

#include <algorithm>
#include <cstdint>

namespace simgpu::device {

class PoolMemory {
 public:
  /// @return whether the pool had to take more from the device.
  bool take(std::uint64_t bytes) {
    used_ += bytes;
    if (used_ <= reserved_) return false;
    reserved_ = chunks(used_);
    return true;
  }
  void give_back(std::uint64_t bytes) { used_ -= std::min(used_, bytes); }
  /// cudaMemPoolAttrReleaseThreshold, as it was set last.
  void keep(std::uint64_t bytes) { kept_ = bytes; }
  /// The host has waited. @return whether the device got something back.
  bool trim() {
    const std::uint64_t left = std::max(chunks(used_), std::min(reserved_, chunks(kept_)));
    const bool less = left < reserved_;
    reserved_ = std::min(reserved_, left);
    return less;
  }

 private:
  /// A pool takes 32 MiB at a time, as the client tells it the program (runtime/state.hpp).
  static std::uint64_t chunks(std::uint64_t bytes) {
    constexpr std::uint64_t kChunk = 32u << 20;
    return bytes > UINT64_MAX - kChunk ? UINT64_MAX / kChunk * kChunk
                                       : (bytes + kChunk - 1) / kChunk * kChunk;
  }

  std::uint64_t used_ = 0, reserved_ = 0, kept_ = 0;
};

}  // namespace simgpu::device
