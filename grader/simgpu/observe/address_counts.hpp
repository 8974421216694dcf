/// @file
/// How many atomics met on each address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simgpu::observe {

/// A hash table from address to counts. Beyond kMostAddresses new addresses are not remembered: what is hot
/// is seen early.
class AddressCounts {
 public:
  static constexpr std::size_t kMostAddresses = std::size_t{1} << 20;

  struct Entry {
    std::uint64_t address = 0;
    std::uint64_t lanes = 0;     ///< each lane by itself
    std::uint64_t combined = 0;  ///< once a warp
    std::uint32_t owner = 0;     ///< who added last, as the caller numbers them
    std::uint32_t latest = 0;    ///< the caller's: what it was about
  };

  void clear() {
    entries_.clear();
    used_ = 0;
  }

  /// @return the entry that was added to, until the next call; nullptr if there is no room for it.
  Entry* add(std::uint64_t address, std::uint64_t lanes, std::uint32_t owner) {
    if (used_ * 2 >= entries_.size() && entries_.size() < 2 * kMostAddresses) grow();
    Entry& e = slot(address);
    if (e.lanes == 0) {
      if (used_ >= kMostAddresses) return nullptr;
      e.address = address;
      e.latest = 0;
      ++used_;
    }
    e.lanes += lanes;
    e.combined += 1;
    e.owner = owner;
    return &e;
  }

  template <class F>
  void for_each(F&& f) const {
    for (const Entry& e : entries_) {
      if (e.lanes != 0) f(e);
    }
  }

 private:
  Entry& slot(std::uint64_t address) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t i = (address * 0x9E37'79B9'7F4A'7C15ull >> 24) & mask;
    while (entries_[i].lanes != 0 && entries_[i].address != address) i = (i + 1) & mask;
    return entries_[i];
  }

  void grow() {
    std::vector<Entry> old(entries_.empty() ? 64 : entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& e : old) {
      if (e.lanes != 0) slot(e.address) = e;
    }
  }

  std::vector<Entry> entries_;
  std::size_t used_ = 0;
};

}  // namespace simgpu::observe
