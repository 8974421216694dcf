/// @file
/// Of several that each have a next time: who comes first. The replay asks at every machine instruction.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simgpu::timing {

/// Those of one time come in the order of their numbers. A tree of matches: each is between the winners of two before it, and the last has who comes
/// first. A change plays one match on each floor, without a branch that the host could guess wrongly; of a heap, those took most of a replay's time.
class Earliest {
 public:
  struct Entry {
    double time;
    std::uint32_t number;
  };
  /// @param count of them; none has a time yet.
  explicit Earliest(std::size_t count)
      : leaves_(std::bit_ceil(std::max<std::size_t>(2, count))), nodes_(2 * leaves_) {}
  bool empty() const noexcept { return nodes_[1].time == kNobody; }
  Entry top() const noexcept { return {std::bit_cast<double>(nodes_[1].time), nodes_[1].number}; }
  /// Its next time, in place of what it had.
  void push(const Entry& e) noexcept { play({std::bit_cast<std::uint64_t>(e.time), e.number}); }
  void remove(std::uint32_t number) noexcept { play({kNobody, number}); }

 private:
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  struct Node {
    std::uint64_t time = kNobody;  // the bits of one that is not negative: they are in its order
    std::uint32_t number = 0;
  };
  void play(Node n) noexcept {
    for (std::size_t at = leaves_ + n.number; at > 1; at /= 2) {
      nodes_[at] = n;
      const Node other = nodes_[at ^ 1];
      const bool loses = (other.time < n.time) | ((other.time == n.time) & (other.number < n.number));
      n.time = loses ? other.time : n.time;
      n.number = loses ? other.number : n.number;
    }
    nodes_[1] = n;
  }

  std::size_t leaves_;
  std::vector<Node> nodes_;
};

}  // namespace simgpu::timing
