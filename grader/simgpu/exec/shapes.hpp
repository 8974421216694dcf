/// @file
/// Finding the shape of an access: see lane_shape.hpp.
#pragma once

#include <algorithm>
#include <utility>

#include "simgpu/exec/lane_shape.hpp"
#include "simgpu/exec/lanes.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace simgpu::exec::SIMGPU_ISA {

/// Whether the lanes' differences from the first are the shape's; of all lanes, or where @p on is all ones.
template <class T, bool all>
inline bool same_offsets(const T* a, T first, const T* r, [[maybe_unused]] const T* on) {
#if defined(__AVX2__)
  const auto load = [](const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); };
  const __m256i base = sizeof(T) == 8 ? _mm256_set1_epi64x(static_cast<long long>(first))
                                      : _mm256_set1_epi32(static_cast<int>(first));
  __m256i difference = _mm256_setzero_si256();
  for (std::size_t l = 0; l < 32; l += 32 / sizeof(T)) {
    const __m256i v = load(a + l);
    __m256i d =
        _mm256_xor_si256(sizeof(T) == 8 ? _mm256_sub_epi64(v, base) : _mm256_sub_epi32(v, base), load(r + l));
    if (!all) d = _mm256_and_si256(d, load(on + l));
    difference = _mm256_or_si256(difference, d);
  }
  return _mm256_testz_si256(difference, difference) != 0;
#else
  T difference = 0;
  if (all) {
    SIMGPU_LANES difference |= static_cast<T>(a[l] - first) ^ r[l];
  } else {
    SIMGPU_LANES difference |= (static_cast<T>(a[l] - first) ^ r[l]) & on[l];
  }
  return difference == 0;
#endif
}

/// @param a address register of 32 lanes; @param first the first active lane's
template <class T>
inline bool matches(const LaneShape& s, const T* a, T first, u32 mask) {
  if (s.mask != mask) return false;
  const T* r = s.offsets<T>();
  if (mask != kFull) return same_offsets<T, false>(a, first, r, reinterpret_cast<const T*>(s.taking_part));
  // Most shapes that differ do so in the last lane.
  return a[31] - first == r[31] && same_offsets<T, true>(a, first, r, nullptr);
}

/// The shape of accesses of @p bytes at addresses @p a.
template <class T>
LaneShape shape_at(const T* a, T first, u32 mask, u32 bytes) {
  using Signed = std::make_signed_t<T>;
  LaneShape s;
  T* r = s.offsets<T>();
  T* on = reinterpret_cast<T*>(s.taking_part);
  Signed low = 0, high = 0;
  T bits = 0, any = 0, gap = 0;
  for (u32 l = 0; l < 32; ++l) {
    on[l] = mask >> l & 1 ? ~T{0} : 0;
    r[l] = static_cast<T>(a[l] - first) & on[l];
    low = std::min(low, static_cast<Signed>(r[l]));
    high = std::max(high, static_cast<Signed>(r[l]));
    bits |= r[l] & (bytes - 1);
    any |= r[l];
    gap |= r[l] ^ static_cast<T>(l * bytes);
  }
  s.mask = mask;
  s.bytes = bytes;
  s.wide = sizeof(T) == 8;
  s.low = static_cast<u64>(static_cast<s64>(low));
  s.span = static_cast<u64>(static_cast<s64>(high)) - s.low + bytes;
  s.aligned = bits == 0;
  s.uniform = any == 0;
  s.contiguous = mask == kFull && gap == 0;
  for (u32 k = 0; k < 4 && mask == kFull; ++k) {
    bool run = true, same = true;
    for (u32 l = 8 * k; l < 8 * k + 8; ++l) {
      run &= static_cast<T>(r[l] - r[8 * k]) == static_cast<T>((l - 8 * k) * bytes);
      same &= r[l] == r[8 * k];
    }
    s.runs |= static_cast<u8>(run << k);
    s.sames |= static_cast<u8>(same << k);
    s.eights[k] = static_cast<Signed>(r[8 * k]);
  }
  using Way = LaneShape::Way;
  if (mask == kFull)
    s.way = s.contiguous                ? Way::run
            : s.uniform                 ? Way::same
            : s.runs == 0xF             ? Way::runs
            : s.sames == 0xF            ? Way::sames
            : (s.runs | s.sames) == 0xF ? Way::mixed
                                        : Way::scattered;
  return s;
}

/// A shape that the site has not shown of late.
template <class T>
const LaneShape* new_shape(ShapeTable& table, SiteShapes& site, const T* a, T first, u32 mask, u32 bytes) {
  // A chaotic site hardly ever repeats a shape: then remembering one is not worth its price.
  constexpr u32 kPatience = 32, kRetryEvery = 64;
  ++site.misses;
  if (site.misses > kPatience && site.misses % kRetryEvery != 0) return nullptr;
  const LaneShape s = shape_at(a, first, mask, bytes);
  const LaneShape* found = table.shared(s);
  if (!found) {
    if (!site.own) site.own = &table.own();
    LaneShape& own =
        (*site.own)[site.recent[0] == &(*site.own)[0]];  // the shape that this one follows is kept
    own = s;
    own.id = table.number();
    found = &own;
  }
  site.recent = {found, site.recent[0]};
  return found;
}

/// Not the latest shape: the one before it, or a new one.
template <class T>
[[gnu::noinline]] const LaneShape* other_shape(ShapeTable& table, SiteShapes& site, const T* a, T first,
                                               u32 mask, u32 bytes) {
  const LaneShape* const other = site.recent[1];
  if (!other || !matches(*other, a, first, mask)) return new_shape(table, site, a, first, mask, bytes);
  site.misses = 0;
  std::swap(site.recent[0], site.recent[1]);
  return other;
}

/// @return the shape, or nullptr if the site is too chaotic.
template <class T>
inline const LaneShape* find_shape(ShapeTable& table, SiteShapes& site, const T* a, T first, u32 mask,
                                   u32 bytes) {
  const LaneShape* const latest = site.recent[0];
  if (latest && matches(*latest, a, first, mask)) [[likely]] {
    site.misses = 0;
    return latest;
  }
  return other_shape(table, site, a, first, mask, bytes);
}

}  // namespace simgpu::exec::SIMGPU_ISA
