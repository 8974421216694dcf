/// @file
/// See coverage.hpp.
#include "simgpu/observe/coverage.hpp"

#include <algorithm>
#include <bit>

namespace simgpu::observe {

// Splits stretches so that all of a stretch's lanes are among those that stand for others, or none is.
void CoverageMemo::split(Coverage& c, std::uint32_t shared, std::uint32_t bytes) {
  const Coverage whole = c;
  c.count = 0;
  for (std::uint32_t i = 0; i < whole.count; ++i) {
    const Coverage::Stretch& s = whole.stretches[i];
    for (std::uint32_t at = 0; at < s.bytes; at += bytes) {
      const std::uint32_t lane = s.lane + at / bytes;
      const bool several = shared >> lane & 1;
      if (at == 0 || c.stretches[c.count - 1].several != several)
        c.stretches[c.count++] = {s.offset + at, 0, lane, several};
      c.stretches[c.count - 1].bytes += bytes;
    }
  }
}

void CoverageMemo::fill(Coverage& c, const Access& a) {
  c.shape = a.shape;
  c.count = 0;
  c.distinct = true;
  const std::uint64_t* const at = a.address;
  const std::uint64_t first = a.first();
  std::int64_t low = 0, high = 0;
  std::uint32_t shared = 0;  // lanes that stand for others
  // From the last lane down: where lanes have the same address, the last one stands for all.
  for (std::uint32_t lane = kWarpLanes; lane-- > 0;) {
    if ((a.mask >> lane & 1) == 0) continue;
    const auto offset = static_cast<std::int64_t>(at[lane] - first);
    low = std::min(low, offset);
    high = std::max(high, offset);
    bool known = false;
    for (std::uint32_t i = 0; i < c.count && !known; ++i) {
      const auto into = static_cast<std::uint64_t>(offset - c.stretches[i].offset);
      known = into < c.stretches[i].bytes;
      if (known) shared |= 1u << (c.stretches[i].lane + into / a.bytes);
    }
    if (offset % a.bytes != 0) {
      c.count = 0;
      return;
    }
    if (known) {
      c.distinct = false;
      continue;
    }
    if (c.count != 0) {
      Coverage::Stretch& last = c.stretches[c.count - 1];
      if (last.lane == lane + 1 && last.offset == offset + a.bytes) {
        last.offset = offset;
        last.lane = lane;
        last.bytes += a.bytes;
        continue;
      }
    }
    c.stretches[c.count++] = {offset, a.bytes, lane, false};
  }
  if (shared != 0) split(c, shared, a.bytes);
  c.low = low;
  c.span = static_cast<std::uint64_t>(high - low) + a.bytes;
}

}  // namespace simgpu::observe
