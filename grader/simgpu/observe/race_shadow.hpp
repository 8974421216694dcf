/// @file
/// Shadow cells: for each word of memory, who wrote it last, and which two warps read it last.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "simgpu/observe/page_table.hpp"

namespace simgpu::observe {

/// One remembered access: its actor (see race_order.hpp), instruction, lane, and whether it was atomic or
/// volatile. A cell whose actor is of the past counts as empty, so that cells need no clearing.
class Cell {
 public:
  Cell() = default;
  Cell(std::uint32_t actor, std::uint32_t site, std::uint32_t lane, bool strong, bool atomic) noexcept
      : bits_(std::uint64_t{actor} << 32 | std::uint64_t{site & kSiteMask} << 7 | std::uint64_t{lane} << 2 |
              (atomic ? 2u : 0u) | (strong ? 1u : 0u)) {}

  std::uint32_t actor() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
  std::uint32_t site() const noexcept { return static_cast<std::uint32_t>(bits_ >> 7) & kSiteMask; }
  std::uint32_t lane() const noexcept { return static_cast<std::uint32_t>(bits_ >> 2) & 31; }
  bool atomic() const noexcept { return (bits_ & 2) != 0; }
  bool strong() const noexcept { return (bits_ & 1) != 0; }

 private:
  static constexpr std::uint32_t kSiteMask = (1u << 25) - 1;
  std::uint64_t bits_ = 0;
};
static_assert(sizeof(Cell) == 8);

/// Cells of 4 KiB of memory: one for each word, or, once a part of a word was accessed, one for each byte.
class ShadowPage {
 public:
  enum Plane : std::uint32_t { kWriter, kReader, kOtherReader };

  static constexpr std::uint32_t kRowBytes = 128;

  std::uint32_t last_writer =
      0;  ///< latest actor that wrote here: where it is of the past, no cell needs a look
  /// For each 128 bytes: an actor such that all words have two readers no older than it; 0 if that is not
  /// known.
  std::array<std::uint32_t, kShadowPageBytes / kRowBytes> well_read{};

  bool by_byte() const noexcept { return by_byte_; }
  bool has(Plane plane) const noexcept { return planes_[plane] != nullptr; }
  /// @return the cells, made if need be: 1024, or 4096 once by_byte().
  Cell* cells(Plane plane) {
    if (!planes_[plane]) planes_[plane] = std::make_unique<Cell[]>(count());
    return planes_[plane].get();
  }

  /// Goes over to cells for each byte.
  void split() {
    if (by_byte_) return;
    const std::size_t words = count();
    by_byte_ = true;
    for (auto& plane : planes_) {
      if (!plane) continue;
      auto bytes = std::make_unique<Cell[]>(count());
      for (std::size_t i = 0; i < words; ++i) {
        for (std::size_t b = 0; b < 4; ++b) bytes[4 * i + b] = plane[i];
      }
      plane = std::move(bytes);
    }
  }

 private:
  std::size_t count() const noexcept { return by_byte_ ? kShadowPageBytes : kShadowPageBytes / 4; }
  std::unique_ptr<Cell[]> planes_[3];
  bool by_byte_ = false;
};

}  // namespace simgpu::observe
