/// @file
/// The drill `sectors`: how many 32-byte sectors one request of a warp touches. Every count, also that of a mistake, comes
/// from the simulated GPU's coalescing; a mistake is the right count of another access.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "drills/drill.hpp"
#include "simgpu/observe/coalescing.hpp"

namespace course::drills {
namespace {

using namespace simgpu::observe;

/// Where the array begins: any address that is aligned as cudaMalloc aligns.
constexpr std::uint64_t kArray = 1 << 20;
constexpr std::uint32_t kAllLanes = ~0u;

/// Which lanes take part.
struct lane_choice {
  std::string condition;  ///< as in an if; empty: all
  std::uint32_t mask = kAllLanes;
};

/// One request: lane l asks for the `width` bytes of a[offset + stride * l].
struct access {
  std::uint32_t width = 4;  ///< bytes of an element
  std::int64_t offset = 0;  ///< elements
  std::int64_t stride = 1;  ///< elements
  lane_choice lanes;
  bool stores = false;

  std::uint64_t address(std::uint32_t lane) const {
    return kArray + static_cast<std::uint64_t>((offset + stride * lane) * width);
  }
};

Footprint footprint(const access& a) {
  std::array<std::uint64_t, kWarpLanes> address{};
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) address[lane] = a.address(lane);
  Footprint result;
  footprint_of(address.data(), a.lanes.mask, a.width, result);
  return result;
}

/// Sectors from the first byte to the last, also those that nobody asks for between them.
std::int64_t sectors_of_range(const access& a) {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if (!(a.lanes.mask >> lane & 1)) continue;
    first = std::min(first, a.address(lane) / kSectorBytes);
    last = std::max(last, (a.address(lane) + a.width - 1) / kSectorBytes);
  }
  return static_cast<std::int64_t>(last - first + 1);
}

const std::vector<mistake>& mistakes() {
  static const std::vector<mistake> kMistakes = {
      {"counts_lines",
       "That counts the 128-byte lines. A line has four sectors, and only those that somebody asks for are "
       "moved."},
      {"takes_base_as_aligned",
       "That would be right if lane 0's address were a multiple of 128 bytes. Look at where it really lies: "
       "a "
       "shift can add a "
       "sector."},
      {"one_sector_a_lane",
       "That is one sector for each lane that takes part. Lanes whose bytes lie in the same 32 bytes share "
       "one."},
      {"bytes_over_32",
       "That is the bytes asked for, divided by 32: the least that is possible. A sector counts whole, even "
       "if "
       "only a part of "
       "it is used."},
      {"ignores_mask", "That counts all 32 lanes. A lane whose condition is false asks for nothing."},
      {"four_bytes_each",
       "That takes each element for 4 bytes. Look at the array's type, and count again in bytes."},
      {"counts_the_range",
       "That counts every sector from the first byte to the last. Sectors between them that nobody asks for "
       "stay where they "
       "are."},
      {"four_a_line",
       "That is four sectors for each line that is touched. Only those sectors of a line are moved that "
       "somebody asks for."},
  };
  return kMistakes;
}

std::vector<numbers> by_mistake(const access& a) {
  access aligned = a, unmasked = a, four = a;
  aligned.offset -= aligned.offset * a.width % kLineBytes / a.width;
  unmasked.lanes.mask = kAllLanes;
  four.width = 4;
  const Footprint right = footprint(a);
  const auto count = [](std::uint32_t value) { return numbers{value}; };
  return {count(right.line_count),
          count(footprint(aligned).sectors),
          count(static_cast<std::uint32_t>(std::popcount(a.lanes.mask))),
          count(right.ideal_sectors()),
          count(footprint(unmasked).sectors),
          count(footprint(four).sectors),
          {sectors_of_range(a)},
          count(kSectorsPerLine * right.line_count)};
}

const char* type_of(std::uint32_t width) {
  switch (width) {
    case 1:
      return "unsigned char";
    case 2:
      return "short";
    case 8:
      return "double";
    case 16:
      return "float4";
    default:
      return "float";
  }
}

std::string index_of(const access& a) {
  if (a.stride == 0) return std::to_string(a.offset);
  const std::int64_t factor = a.stride < 0 ? -a.stride : a.stride;
  std::string term = factor == 1 ? "lane" : fmt::format("{} * lane", factor);
  if (a.offset == 0 && a.stride > 0) return term;
  return fmt::format("{} {} {}", a.offset, a.stride < 0 ? '-' : '+', term);
}

/// Two sectors, a character a byte, beginning with the lowest that any lane names.
std::string picture_of(const access& a) {
  constexpr std::uint32_t kShown = 2 * kSectorBytes;
  const std::uint64_t first = std::min(a.address(0), a.address(kWarpLanes - 1)) / kSectorBytes * kSectorBytes;
  std::string bytes(kShown, '.');
  for (const bool takes_part : {false, true}) {
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      if ((a.lanes.mask >> lane & 1) != takes_part) continue;
      for (std::uint64_t b = a.address(lane); b < a.address(lane) + a.width; ++b) {
        if (b >= first && b - first < kShown) bytes[b - first] = !takes_part ? '-' : lane % 2 ? '=' : '#';
      }
    }
  }
  const std::uint64_t byte = first - kArray;
  return fmt::format("    byte {:<28}{:<33}{}\n        |{}|{}| ...", byte, byte + kSectorBytes, byte + kShown,
                     bytes.substr(0, kSectorBytes), bytes.substr(kSectorBytes));
}

