/// @file
/// Where a tensor copy puts a byte in shared memory: the patterns that spread the rows of a tile over the banks.
#pragma once

#include <cstdint>

namespace simgpu::async {

/// As in CUtensorMapSwizzle, same numbers.
enum class Swizzle : std::uint8_t { none, span_32, span_64, span_128 };

/// Bytes within which chunks change places. @return 0 for none.
constexpr std::uint32_t span_of(Swizzle s) noexcept {
  return s == Swizzle::none ? 0 : 16u << static_cast<unsigned>(s);
}

/// @param address a byte of shared memory. The pattern follows the address itself, not its place in the tile, so a
/// tile must be aligned to the pattern's period (8 spans) to look the same everywhere.
/// @return the address at which that byte really lies: 16-byte chunks are exchanged within a span.
constexpr std::uint32_t swizzled(Swizzle s, std::uint32_t address) noexcept {
  const std::uint32_t span = span_of(s);
  return span == 0 ? address : address ^ (address >> 3 & (span - 16));
}

}  // namespace simgpu::async
