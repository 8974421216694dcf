/// @file
/// Buffers of every memory kind, and their images in the arena.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "protocol/names.hpp"

namespace course::worker {

/// One allocation. `pointer` is its first byte.
struct allocation {
  protocol::memory_kind kind = protocol::memory_kind::device;
  std::size_t bytes = 0;
  void* pointer = nullptr;
};

/// Allocations by index. An index that asks for the same kind and size again keeps its address, so that a
/// program which remembers an answer by pointer meets the same pointer with other contents.
class allocations {
 public:
  ~allocations() = default;  // the process ends without tidying up: the device may no longer answer

  /// Makes allocation @p index as asked for.
  /// @return an empty text, or the runtime's error.
  std::string provide(std::size_t index, protocol::memory_kind kind, std::size_t bytes);

  /// Frees all from @p first on.
  void release_from(std::size_t first);

  allocation& operator[](std::size_t index) { return all_[index]; }
  std::size_t size() const { return all_.size(); }

 private:
  std::vector<allocation> all_;
};

/// Copies into an allocation. @return an empty text, or the runtime's error.
std::string copy_in(const allocation& to, std::size_t offset, const void* from, std::size_t bytes);
/// Copies out of an allocation. @return an empty text, or the runtime's error.
std::string copy_out(void* to, const allocation& from, std::size_t offset, std::size_t bytes);
/// Copies a whole allocation to another of the same kind and size. @return an empty text, or the runtime's
/// error.
std::string copy_between(const allocation& to, const allocation& from);

}  // namespace course::worker
