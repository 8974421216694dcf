/// @file
/// `cp.async` as a state machine: which copies a warp has begun, and in which group of its thread each one
/// is.
///
/// The bytes move as late as the rules allow, when their thread waits; until then the destination is
/// poisoned. So a missing wait gives wrong values every time, not only when one is unlucky.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simgpu/async/pending_words.hpp"

namespace simgpu::async {

/// Fills a destination whose copy has not been waited for: not a number when read as a float.
inline constexpr unsigned char kPoison = 0xFF;

/// The copies that the threads of one warp have begun and not waited for.
class CopyGroups {
 public:
  struct Copy {
    std::byte* to = nullptr;
    const std::byte* from = nullptr;  ///< nullptr: zeros only
    std::uint32_t bytes = 0, source_bytes = 0;
    std::uint32_t lane = 0, group = 0;
    std::uint32_t site = 0;
    std::uint32_t shared_offset = 0;
    std::uint64_t number = 0;  ///< counts the warp's copies
  };

  void reset() {
    if (fresh_) return;  // of nearly all warps
    fresh_ = true;
    copies_.clear();
    groups_.fill(0);
    lowest_ = ~std::uint64_t{0}, end_ = 0;
  }

  /// A thread starts a copy: it belongs to the group that the thread commits next. @param words the block's, the same ones in each call
  void begin(Copy copy, PendingWords& words) {
    fresh_ = false;
    words_ = &words;
    words.add(copy.shared_offset, copy.bytes);
    copy.group = groups_[copy.lane];
    copy.number = next_++;
    std::memset(copy.to, kPoison, copy.bytes);
    copies_.push_back(copy);
    enclose(copy);
  }

  void commit(std::uint32_t mask) {
    fresh_ = false;
    for (std::uint32_t lane = 0; lane < 32; ++lane) groups_[lane] += mask >> lane & 1;
  }

  /// Lanes @p mask wait until at most @p pending of their newest committed groups are open. @return copies
  /// completed.
  std::size_t wait(std::uint32_t mask, std::uint32_t pending) {
    return finish([&](const Copy& c) {
      return (mask >> c.lane & 1) && c.group < groups_[c.lane] && groups_[c.lane] - c.group > pending;
    });
  }

  /// Lanes @p mask wait for everything they have begun, committed or not. @return copies completed.
  std::size_t wait_all(std::uint32_t mask) {
    return finish([&](const Copy& c) { return (mask >> c.lane & 1) != 0; });
  }

  /// Completes what @p lane has begun before copy number @p until. @return copies completed.
  std::size_t complete_until(std::uint32_t lane, std::uint64_t until) {
    return finish([&](const Copy& c) { return c.lane == lane && c.number < until; });
  }
  /// Number that the next copy will have.
  std::uint64_t next() const { return next_; }

  /// @return a copy not waited for that will write into [offset, offset + bytes) of shared memory, or
  /// nullptr.
  const Copy* overlapping(std::uint64_t offset, std::uint32_t bytes) const {
    // A tile that is read lies mostly beside the one on its way: no need to look at each of a thousand copies.
    if (offset >= end_ || offset + bytes <= lowest_) return nullptr;
    for (const Copy& c : copies_)
      if (offset < std::uint64_t{c.shared_offset} + c.bytes && c.shared_offset < offset + bytes) return &c;
    return nullptr;
  }

  bool empty() const { return copies_.empty(); }
  std::size_t size() const { return copies_.size(); }
  /// Bytes of shared memory that they will write.
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const Copy& c : copies_) sum += c.bytes;
    return sum;
  }

 private:
  template <class Ready>
  std::size_t finish(Ready&& ready) {
    std::size_t kept = 0, done = 0;
    for (const Copy& c : copies_) {
      if (!ready(c)) {
        copies_[kept++] = c;
        continue;
      }
      if (c.from && c.source_bytes) std::memcpy(c.to, c.from, c.source_bytes);
      std::memset(c.to + c.source_bytes, 0, c.bytes - c.source_bytes);
      words_->remove(c.shared_offset, c.bytes);
      ++done;
    }
    copies_.resize(kept);
    if (done > 0) {
      lowest_ = ~std::uint64_t{0}, end_ = 0;
      for (const Copy& c : copies_) enclose(c);
    }
    return done;
  }

  void enclose(const Copy& copy) {
    lowest_ = std::min(lowest_, std::uint64_t{copy.shared_offset});
    end_ = std::max(end_, std::uint64_t{copy.shared_offset} + copy.bytes);
  }

  bool fresh_ = true;  // nothing was begun or committed since the latest reset()
  std::vector<Copy> copies_;
  PendingWords* words_ = nullptr;  // set while there are copies
  std::uint64_t next_ = 0;
  std::uint64_t lowest_ = ~std::uint64_t{0}, end_ = 0;  // of shared memory that the copies will write
  std::array<std::uint32_t, 32> groups_{};
};

}  // namespace simgpu::async
