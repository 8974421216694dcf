/// @file
/// Which bytes a request covers, as a few stretches, instead of lane by lane: kept for each shape (Access::shape), so that
/// the checks need not go through 32 addresses that they have seen before.
#pragma once

#include <array>
#include <cstdint>

#include "simgpu/observe/coalescing.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// The bytes of all requests of one shape.
struct Coverage {
  /// Lanes one after the other, at addresses one after the other.
  struct Stretch {
    std::int64_t offset = 0;  ///< of its first byte from the first active lane's address
    std::uint32_t bytes = 0;
    std::uint32_t lane = 0;  ///< whose the first bytes are
    bool several = false;    ///< other lanes have the same addresses as each of these
  };
  std::uint32_t shape = 0;  ///< 0: of no request
  std::uint32_t count = 0;  ///< of stretches; 0: lanes overlap in part, look at each by itself
  bool distinct =
      false;  ///< no two lanes have the same address; else the last of them stands for all, see `several`
  std::int64_t low = 0;    ///< of the lowest byte
  std::uint64_t span = 0;  ///< from there to the end of the highest
  std::array<Stretch, kWarpLanes> stretches;
};

/// The coverages of recent shapes.
class CoverageMemo {
 public:
  /// @return the coverage, or nullptr if the request has no shape or its lanes overlap in part.
  const Coverage* of(const Access& a) {
    if (a.shape == 0) return nullptr;
    Coverage& c = places_[a.shape % kPlaces];
    if (c.shape != a.shape) fill(c, a);
    return c.count != 0 ? &c : nullptr;
  }
  /// Shapes are numbered anew for each launch.
  void clear() noexcept {
    for (Coverage& c : places_) c.shape = 0;
  }

 private:
  static constexpr std::uint32_t kPlaces = 64;
  static void fill(Coverage& c, const Access& a);
  static void split(Coverage& c, std::uint32_t shared, std::uint32_t bytes);
  std::array<Coverage, kPlaces> places_;
};

}  // namespace simgpu::observe
