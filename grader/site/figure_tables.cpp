#include "site/figure_tables.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simgpu/observe/banks.hpp"
#include "simgpu/observe/coalescing.hpp"

namespace course::site {
namespace {

using namespace simgpu::observe;
using nlohmann::json;

/// Which lanes take part.
struct lane_choice {
  const char* text;
  std::uint32_t mask;
};

constexpr lane_choice kLanes[] = {
    {"all 32 lanes", ~0u},        {"lane < 16", 0x0000'ffffu},
    {"even lanes", 0x5555'5555u}, {"every fourth lane", 0x1111'1111u},
    {"lane 0 alone", 1u},
};

/// Lane l touches element offset + l * stride.
std::array<std::uint64_t, kWarpLanes> addresses(std::uint32_t offset, std::uint32_t stride,
                                                std::uint32_t width) {
  std::array<std::uint64_t, kWarpLanes> address{};
  for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane)
    address[lane] = std::uint64_t{offset + lane * stride} * width;
  return address;
}

json masks() {
  json all = json::array();
  for (const lane_choice& one : kLanes) all.push_back({{"text", one.text}, {"mask", one.mask}});
  return all;
}

/// One number for each width, choice of lanes, offset and stride, in this order, the last one running fastest.
struct table {
  std::vector<std::uint32_t> widths;  ///< bytes a lane
  std::uint32_t offsets = 0;          ///< 0 .. offsets - 1 [elements]
  std::uint32_t strides = 0;          ///< 0 .. strides - 1 [elements]

  template <class Count>
  json of(Count count) const {
    json numbers = json::array();
    for (const std::uint32_t width : widths) {
      for (const lane_choice& lanes : kLanes) {
        for (std::uint32_t offset = 0; offset < offsets; ++offset) {
          for (std::uint32_t stride = 0; stride < strides; ++stride)
            numbers.push_back(count(addresses(offset, stride, width).data(), lanes.mask, width));
        }
      }
    }
    return numbers;
  }

  json shape() const { return {{"widths", widths}, {"offsets", offsets}, {"strides", strides}}; }
};

}  // namespace

std::string figure_tables_script(const std::string& tiers, const std::string& measured) {
  const table global{{1, 2, 4, 8, 16}, 32, 41};
  json coalescing = global.shape();
  coalescing["sectors"] = global.of(sectors_of);
  const auto footprint = [](const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes) {
    Footprint touched;
    footprint_of(address, mask, bytes, touched);
    return touched;
  };
  coalescing["lines"] = global.of([&](auto... of) { return footprint(of...).line_count; });
  coalescing["ideal"] = global.of([&](auto... of) { return footprint(of...).ideal_sectors(); });

  // A row of up to 64 elements and up to 4 of padding; a column's offset moves all lanes alike.
  const table shared{{4, 8, 16}, 4, 69};
  json banks = shared.shape();
  banks["taken"] = shared.of([](auto... of) { return wavefronts_of(of..., BankRule::shared_load).taken; });
  banks["ideal"] = shared.of([](auto... of) { return wavefronts_of(of..., BankRule::shared_load).ideal; });

  // The cycles stand once, beside the lesson that tells of them.
  json four = json::parse(tiers);
  four["latency"] = measured.empty() ? json() : json::parse(measured).at("tables").at("latency");

  const json all = {{"lanes", masks()}, {"coalescing", coalescing}, {"banks", banks}};
  return "\"use strict\";\n// Written by course-site, from the simulated GPU's own functions.\nconst "
         "course_tables = " +
         all.dump() + ";\nconst course_tiers = " + four.dump() + ";\n";
}

}  // namespace course::site
