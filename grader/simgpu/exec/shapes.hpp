/// @file
/// Finding the shape of an access: see lane_shape.hpp.
#pragma once

#include <algorithm>

#include "simgpu/exec/lane_shape.hpp"
#include "simgpu/exec/lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {

/// @param a address register of 32 lanes; @param first the first active lane's
template <class T>
inline bool matches(const LaneShape& s, const T* a, T first, u32 mask) {
  if (s.mask != mask) return false;
  const T* r = s.offsets<T>();
  T difference = 0;
  if (mask == kFull) {
    if (a[31] - first != r[31]) return false;  // most shapes that differ do so here
    SIMGPU_LANES difference |= static_cast<T>(a[l] - first) ^ r[l];
  } else {
    const T* on = reinterpret_cast<const T*>(s.taking_part);
    SIMGPU_LANES difference |= (static_cast<T>(a[l] - first) ^ r[l]) & on[l];
  }
  return difference == 0;
}

/// Takes on the shape of accesses of @p bytes at addresses @p a.
template <class T>
inline void assign(LaneShape& s, const T* a, T first, u32 mask, u32 bytes) {
  using Signed = std::make_signed_t<T>;
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
  s.low = static_cast<u64>(static_cast<s64>(low));
  s.span = static_cast<u64>(static_cast<s64>(high)) - s.low + bytes;
  s.aligned = bits == 0;
  s.uniform = any == 0;
  s.contiguous = mask == kFull && gap == 0;
  s.runs = s.sames = 0;
  for (u32 k = 0; k < 4 && mask == kFull; ++k) {
    bool run = true, same = true;
    for (u32 l = 8 * k; l < 8 * k + 8; ++l) {
      run &= static_cast<T>(r[l] - r[8 * k]) == static_cast<T>((l - 8 * k) * bytes);
      same &= r[l] == r[8 * k];
    }
    s.runs |= static_cast<u8>(run << k);
    s.sames |= static_cast<u8>(same << k);
  }
}

/// @return the shape, or nullptr if it is new (it may be remembered from now on).
template <class T>
inline const LaneShape* find_shape(Machine& machine, SiteShapes& site, const T* a, T first, u32 mask, u32 bytes) {
  for (const LaneShape& s : site.shapes)
    if (matches(s, a, first, mask)) {
      site.misses = 0;
      return &s;
    }
  // A chaotic site hardly ever repeats a shape: then remembering one is not worth its price.
  constexpr u32 kPatience = 32, kRetryEvery = 64;
  ++site.misses;
  if (site.misses > kPatience && site.misses % kRetryEvery != 0) return nullptr;
  LaneShape& s = site.shapes[site.misses % 2];  // the one that this one follows is kept
  assign(s, a, first, mask, bytes);
  s.id = ++machine.shapes_seen;
  return nullptr;
}

}  // namespace simgpu::exec::SIMGPU_ISA
