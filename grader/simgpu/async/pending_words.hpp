/// @file
/// Which words of a block's shared memory copies on their way (`cp.async`) will write. A tile that is filled ahead has thousands of copies
/// under way while another one is read: each access would have to look at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace simgpu::async {

/// Counts the copies for each word. A word whose count is at its end stays marked: a look too many is only slow.
class PendingWords {
 public:
  /// Copies have 4, 8 or 16 bytes and are aligned to them. @param offset in shared memory, bytes
  void add(std::uint64_t offset, std::uint32_t bytes) {
    if (counts_.size() < word_behind(offset, bytes)) counts_.resize(word_behind(offset, bytes));
    for (std::size_t word = offset / 4; word < word_behind(offset, bytes); ++word)
      if (counts_[word] != kMost) ++counts_[word];
    used_ = true;
  }
  void remove(std::uint64_t offset, std::uint32_t bytes) {
    for (std::size_t word = offset / 4; word < word_behind(offset, bytes); ++word)
      if (counts_[word] != kMost) --counts_[word];
  }
  /// @return false if no copy on its way touches [offset, offset + bytes)
  bool any(std::uint64_t offset, std::uint32_t bytes) const {
    for (std::size_t word = offset / 4; word < word_behind(offset, bytes) && word < counts_.size(); ++word)
      if (counts_[word] != 0) return true;
    return false;
  }
  void clear() {
    if (used_) counts_.clear();
    used_ = false;
  }

 private:
  static constexpr std::uint16_t kMost = std::numeric_limits<std::uint16_t>::max();
  static std::size_t word_behind(std::uint64_t offset, std::uint32_t bytes) {
    return static_cast<std::size_t>((offset + bytes + 3) / 4);
  }

  std::vector<std::uint16_t> counts_;
  bool used_ = false;
};

}  // namespace simgpu::async
