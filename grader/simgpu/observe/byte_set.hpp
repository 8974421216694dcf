/// @file
/// A set of addresses, to the byte: what one piece of work reads or writes. Runs where bytes lie side by side, a bit a byte
/// where they do not, so that two kernels that take turns at the elements of an array are told apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simgpu/observe/page_table.hpp"

namespace simgpu::observe {

/// Fixed once made: see ByteCollector and ByteSet::of.
class ByteSet {
 public:
  struct Run {
    std::uint64_t begin = 0, end = 0;
  };
  static constexpr std::uint64_t kPageBytes = 4096;
  using Bits = std::array<std::uint64_t, kPageBytes / 64>;
  struct Page {
    std::uint64_t number = 0;  ///< address / kPageBytes
    Bits bits{};
  };

  ByteSet() = default;
  /// Rows of @p width bytes, @p pitch apart, in slices @p slice apart.
  static ByteSet of(std::uint64_t address, std::size_t width, std::size_t height = 1, std::size_t depth = 1,
                    std::size_t pitch = 0, std::size_t slice = 0);

  bool empty() const noexcept { return runs_.empty() && pages_.empty(); }
  /// First byte, and the one after the last; of what is empty, nothing.
  std::uint64_t begin() const noexcept;
  std::uint64_t end() const noexcept;
  bool contains(std::uint64_t address) const noexcept;
  /// @return the lowest address that both have.
  std::optional<std::uint64_t> meets(const ByteSet& other) const;
  /// Calls @p run with begin and end of each piece that is no smaller than a page's.
  template <typename Run>
  void each_run(Run&& run) const {
    for (const auto& [begin, end] : runs_) run(begin, end);
  }
  /// Roughly what it takes to keep. [bytes]
  std::size_t footprint() const noexcept { return runs_.size() * sizeof(Run) + pages_.size() * sizeof(Page); }

 private:
  friend class ByteCollector;
  void append(std::uint64_t begin, std::uint64_t end);
  std::vector<Run> runs_;    ///< in order, apart from each other
  std::vector<Page> pages_;  ///< in order; no run touches them
};

/// Makes a ByteSet from many small pieces in any order. A page is kept as lines of 64 bytes that are there as a whole, and bits for
/// the others.
class ByteCollector {
 public:
  void add(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t at = address % ByteSet::kPageBytes;
    if (at + bytes <= ByteSet::kPageBytes) {
      add(page(address), at, at + bytes);
    } else {
      add_pages(address, bytes);
    }
  }
  /// @return what was added since the last call.
  ByteSet take();

 private:
  static constexpr std::uint64_t kLine = 64;
  struct Page {
    std::uint64_t round = 0;              ///< what is said of an earlier one means nothing
    std::uint64_t whole = 0;              ///< bit n: all of line n
    bool ragged = false;                  ///< there are parts of lines
    std::unique_ptr<ByteSet::Bits> bits;  ///< of these
  };
  /// Ones from bit @p from up to, not including, bit @p to; @p from is less.
  static constexpr std::uint64_t ones(std::uint64_t from, std::uint64_t to) {
    return ~0ull >> (64 - (to - from)) << from;
  }
  Page& page(std::uint64_t address) {
    Recent& recent = recent_[address / ByteSet::kPageBytes % recent_.size()];
    if (recent.number != address / ByteSet::kPageBytes) find(recent, address);
    return *recent.page;
  }
  static void add(Page& page, std::uint64_t at, std::uint64_t end) {
    const std::uint64_t first = (at + kLine - 1) / kLine, last = end / kLine;
    if (first < last) page.whole |= ones(first, last);
    if (at % kLine != 0 || end % kLine != 0) add_parts(page, at, end);
  }
  static void add_parts(Page& page, std::uint64_t at, std::uint64_t end);
  void add_pages(std::uint64_t address, std::uint64_t bytes);
  struct Recent {
    std::uint64_t number = ~0ull;
    Page* page = nullptr;
  };
  void find(Recent& recent, std::uint64_t address);

  PageTable<Page> pages_;
  std::vector<std::uint64_t> numbers_;  ///< of this round
  std::uint64_t round_ = 1;
  std::array<Recent, 64> recent_;
};

}  // namespace simgpu::observe
