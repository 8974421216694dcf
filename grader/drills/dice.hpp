/// @file
/// Random numbers that are the same on every machine: a draw must be repeatable from its number. (The standard fixes what
/// mt19937_64 gives, but not what its distributions make of that.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

namespace course::drills {

class dice {
 public:
  explicit dice(std::uint64_t start) : engine_(start) {}

  /// A whole number from @p low to @p high, both included. The bias of the remainder is far below what a drill could show.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// true in @p percent of all throws.
  bool chance(int percent) { return between(0, 99) < percent; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1],
                items[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(left) - 1))]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace course::drills
