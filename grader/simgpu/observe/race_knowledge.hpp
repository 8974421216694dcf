/// @file
/// What a thread knows of others: a vector clock of threads, with few entries.
///
/// Time is a counter of synchronising events (race_order.hpp). To know a thread until some time means: all that it did before
/// then comes before whatever the knowing thread does now. Threads of a warp, and warps of a block, mostly come to be known
/// together, so an entry stands for lanes of one warp, or for all warps of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace simgpu::observe {

using Time = std::uint32_t;

inline constexpr std::uint32_t kAllLanes = 0xFFFF'FFFFu;
/// As the warp of an entry: all warps of the block. Its copy engine (warps from kCopies on, see race_order.hpp) is not meant.
inline constexpr std::uint32_t kAllWarps = 0xFF;
inline constexpr std::uint32_t kCopies = 32;

class Knowledge {
 public:
  /// Beyond it all that happened until the latest entry's time counts as known: more than is true, so no false alarm, and an
  /// order of so many threads by flags alone mostly means that the whole grid has met.
  static constexpr std::size_t kMostEntries = 256;
  struct Entry {
    std::uint32_t block = 0, warp = 0, lanes = 0;
    Time until = 0;
  };

  /// @return the lanes of that warp that are known beyond @p clock.
  std::uint32_t lanes(std::uint32_t block, std::uint32_t warp, Time clock) const noexcept;
  bool includes(const Knowledge& other) const noexcept;
  void add(Entry entry);
  void join(const Knowledge& other);
  /// Holds no more than so many entries, as above.
  void limit(std::size_t entries) {
    if (entries_.size() > entries) shorten();
  }
  /// Drops what is known of the block's warps before @p time, because it goes without saying.
  void forget(std::uint32_t block, Time time);
  /// Drops what is known of this warp.
  void forget_warp(std::uint32_t block, std::uint32_t warp);

 private:
  void shorten();

  Time everything_ = 0;         // until then all threads are known
  std::vector<Entry> entries_;  // by block and warp; those of one warp have no lane in common
};

/// Shared, since knowledge is passed on more often than it grows; nullptr: nothing is known.
using Known = std::shared_ptr<const Knowledge>;

/// @return all that either knows; @p a itself if @p b adds nothing. @param most entries of what is new
Known joined(const Known& a, const Known& b, std::size_t most = Knowledge::kMostEntries);

}  // namespace simgpu::observe
