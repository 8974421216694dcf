/// @file
/// A call of thrust: how much each word is more than the one before.
#include <thrust/adjacent_difference.h>
#include <thrust/execution_policy.h>

#include "held_out_14.hpp"

namespace held_out_14 {

void library_calls(Set& s) {
  const std::size_t words = s.n / 8;
  s.run(
      "differences of neighbouring words by thrust", 8.0 * real(words),
      [&] { thrust::adjacent_difference(thrust::device, s.words, s.words + words, s.numbers()); },
      [&] {
        return numbers(s, words,
                       [](std::size_t i) { return i == 0 ? word_of(0) : word_of(i) - word_of(i - 1); });
      });
}

}  // namespace held_out_14
