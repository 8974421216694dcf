/// @file
/// What the blind sets up to the sixth have made for one another, by one name for the sets that came later, the
/// lists that sparse structures have, and how the latest of these hold all results against what is right.
#pragma once

#include "held_out_6/held_out_6.hpp"

namespace set_helpers {

using blind::float_of, blind::other_of, blind::byte_of;
using blind::Set;
using held_out_2::floats, held_out_2::numbers;
using held_out_3::double_of, held_out_3::real, held_out_3::as_number, held_out_3::taken, held_out_3::kept;
using held_out_4::room, held_out_4::within;
using held_out_6::doubles;
using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

/// Where each one's entries begin, if each has @p fewest and up to @p more of them.
inline std::vector<unsigned> starts_of(unsigned count, unsigned fewest, unsigned more, unsigned seed) {
  std::vector<unsigned> starts(count + std::size_t{1});
  for (unsigned i = 0; i < count; ++i) starts[i + 1] = starts[i] + fewest + word_of(i + seed) % more;
  return starts;
}
/// Numbers below @p below in no order.
inline std::vector<unsigned> numbers_below(std::size_t count, unsigned below, unsigned seed) {
  std::vector<unsigned> any(count);
  for (std::size_t k = 0; k < count; ++k) any[k] = place_of(word_of(k + seed), below);
  return any;
}

/// Does Set::out hold what @p right is true of, a place and what is there, in each @p every-th of @p count
/// places? All are looked at unless one takes the host long.
template <typename T, typename Right>
bool right_everywhere(const Set& s, std::size_t count, std::size_t every, const Right& right) {
  const std::vector<T> got = taken(reinterpret_cast<const T*>(s.out), count);
  for (std::size_t i = 0; i < count; i += every)
    if (!right(i, got[i])) {
      std::printf("  element %zu of %zu\n", i, count);
      return false;
    }
  return count > 0;
}
/// As numbers that are the same to the last bit.
template <typename T = unsigned, typename Want>
bool same_everywhere(const Set& s, std::size_t count, const Want& want, std::size_t every = 1) {
  return right_everywhere<T>(s, count, every, [&](std::size_t i, T got) { return got == want(i); });
}
/// As numbers that are off by at most @p far, or by so much of what they are where they are great.
template <typename T = float, typename Want>
bool near_everywhere(const Set& s, std::size_t count, double far, const Want& want, std::size_t every = 1) {
  return right_everywhere<T>(s, count, every, [&](std::size_t i, T got) {
    const double wanted = want(i), off = std::abs(double{got} - wanted);
    if (off <= far * (1 + std::abs(wanted))) return true;
    std::printf("  %g, not %g\n", double{got}, wanted);
    return false;
  });
}

}  // namespace set_helpers
