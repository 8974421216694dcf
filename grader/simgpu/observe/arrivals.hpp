/// @file
/// Which lines are still on their way when they are asked for. Blocks are simulated one after the other, so what one has asked for is there
/// when the next asks; on the card, those that are resident together ask at the same time, and all wait.
#pragma once

#include <array>
#include <cstdint>

namespace simgpu::observe {

/// When a request of a warp was made: in which wave of blocks, and in which turn of the warp. Warps of one wave are taken to go in step.
struct Moment {
  std::uint32_t wave = 0;  ///< of blocks that are resident together, counted over all launches
  std::uint32_t turn = 0;  ///< WarpId::turn; 0: of no warp
};

/// @return whether what a warp of the same wave asked for in turn @p asked is still on its way in turn @p now. What the warp itself asked for in an
/// earlier turn is not: it has waited for that.
constexpr bool is_under_way(std::uint32_t asked, std::uint32_t now) noexcept {
  return now != 0 && now <= asked;
}

/// A moment in two bytes, and whether what was asked for then came from DRAM.
class Arrival {
 public:
  Arrival() = default;
  Arrival(Moment m, bool far) noexcept
      : wave_(m.wave & kWaves),
        far_(far ? 1 : 0),
        turn_(static_cast<std::uint16_t>(m.turn < kLast ? m.turn : 0)) {}

  bool is_on_its_way(Moment now) const noexcept { return is_of(now) && is_under_way(turn_, now.turn); }
  bool is_of(Moment now) const noexcept { return (now.wave & kWaves) == wave_; }  ///< by wave
  bool far() const noexcept { return far_ != 0; }

 private:
  static constexpr std::uint32_t kWaves = 15, kLast = 2047;  // what is asked for later is taken to be there
  std::uint16_t wave_ : 4 = 0, far_ : 1 = 0, turn_ : 11 = 0;
};
static_assert(sizeof(Arrival) == 2);

/// The latest lines that came from DRAM into the L2. What is forgotten is taken to be there.
class Arrivals {
 public:
  void add(std::uint32_t tag, Moment now) noexcept { places_[place_of(tag)] = {tag, now}; }
  bool is_on_its_way(std::uint32_t tag, Moment now) const noexcept {
    const Place& place = places_[place_of(tag)];
    return place.tag == tag && place.came.wave == now.wave && is_under_way(place.came.turn, now.turn);
  }

 private:
  struct Place {
    std::uint32_t tag = ~0u;
    Moment came;
  };
  static constexpr std::uint32_t kPlaces = 4096;
  static std::uint32_t place_of(std::uint32_t tag) noexcept { return (tag * 0x9E37'79B1u) >> 20; }
  std::array<Place, kPlaces> places_{};
};

}  // namespace simgpu::observe
