/// @file
/// See coalescing.hpp. This is the exact, slow path: Traffic remembers its results by pattern.
#include "simgpu/observe/coalescing.hpp"

#include <algorithm>
#include <bit>

namespace simgpu::observe {
namespace {

// Bits [from, from + count) of a sector's 32 bytes.
std::uint32_t byte_bits(std::uint32_t from, std::uint32_t count) noexcept {
  const std::uint64_t ones = (std::uint64_t{1} << count) - 1;
  return static_cast<std::uint32_t>(ones << from);
}

// Adds bytes [address, address + bytes), all within one line.
void add_to_line(TouchedLine& line, std::uint64_t address, std::uint32_t bytes) noexcept {
  auto offset = static_cast<std::uint32_t>(address % kLineBytes);
  while (bytes > 0) {
    const std::uint32_t sector = offset / kSectorBytes, within = offset % kSectorBytes;
    const std::uint32_t count = std::min(bytes, kSectorBytes - within);
    line.bytes[sector] |= byte_bits(within, count);
    offset += count;
    bytes -= count;
  }
}

}  // namespace

bool is_run(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes) noexcept {
  if (mask != ~0u || address[31] - address[0] != 31ull * bytes) return false;
  // Without early exits, so that the compiler uses vectors.
  std::uint64_t difference = 0;
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    difference |= address[lane] ^ (address[0] + std::uint64_t{lane} * bytes);
  }
  return difference == 0;
}

bool is_broadcast(const std::uint64_t* address, std::uint32_t mask) noexcept {
  if (mask != ~0u || address[31] != address[0]) return false;
  std::uint64_t difference = 0;
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) difference |= address[lane] ^ address[0];
  return difference == 0;
}

void footprint_of(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes,
                  Footprint& result) noexcept {
  result.line_count = result.sectors = result.distinct_bytes = 0;
  constexpr std::uint32_t kSlots = 128;             // twice the lines that there can be
  std::array<std::uint8_t, kSlots> slot_of_line{};  // index + 1 into result.lines
  std::uint32_t hint = 0;  // the line that the previous lane touched: the likeliest for the next
  const auto add = [&](std::uint64_t from, std::uint32_t count) {
    const std::uint64_t line = from / kLineBytes;
    if (result.line_count == 0 || result.lines[hint].line != line) {
      auto slot = static_cast<std::uint32_t>(line * 0x9E37'79B9'7F4A'7C15ull >> 57);
      while (slot_of_line[slot] != 0 && result.lines[slot_of_line[slot] - 1u].line != line)
        slot = (slot + 1) % kSlots;
      if (slot_of_line[slot] == 0) {
        result.lines[result.line_count] = TouchedLine{line, 0, 0, {}};
        slot_of_line[slot] = static_cast<std::uint8_t>(++result.line_count);
      }
      hint = slot_of_line[slot] - 1u;
    }
    add_to_line(result.lines[hint], from, count);
  };
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t from = address[std::countr_zero(rest)];
    const std::uint32_t in_line = kLineBytes - static_cast<std::uint32_t>(from % kLineBytes);
    add(from, std::min(bytes, in_line));
    if (bytes > in_line) add(from + in_line, bytes - in_line);
  }
  for (std::uint32_t i = 0; i < result.line_count; ++i) {
    TouchedLine& line = result.lines[i];
    for (std::uint32_t s = 0; s < kSectorsPerLine; ++s) {
      if (line.bytes[s] == 0) continue;
      line.sectors |= static_cast<std::uint8_t>(1u << s);
      if (line.bytes[s] != ~0u) line.partial |= static_cast<std::uint8_t>(1u << s);
      result.distinct_bytes += static_cast<std::uint32_t>(std::popcount(line.bytes[s]));
    }
    result.sectors += count_sectors(line.sectors);
  }
}

std::uint32_t sectors_of(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes) noexcept {
  Footprint footprint;
  footprint_of(address, mask, bytes, footprint);
  return footprint.sectors;
}

std::uint32_t tag_wavefronts_of(const Footprint& footprint, std::uint64_t line_shift) noexcept {
  std::array<std::uint32_t, 4> in_bank{};
  for (std::uint32_t i = 0; i < footprint.line_count; ++i) {
    const std::uint64_t l = footprint.lines[i].line + line_shift;
    ++in_bank[(l ^ (l >> 2) ^ (l >> 4) ^ (l >> 6) ^ (l >> 8)) & 3];
  }
  return *std::max_element(in_bank.begin(), in_bank.end());
}

}  // namespace simgpu::observe
