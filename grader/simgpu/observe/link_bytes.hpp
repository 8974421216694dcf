/// @file
/// What reads and writes of the host's memory cost the link, as bytes at the rate that whole lines reach. A request for one sector takes more
/// than half of what a line takes, and what is stored in parts goes word by word.
///
/// Measured on an H200 (one word of mapped memory every 4 to 512 bytes, and pieces of 16 to 128 bytes): 1.5 ns for a line of which one
/// sector is read, 1.7 to 2.2 for two, 2.75 for all four; 2.0 ns for each run of bytes stored that leaves part of a sector alone, 1.4 ns
/// for half a line that is stored whole.
#pragma once

#include <bit>
#include <cstdint>

#include "simgpu/observe/coalescing.hpp"

namespace simgpu::observe {

inline constexpr double kLinkRequestBytes = 58.6, kLinkSectorBytes = 17.4, kLinkPieceBytes = 104,
                        kLinkPartBytes = 8;

/// @param sectors of one line, at least one
constexpr double link_read_bytes(std::uint32_t sectors) noexcept {
  return kLinkRequestBytes + kLinkSectorBytes * sectors;
}

/// Runs of bytes side by side that a line's stores make.
constexpr std::uint32_t runs_of(const TouchedLine& line) noexcept {
  std::uint32_t runs = 0;
  bool before = false;
  for (const std::uint32_t bytes : line.bytes) {
    runs += static_cast<std::uint32_t>(std::popcount(bytes & ~(bytes << 1 | (before ? 1u : 0u))));
    before = (bytes >> 31) != 0;
  }
  return runs;
}

constexpr double link_write_bytes(const TouchedLine& line) noexcept {
  if (line.partial != 0) return kLinkPieceBytes * runs_of(line);
  const std::uint32_t sectors = count_sectors(line.sectors);
  return kSectorBytes * sectors + (sectors < kSectorsPerLine ? kLinkPartBytes : 0);
}

}  // namespace simgpu::observe
