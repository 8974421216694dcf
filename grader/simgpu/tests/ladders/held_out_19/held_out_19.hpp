/// @file
/// What the kernels of the nineteenth held-out set share. Arrays, frame and helpers are the earlier sets'; so
/// is the rule that work and what is counted of it are factors of Set::n or Set::sms. Tables that a problem
/// fixes stay as they are; what a launch costs does not shrink: run_whole counts it. Each file has a class or
/// a few of kernels; main.cu runs them.
#pragma once

#include "../set_helpers.hpp"

namespace held_out_19 {

using namespace set_helpers;

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

#include "../set_groups.hpp"

}  // namespace held_out_19
