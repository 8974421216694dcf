/// @file
/// From the addresses of one warp instruction to the 32-byte sectors and 128-byte lines that it touches.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace simgpu::observe {

inline constexpr std::uint32_t kWarpLanes = 32;
inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kLineBytes = 128;
inline constexpr std::uint32_t kSectorsPerLine = kLineBytes / kSectorBytes;
inline constexpr std::uint8_t kAllSectors = (1u << kSectorsPerLine) - 1;

/// Number of sectors in a mask of the four of a line. (Without the machine's own instruction for it, which not every host
/// has, std::popcount is a call into a library.)
constexpr std::uint32_t count_sectors(std::uint32_t mask) noexcept {
  return static_cast<std::uint32_t>(0x4332'3221'3221'2110ull >> (4 * (mask & 15))) & 7;
}

/// Number of lanes in a mask; the same may be said of it as of count_sectors(), and nearly all masks are full.
constexpr std::uint32_t count_lanes(std::uint32_t mask) noexcept {
  return mask == ~0u ? kWarpLanes : static_cast<std::uint32_t>(std::popcount(mask));
}

/// A touched line.
struct TouchedLine {
  std::uint64_t line = 0;                              ///< address / 128
  std::uint8_t sectors = 0;                            ///< bit s: sector s of the line is touched
  std::uint8_t partial = 0;                            ///< bit s: touched, but not all of its 32 bytes
  std::array<std::uint32_t, kSectorsPerLine> bytes{};  ///< bit b of bytes[s]: byte b of sector s is touched
};

/// What one request touches. At most 64 lines: an access never straddles more than two.
struct Footprint {
  std::uint32_t line_count = 0;
  std::uint32_t sectors = 0;                      ///< distinct sectors
  std::uint32_t distinct_bytes = 0;               ///< bytes asked for by at least one lane
  std::array<TouchedLine, 2 * kWarpLanes> lines;  ///< in order of first touch

  /// What the same bytes would cost side by side. [sectors]
  std::uint32_t ideal_sectors() const noexcept { return (distinct_bytes + kSectorBytes - 1) / kSectorBytes; }
};

/// @param address 32 lane addresses; those of lanes outside @p mask are ignored.
/// @param bytes of each lane's access, 1 to 32.
void footprint_of(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes,
                  Footprint& result) noexcept;

/// @return whether all 32 lanes take part and lie side by side in ascending order: lane l at address[0] + l *
/// bytes.
bool is_run(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes) noexcept;

/// @return whether all 32 lanes take part and name one address.
bool is_broadcast(const std::uint64_t* address, std::uint32_t mask) noexcept;

/// Number of distinct sectors of a request.
std::uint32_t sectors_of(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes) noexcept;

/// Passes through the L1's tag stage: lines are spread over four tag banks, and the fullest bank decides.
/// Approximate (mean error 5 % against published counters): for the timing model, never for grading.
std::uint32_t tag_wavefronts_of(const Footprint& footprint, std::uint64_t line_shift = 0) noexcept;

}  // namespace simgpu::observe
