/// @file
/// See texture_unit.hpp. The figures are an H200's (tests/fixtures/h200_texels.csv), with an SM full of warps and all texels in its L1; those of
/// gathers and of wide texels of a volume an H100's (timing/calibration.md).
#include "simgpu/observe/texture_unit.hpp"

#include <algorithm>
#include <array>

#include "simgpu/memory/textures.hpp"
#include "simgpu/observe/coalescing.hpp"

namespace simgpu::observe {
namespace {

/// Of four neighbouring lanes: a base that format and filter decide, or more if what they ask for lies in more lines than are looked up together.
/// [hundredths of a cycle]
struct QuadCycles {
  std::uint32_t base = 101, line = 57, together = 0;
};
bool of_plane_surface(const TextureAccess& a) {
  return a.surface && a.dimensions == 2;
}
QuadCycles quad_cycles(const TextureAccess& a) {
  const bool filtered = a.filtered != 0, wide = a.bytes > 8;
  if (a.kind == AccessKind::store) return {};
  if (a.by_number) return {wide ? 98u : 50u, 95, 1};
  if (a.gathers) return {208};
  if (a.dimensions == 1) {
    if (wide) return {filtered ? 405u : 200u, filtered ? 160u : 80u, 2};
    return {101, 80, filtered ? 1u : 2u};
  }
  if (of_plane_surface(a)) return {wide ? 200u : a.bytes > 4 ? 100u : 50u, 57, 2};
  if (a.dimensions == 3)
    return !filtered ? QuadCycles{101, 57, 2} : wide ? QuadCycles{1610, 97} : QuadCycles{205, 40};
  if (wide) return {filtered ? 405u : 200u, filtered ? 97u : 57u, 3};
  // Two lines beside each other, or four around a place between texels.
  return {101, 57, filtered ? 4u : 2u};
}

/// What lies in one line of a plane or of a volume, or in a sector of memory. Of an array of one dimension only the first of a tile's rows is
/// there, and lanes get in each other's way by less. [bytes]
std::uint64_t line_bytes_of(const TextureAccess& a) {
  if (a.by_number) return kSectorBytes;
  if (a.dimensions != 1) return kLineBytes;
  return a.bytes > 8 ? kLineBytes / 2 : kLineBytes / 4;
}

/// Of a surface, which goes by bytes and has no filter, it counts over how many columns of 16 bytes the lanes of a row reach, and whether they
/// leave some out. @return 0: not in one neighbourhood, so that it goes by lines. [hundredths of a cycle]
std::uint32_t surface_cycles(const std::array<std::uint64_t, 32>& column, std::uint32_t columns,
                             std::uint32_t bytes) {
  constexpr std::uint64_t kNeighbourhood = 12;
  const auto [first, last] = std::minmax_element(column.begin(), column.begin() + columns);
  if (*last - *first >= kNeighbourhood) return 0;
  constexpr std::array<std::uint32_t, 4> kNarrow{50, 83, 190, 255}, kPairs{100, 110, 165, 376};
  const std::uint32_t n = std::min(columns, 4u) - 1;
  if (bytes <= 4) return kNarrow[n];
  if (bytes <= 8) return kPairs[n];
  return *last - *first >= 4 ? 350 : n == 3 ? 226 : 200;
}
/// What lies in memory comes out of four banks, a sector of a line each: of a column of rows that are whole lines all comes out of one.
std::uint32_t most_in_a_bank(const std::array<std::uint64_t, 32>& sector, std::uint32_t sectors) {
  std::array<std::uint32_t, kSectorsPerLine> bank{};
  for (std::uint32_t n = 0; n < sectors; ++n) ++bank[sector[n] % bank.size()];
  return *std::max_element(bank.begin(), bank.end());
}

}  // namespace

std::uint64_t texture_unit_cycles(const TextureAccess& a, std::uint32_t lanes) {
  constexpr std::uint32_t kQuad = 4, kWideTexelsOfPass = 8, kSectorsOfPass = 4;
  const QuadCycles cycles = quad_cycles(a);
  if (a.texels == 0 || a.kind == AccessKind::store)
    return std::uint64_t{cycles.base} * ((lanes + kQuad - 1) / kQuad);
  const auto add = [](auto& list, std::uint32_t& count, std::uint64_t what) {
    const auto end = list.begin() + count;
    if (count < list.size() && std::find(list.begin(), end, what) == end) list[count++] = what;
  };
  const std::uint64_t line_bytes = line_bytes_of(a);
  const bool between = a.filtered != 0 && a.dimensions == 2;
  const bool surface = of_plane_surface(a);
  std::array<std::uint64_t, 32> line, texel, sector, column;
  std::uint64_t sum = 0;
  for (std::uint32_t t = 0; t < a.texels;) {
    const std::uint32_t quad = a.lane[t] / kQuad;
    std::uint32_t lines = 0, texels = 0, sectors = 0, columns = 0;
    for (; t < a.texels && a.lane[t] / kQuad == quad; ++t) {
      add(line, lines, a.address[t] / line_bytes);
      if (a.bytes == 8) add(texel, texels, a.address[t]);
      if (between) add(sector, sectors, a.address[t] / kSectorBytes);
      if (surface) add(column, columns, memory::counted_column(a.address[t]));
    }
    const bool two = a.bytes == 8 ? a.filtered != 0 && texels > kWideTexelsOfPass
                                  : between && a.bytes < 8 && sectors > kSectorsOfPass;
    if (a.by_number) lines = most_in_a_bank(line, lines);  // of sectors
    const std::uint32_t near = surface ? surface_cycles(column, columns, a.bytes) : 0,
                        apart = near == 0 && lines > cycles.together ? cycles.line * lines : near;
    sum += std::max(cycles.base * (two ? 2 : 1), apart);
  }
  return sum;
}

}  // namespace simgpu::observe