/// "0 to 4", "0, 2, 4, ... 62", ...: the sectors that are touched, counted from the array's start.
std::string sector_list(const access& a) {
  std::vector<bool> touched(4096, false);
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
    if (a.lanes.mask >> lane & 1) touched.at((a.address(lane) - kArray) / kSectorBytes) = true;
  }
  std::vector<std::string> runs;
  for (std::size_t s = 0; s < touched.size(); ++s) {
    if (!touched[s]) continue;
    std::size_t end = s;
    while (touched[end + 1]) ++end;
    runs.push_back(end == s ? fmt::format("{}", s) : fmt::format("{} to {}", s, end));
    s = end;
  }
  if (runs.size() > 6) runs = {runs[0], runs[1], runs[2], "...", runs.back()};
  return fmt::format("{}", fmt::join(runs, ", "));
}

question ask(const access& a) {
  question q;
  const std::string element = fmt::format("a[{}]", index_of(a));
  const std::string statement = a.stores ? element + " = x;" : "x = " + element + ";";
  const std::string condition = a.lanes.condition.empty() ? "" : fmt::format("if ({}) ", a.lanes.condition);
  q.text =
      fmt::format("{}* a;  // {} byte{} an element\n    {}{}\n\n{}\n\nHow many sectors does this {} touch?",
                  type_of(a.width), a.width, a.width == 1 ? "" : "s", condition, statement, picture_of(a),
                  a.stores ? "store" : "load");
  q.asks = {"sectors"};
  const Footprint right = footprint(a);
  q.right = {right.sectors};
  q.why =
      right.sectors == 1
          ? fmt::format("All bytes lie in sector {}, counted from the array's start.", sector_list(a))
          : fmt::format("The bytes lie in the sectors {}, counted from the array's start.", sector_list(a));
  q.by_mistake = by_mistake(a);
  return q;
}

template <class Predicate>
lane_choice lanes_where(std::string condition, Predicate takes_part) {
  lane_choice result{std::move(condition), 0};
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane)
    result.mask |= std::uint32_t{takes_part(lane)} << lane;
  return result;
}

lane_choice draw_lanes(dice& random) {
  const auto n = static_cast<std::uint32_t>(random.between(5, 27));
  switch (random.between(0, 9)) {
    case 0:
      return lanes_where(fmt::format("lane < {}", n), [&](std::uint32_t lane) { return lane < n; });
    case 1:
      return lanes_where(fmt::format("lane >= {}", n), [&](std::uint32_t lane) { return lane >= n; });
    case 2:
      return lanes_where("lane % 2 == 0", [](std::uint32_t lane) { return lane % 2 == 0; });
    case 3:
      return lanes_where("lane % 4 == 1", [](std::uint32_t lane) { return lane % 4 == 1; });
    case 4:
      return lanes_where("lane % 16 < 5", [](std::uint32_t lane) { return lane % 16 < 5; });
    case 5:
      return lanes_where("lane < 6 || lane >= 26", [](std::uint32_t lane) { return lane < 6 || lane >= 26; });
    default:
      return {};
  }
}

/// @param[in] low, high bytes from one lane to the next.
access draw_access(dice& random, std::int64_t low, std::int64_t high) {
  access a;
  a.width = random.one_of<std::uint32_t>({1, 2, 4, 4, 8, 8, 16});
  const auto elements = [&](std::int64_t bytes) { return std::max<std::int64_t>(bytes / a.width, 1); };
  a.stride = random.between(elements(low), elements(high));
  if (random.chance(75)) a.offset = random.between(1, kLineBytes / a.width - 1);
  if (random.chance(10)) {
    // Backwards: lane 31 has the lowest address.
    a.offset += (kWarpLanes - 1) * a.stride;
    a.stride = -a.stride;
  }
  a.lanes = draw_lanes(random);
  a.stores = random.chance(40);
  return a;
}

std::vector<question> propose_sectors(dice& random, unsigned) {
  std::vector<question> questions;
  // Neighbours; one element for all; near lanes share sectors; each lane in a sector of its own.
  for (int i = 0; i < 3; ++i) questions.push_back(ask(draw_access(random, 1, 1)));
  access broadcast = draw_access(random, 1, 1);
  broadcast.stride = random.chance(50) ? 0 : 1;
  if (broadcast.stride == 0) broadcast.offset = random.between(0, 200);
  questions.push_back(ask(broadcast));
  for (int i = 0; i < 3; ++i) questions.push_back(ask(draw_access(random, 2, 31)));
  for (int i = 0; i < 3; ++i) questions.push_back(ask(draw_access(random, 36, 160)));
  random.shuffle(questions);
  return questions;
}

}  // namespace

const drill& sectors() {
  static const drill kDrill = {
      "sectors",
      "predict_sectors",
      "how many 32-byte sectors a warp's load or store touches",
      "One warp, lanes 0 to 31, runs one load or store. Memory is moved in sectors: aligned blocks of 32 "
      "bytes.\n"
      "The array `a` comes from cudaMalloc, so a[0] lies at the start of a 128-byte line.\n"
      "The picture shows the two lowest sectors, a character a byte: # and = are bytes of even and odd "
      "lanes,\n"
      "- bytes of lanes that sit out, . bytes that no lane names, and | stands between sectors.",
      mistakes(),
      propose_sectors};
  return kDrill;
}

}  // namespace course::drills
