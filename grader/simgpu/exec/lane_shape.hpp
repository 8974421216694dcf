/// @file
/// Shapes: where the lanes of an access lie relative to one another. Nearly all warps repeat a shape that their instruction
/// has shown before; then one comparison of the address registers tells everything about the access but its place: the
/// bytes it spans, how the data move, and for observers that it is the same as before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace simgpu::exec {

/// One shape. Offsets count from the first active lane's address; they have the width of the address register.
struct LaneShape {
  std::uint32_t mask = 0;  ///< 0: nothing remembered
  std::uint32_t id = 0;    ///< see observe::Access::shape
  std::uint32_t bytes = 0;
  bool wide = false;        ///< 64-bit offsets
  bool aligned = false;     ///< all addresses are, if the first one is
  bool contiguous = false;  ///< all 32 lanes, one after the other
  bool uniform = false;     ///< all active lanes have the same address
  std::uint8_t runs = 0,
               sames =
                   0;  ///< bit k: of a full warp, lanes 8k to 8k+7 lie one after the other; have one address
  /// How the data of a full warp move: 32 one after the other, one for all, eights of either kind, or lane by lane.
  enum class Way : std::uint8_t { scattered, run, same, runs, sames, mixed };
  Way way = Way::scattered;
  std::array<std::int64_t, 4> eights{};  ///< offsets of lanes 0, 8, 16, 24
  std::uint64_t low = 0;                 ///< offset of the lowest address; may be negative (wraps)
  std::uint64_t span = 0;                ///< from the lowest address to the end of the highest access [bytes]
  alignas(32) std::byte relative[256] = {};     ///< per lane; 0 where it does not take part
  alignas(32) std::byte taking_part[256] = {};  ///< per lane: all ones, or 0

  template <class T>
  T* offsets() {
    return reinterpret_cast<T*>(relative);
  }
  template <class T>
  const T* offsets() const {
    return reinterpret_cast<const T*>(relative);
  }
  /// Of one lane; may be negative (wraps).
  std::uint64_t offset(std::uint32_t lane) const {
    return wide ? offsets<std::uint64_t>()[lane]
                : static_cast<std::uint64_t>(std::int64_t{offsets<std::int32_t>()[lane]});
  }
};

/// The shapes of a launch. Sites share them as far as possible, since the same few stay in the host's nearest cache then.
class ShapeTable {
 public:
  /// @return a shape like @p s that stays as it is; nullptr if there is no place for it.
  const LaneShape* shared(const LaneShape& s);
  /// A new shape's number.
  std::uint32_t number() noexcept { return ++numbered_; }
  /// Place for shapes of one site alone.
  std::array<LaneShape, 2>& own() { return own_.emplace_back(); }

 private:
  static constexpr std::size_t kPlaces = 256;
  std::array<LaneShape*, kPlaces> places_{};
  std::deque<LaneShape> shared_;
  std::deque<std::array<LaneShape, 2>> own_;
  std::uint32_t numbered_ = 0;
};

/// The recent shapes of one site.
struct SiteShapes {
  std::array<const LaneShape*, 2> recent{};  ///< the latest first
  std::array<LaneShape, 2>* own = nullptr;
  std::uint32_t misses = 0;  ///< in a row
};

}  // namespace simgpu::exec
