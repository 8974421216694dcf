/// @file
/// Shadow cells: for each word of memory, who wrote it last, and who has read it since: two warps, mostly, are enough. Atomics do not
/// come after one another for certain, so of those two warps are remembered, too.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simgpu/observe/page_table.hpp"

namespace simgpu::observe {

/// One remembered access: its actor (see race_order.hpp), instruction, lane, and whether it was atomic or otherwise strong,
/// and in which scope. A cell whose actor is of the past counts as empty, so that cells need no clearing.
class Cell {
 public:
  Cell() = default;
  Cell(std::uint32_t actor, std::uint32_t site, bool strong, bool atomic, std::uint32_t scope) noexcept
      : bits_(std::uint64_t{actor} << 32 | std::uint64_t{site & kSiteMask} << 10 | std::uint64_t{scope} << 8 |
              (atomic ? 2u : 0u) | (strong ? 1u : 0u)) {}

  Cell of_lane(std::uint32_t lane) const noexcept {
    Cell c;
    c.bits_ = (bits_ & ~(std::uint64_t{31} << 2)) | std::uint64_t{lane & 31} << 2;
    return c;
  }
  /// The cell stands for other lanes of the warp as well.
  Cell of_several() const noexcept {
    Cell c;
    c.bits_ = bits_ | kSeveral;
    return c;
  }

  std::uint32_t actor() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
  std::uint32_t site() const noexcept { return static_cast<std::uint32_t>(bits_ >> 10) & kSiteMask; }
  std::uint32_t scope() const noexcept { return static_cast<std::uint32_t>(bits_ >> 8) & 3; }
  std::uint32_t lane() const noexcept { return static_cast<std::uint32_t>(bits_ >> 2) & 31; }
  bool several() const noexcept { return (bits_ & kSeveral) != 0; }
  bool atomic() const noexcept { return (bits_ & 2) != 0; }
  bool strong() const noexcept { return (bits_ & 1) != 0; }

 private:
  static constexpr std::uint32_t kSiteMask = (1u << 22) - 1;
  static constexpr std::uint64_t kSeveral = 1u << 7;
  std::uint64_t bits_ = 0;
};
static_assert(sizeof(Cell) == 8);

/// Cells of 4 KiB of memory: one for each word, or, once a part of a word was accessed, one for each byte. Where one request
/// has touched a whole row of 64 bytes, lane after lane, a single cell stands for all of them: most arrays are only ever
/// touched like this, and then need neither the time nor the memory for cells of their own.
class ShadowPage {
 public:
  enum Plane : std::uint32_t { kWriter, kReader, kOtherReader, kOtherWriter };
  static constexpr std::uint32_t kPlanes = 4;
  static constexpr std::array<Plane, kPlanes> kAll{kWriter, kReader, kOtherReader, kOtherWriter};

  static constexpr std::uint32_t kRowBytes = 64;
  static constexpr std::uint32_t kRows = kShadowPageBytes / kRowBytes;

  /// What stands for the cells of a row.
  struct Row {
    Cell cell;                   ///< its lane is the one of the row's first word
    std::uint32_t per_lane = 0;  ///< words of each lane, as a shift

    Cell of_word(std::uint32_t word) const noexcept { return cell.of_lane(cell.lane() + (word >> per_lane)); }
  };

  /// A reader beyond the two of each word: bytes side by side in one row, of lanes side by side.
  struct Reader {
    Cell cell;  ///< its lane is the one of the first byte
    std::uint16_t offset = 0, bytes = 0;
    std::uint32_t per_lane = 0;  ///< bytes of each lane, as a shift

    bool overlaps(std::uint32_t from, std::uint32_t count) const noexcept {
      return offset < from + count && from < std::uint32_t{offset} + bytes;
    }
    Cell of_byte(std::uint32_t at) const noexcept {
      return cell.of_lane(cell.lane() + ((at - offset) >> per_lane));
    }
  };
  /// Remembers one more. Of too many in a row, the oldest is forgotten.
  void add_reader(const Reader& reader) {
    if (!more_readers_) more_readers_ = std::make_unique<std::array<std::vector<Reader>, kRows>>();
    std::vector<Reader>& row = (*more_readers_)[reader.offset / kRowBytes];
    for (const Reader& r : row)
      if (r.cell.actor() == reader.cell.actor() && r.offset == reader.offset && r.bytes == reader.bytes)
        return;
    if (row.size() >= kMostReaders) row.erase(row.begin());
    row.push_back(reader);
  }
  /// Calls f(reader) for those of these bytes, and forgets them.
  template <class F>
  void take_readers(std::uint32_t offset, std::uint32_t bytes, F f) {
    if (!more_readers_) return;
    for (std::uint32_t r = offset / kRowBytes; r <= (offset + bytes - 1) / kRowBytes; ++r)
      std::erase_if((*more_readers_)[r], [&](const Reader& reader) {
        if (!reader.overlaps(offset, bytes)) return false;
        f(reader);
        return true;
      });
  }

