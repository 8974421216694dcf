/// @file
/// Where the lanes of one access lie. Most accesses lie like an earlier one of their instruction, only elsewhere: whoever has seen that one
/// needs the first address alone. So the other addresses are worked out when somebody first asks for them.
#pragma once

#include <cstdint>

namespace simgpu::observe {

/// One address for each lane; those of lanes that take no part say nothing. Stands for a pointer to the 32, or is one.
class LaneAddresses {
 public:
  /// Writes the 32 addresses of the access whose first active lane lies at @p first and the others as @p shape says.
  using Spread = void (*)(const void* shape, std::uint64_t first, std::uint64_t* to);

  LaneAddresses() = default;
  LaneAddresses(const std::uint64_t* all) noexcept : all_(all) {}
  /// What can be said of the addresses without working them out.
  enum class Lie : std::uint8_t {
    anyhow,
    side_by_side,  ///< all 32 lanes take part, one right behind the other
    together       ///< all active lanes have one address
  };
  /// To be worked out by @p spread. @param room for 32 addresses; it and @p shape must outlive this object.
  LaneAddresses(const void* shape, std::uint64_t first, Spread spread, std::uint64_t* room,
                Lie lie = Lie::anyhow) noexcept
      : all_(room), shape_(shape), first_(first), spread_(spread), lie_(lie) {}

  operator const std::uint64_t*() const {
    if (spread_ != nullptr) work_out();
    return all_;
  }
  /// The address of the first lane of @p mask (not 0), the active ones.
  std::uint64_t first(std::uint32_t mask) const noexcept {
    return spread_ != nullptr ? first_ : all_[__builtin_ctz(mask)];
  }
  /// Anything may also be `anyhow`.
  Lie lie() const noexcept { return lie_; }
  /// The same, all of them @p offset further on. @param room for 32 addresses that are to be worked out.
  LaneAddresses moved(std::int64_t offset, std::uint64_t* room) const {
    const auto by = static_cast<std::uint64_t>(offset);
    if (spread_ != nullptr)
      return {shape_, first_ + by, spread_, room};  // what lay side by side may now be parts of it
    for (int lane = 0; lane < 32; ++lane) room[lane] = all_[lane] + by;
    return room;
  }

 private:
  void work_out() const {
    spread_(shape_, first_, const_cast<std::uint64_t*>(all_));  // the room that somebody gave for it
    spread_ = nullptr;
  }

  const std::uint64_t* all_ = nullptr;
  const void* shape_ = nullptr;
  std::uint64_t first_ = 0;
  mutable Spread spread_ = nullptr;  // not yet done
  Lie lie_ = Lie::anyhow;
};

}  // namespace simgpu::observe
