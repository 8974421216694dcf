/// @file
/// Instructions by which a block looks at words that blocks before it have published, as a running sum in one pass does ("looking back"): on a
/// card, where they run at the same time, it waits for them. Found by what strong accesses of global memory do: a word has one publisher, each
/// block its own. (One word for all is a barrier of the grid; what several blocks write is behind a lock.)
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simgpu/observe/counters.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

class LookBack {
 public:
  /// Words beyond so many are not remembered: who looks back is seen early.
  static constexpr std::size_t kMostWords = std::size_t{1} << 20;

  /// Who looks back asks its neighbours, in the order of the grid, or near to it: so far away are they at most, on the average of the lanes.
  static constexpr std::uint64_t kFarthest = 64;

  void launch_begin();
  /// @param a strong access of global memory.
  void access(const Access& a);

  /// Of a site; zeroes for most.
  Looks of(std::uint32_t site) const;

 private:
  struct OfSite {
    std::uint32_t site = 0;
    std::uint64_t latest_block = ~std::uint64_t{0};
    Looks looks;
  };

  struct Word {
    std::uint64_t publisher = 0;  // block
    bool one_publisher = true;
    std::uint32_t looked_at_by = 0;  // the latest site that did, plus one
  };

  void publish(std::uint64_t at, std::uint64_t block);

  std::unordered_map<std::uint64_t, Word> words_;  // by address of the first byte
  std::vector<OfSite> sites_;
};

}  // namespace simgpu::observe