  std::uint32_t last_writer =
      0;  ///< latest actor that wrote here: where it is of the past, no cell needs a look
  /// @return an actor such that all words of the row have two readers no older than it; 0 if that is not known.
  std::uint32_t well_read(std::uint32_t row) const noexcept { return well_read_ ? (*well_read_)[row] : 0; }
  void set_well_read(std::uint32_t row, std::uint32_t actor) {
    if (!well_read_) well_read_ = std::make_unique<std::array<std::uint32_t, kRows>>();
    (*well_read_)[row] = actor;
  }
  void forget_well_read(std::uint32_t first, std::uint32_t last) noexcept {
    if (!well_read_) return;
    for (std::uint32_t r = first; r <= last; ++r) (*well_read_)[r] = 0;
  }

  bool by_byte() const noexcept { return by_byte_; }
  /// @return whether any cell of the plane was ever set.
  bool has(Plane plane) const noexcept { return used_ >> plane & 1; }

  /// @return whether row() stands for the row; else its cells do.
  bool is_whole(Plane plane, std::uint32_t row) const noexcept { return whole_[plane] >> row & 1; }
  Row row(Plane plane, std::uint32_t row) const noexcept {
    const Rows* const rows = rows_[plane].get();
    return rows != nullptr ? Row{rows->cell[row], rows->per_lane[row]} : Row{};
  }
  /// From now on this stands for the row. Not for pages by_byte().
  void set_row(Plane plane, std::uint32_t row, Cell cell, std::uint32_t per_lane) {
    used_ |= static_cast<std::uint8_t>(1u << plane);
    whole_[plane] |= 1ull << row;
    if (!rows_[plane]) rows_[plane] = std::make_unique<Rows>();
    rows_[plane]->cell[row] = cell;
    rows_[plane]->per_lane[row] = static_cast<std::uint8_t>(per_lane);
  }
  /// @return the page's cells, 1024, or 4096 once by_byte(); those from byte @p offset on, @p bytes, may be used.
  Cell* cells(Plane plane, std::uint32_t offset, std::uint32_t bytes) {
    const std::uint32_t first = offset / kRowBytes, last = (offset + bytes - 1) / kRowBytes;
    const std::uint64_t rows = ~0ull >> (kRows - 1 - (last - first)) << first;
    if ((whole_[plane] & rows) == 0 && planes_[plane] != nullptr) [[likely]]
      return planes_[plane].get();
    return made_cells(plane, first, last);
  }

  /// Goes over to cells for each byte.
  void split() {
    if (by_byte_) return;
    for (const Plane plane : kAll) {
      if (has(plane)) cells(plane, 0, kShadowPageBytes);
    }
    const std::size_t words = count();
    by_byte_ = true;
    whole_ = {};
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
  static constexpr std::size_t kMostReaders = 48;
  std::unique_ptr<std::array<std::vector<Reader>, kRows>> more_readers_;  // by row

  std::size_t count() const noexcept { return by_byte_ ? kShadowPageBytes : kShadowPageBytes / 4; }

  [[gnu::noinline]] Cell* made_cells(Plane plane, std::uint32_t first, std::uint32_t last) {
    used_ |= static_cast<std::uint8_t>(1u << plane);
    if (!planes_[plane]) planes_[plane] = std::make_unique<Cell[]>(count());
    for (std::uint32_t r = first; r <= last; ++r) write_out(plane, r);
    return planes_[plane].get();
  }

  void write_out(Plane plane, std::uint32_t r) noexcept {
    if ((whole_[plane] >> r & 1) == 0) return;
    whole_[plane] &= ~(1ull << r);
    const Row row = this->row(plane, r);
    Cell* const cells = planes_[plane].get() + r * (kRowBytes / 4);
    for (std::uint32_t w = 0; w < kRowBytes / 4; ++w) cells[w] = row.of_word(w);
  }

  std::array<std::uint64_t, kPlanes> whole_{~0ull, ~0ull, ~0ull,
                                            ~0ull};  // bit r: rows_[plane][r] stands for row r
  // Made when first set, since most pages are only read or only written: a page takes 0.1 or 0.7 kB then, not 3.4, which the host's
  // system would have to clear and its caches to hold for each 4 kB that a kernel touches.
  struct Rows {
    std::array<Cell, kRows> cell{};
    std::array<std::uint8_t, kRows> per_lane{};
  };
  std::unique_ptr<Rows> rows_[kPlanes];
  std::unique_ptr<std::array<std::uint32_t, kRows>> well_read_;
  std::unique_ptr<Cell[]> planes_[kPlanes];
  bool by_byte_ = false;
  std::uint8_t used_ = 0;
};
static_assert(ShadowPage::kRows == 64, "the rows of whole_");

}  // namespace simgpu::observe
