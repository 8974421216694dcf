/// @file
/// See lane_shape.hpp.
#include "simgpu/exec/lane_shape.hpp"

#include <cstring>

namespace simgpu::exec {

const LaneShape* ShapeTable::shared(const LaneShape& s) {
  std::uint64_t hash = s.mask ^ s.bytes ^ std::uint64_t{s.wide} << 32;
  for (std::size_t k = 0; k < sizeof s.relative; k += 8) {
    std::uint64_t part;
    std::memcpy(&part, s.relative + k, 8);
    hash = (hash ^ part) * 0x9E37'79B9'7F4A'7C15ull;
  }
  LaneShape*& place = places_[hash >> 56];
  if (place == nullptr) {
    place = &shared_.emplace_back(s);
    place->id = number();
  }
  const bool same = place->mask == s.mask && place->bytes == s.bytes && place->wide == s.wide &&
                    std::memcmp(place->relative, s.relative, sizeof s.relative) == 0;
  return same ? place : nullptr;
}

}  // namespace simgpu::exec
