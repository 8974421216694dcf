/// @file
/// Sees the host touch memory that work of a device is still using: managed memory, and page-locked memory on its way.
///
/// Pages that unfinished work uses as a whole are closed to the host, those that it only reads against writing. Who touches one
/// all the same gets it opened again, and the touch is remembered. The runtime itself opens all while it works.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/touched.hpp"

namespace simgpu::device {

/// @return whether @p address is in memory that was closed, and now is open: a fault there is none. Async-signal-safe.
bool open_for_host(std::uint64_t address, bool writes) noexcept;

class HostGuard {
 public:
  using Id = std::uint64_t;
  /// One touch.
  struct Touch {
    Id id = 0;  ///< of whose memory
    std::uint64_t address = 0;
    bool writes = false;
  };

  explicit HostGuard(const memory::DeviceMemory& memory) : memory_(memory) {}

  /// Closes what is in @p touched and in memory of both sides, until open().
  /// @return whether there is any such.
  bool close(Id id, const observe::Touched& touched);
  void open(Id id);
  /// The memory is about to go.
  void forget(std::uint64_t address, std::uint64_t bytes);
  void open_all();
  /// The runtime is going to touch memory itself; calls nest.
  void suspend();
  void resume();
  /// @return what was touched since the last call.
  std::vector<Touch> take();

 private:
  struct Range {
    Id id = 0;
    std::uint64_t begin = 0, end = 0;  ///< whole pages
    bool written = false;
  };
  void add(Id id, const observe::ByteSet& bytes, bool written);
  void publish();
  void protect(bool closed);

  const memory::DeviceMemory& memory_;
  std::vector<Range> ranges_;
  int suspended_ = 0;
};

}  // namespace simgpu::device
