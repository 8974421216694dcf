/// @file
/// The pages that client and device both map: the two rings, and behind them the staging pages, through which ordinary memory of the
/// program travels. One memfd, made by one side and handed to the other; its size is sealed, so that nobody can take pages away from
/// under the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "simgpu/link/ring.hpp"

namespace simgpu::link {

/// Bytes of a ring. Records are short: a few thousand launches find room.
inline constexpr std::size_t kRingBytes = std::size_t{1} << 20;
/// A piece of staging pages, and how many there are: one for each copy that is under way. Pages that nobody uses cost nothing.
inline constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
inline constexpr std::size_t kPieces = 16;
inline constexpr std::size_t kStagingBytes = kPieces * kPieceBytes;

class Pages {
 public:
  /// Makes new ones. @return nothing, and @p problem is set, if the system does not give them.
  static std::optional<Pages> make(std::string& problem);
  /// Maps those of the other side. The descriptor is its own from here on.
  static std::optional<Pages> open(int descriptor, std::string& problem);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  Pages& operator=(Pages&&) = delete;

  enum class Way { commands, answers };
  RingHead& head(Way way) const;
  std::span<std::byte> ring(Way way) const;
  std::span<std::byte> staging() const;
  int descriptor() const noexcept { return descriptor_; }

 private:
  Pages(int descriptor, std::byte* start) : descriptor_(descriptor), start_(start) {}
  static std::optional<Pages> map(int descriptor, std::string& problem);

  int descriptor_ = -1;
  std::byte* start_ = nullptr;
};

}  // namespace simgpu::link
