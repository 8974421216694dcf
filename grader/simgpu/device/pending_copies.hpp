/// @file
/// Asynchronous copies from and to page-locked memory that the host has not waited for. What they bring is not there yet: until
/// the host has waited it reads a pattern. What they take must not change yet: if it has when the host waits, the host wrote
/// too early. The bytes move when the call is made all the same, so a program's device side sees nothing of this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/observe/observer.hpp"
#include "simgpu/observe/touched.hpp"

namespace simgpu::device {

class PendingCopies final : public observe::HostMemoryWatcher {
 public:
  using Id = std::uint64_t;
  /// Every byte that an unfinished copy will bring.
  static constexpr std::byte kPattern{0xCD};

  /// Rows of host memory.
  struct Rows {
    std::byte* start = nullptr;  ///< where this process has them
    std::uint64_t address = 0;   ///< the program's
    std::size_t width = 0, height = 1, depth = 1, pitch = 0, slice = 0;
  };

  explicit PendingCopies(observe::Findings& findings) : findings_(findings) {}

  /// A copy of @p call, on @p stream, has brought its bytes to @p to: they are taken away until the host has waited.
  Id hide(const Rows& to);
  /// It takes its bytes from @p from.
  Id guard(const Rows& from, std::string call, std::string stream);
  /// The host has waited for it, or has been told that it is done.
  void finished(Id id);

  /// A device is about to touch host memory, by a copy or a fill: what was brought there is there for it.
  void device_touches(std::uint64_t address, std::uint64_t bytes, bool writes);
  /// The same for a kernel. If it writes, it may tell the host that what came before it is done.
  void kernel_touches(std::uint64_t address, std::uint64_t bytes, bool writes) override;
  /// The host has been seen writing to what it takes: nothing more need be said.
  void excuse(Id id);
  /// The memory is about to go.
  void forget(std::uint64_t address, std::uint64_t bytes);
  bool empty() const noexcept { return pending_.empty(); }

 private:
  struct Pending {
    Rows rows;
    std::uint64_t begin = 0, end = 0;
    std::vector<std::byte> brought;  ///< hidden
    std::uint64_t sum = 0;           ///< of a guarded source
    bool guarded = false;
    std::string call, stream;
  };
  using Map = std::map<Id, Pending>;
  Id add(Pending pending);
  void settle(const Pending& pending);
  Map::iterator erase(Map::iterator at);
  void clear();
  /// Those that touch these bytes, in order of issue.
  std::vector<Map::iterator> meeting(std::uint64_t address, std::uint64_t bytes);

  observe::Findings& findings_;
  Map pending_;
  /// By first byte. Each copy asks who else has its bytes, and a program can have thousands under way.
  std::set<std::pair<std::uint64_t, Id>> by_address_;
  std::uint64_t longest_ = 0;  ///< at least the longest of them [bytes]
  Id next_ = 1;
};

}  // namespace simgpu::device
