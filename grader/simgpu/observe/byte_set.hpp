/// @file
/// A set of addresses, to the byte: what one piece of work reads or writes. Runs where bytes lie side by side, a bit a byte
/// where they do not, so that two kernels that take turns at the elements of an array are told apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

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
  /// Roughly what it takes to keep. [bytes]
  std::size_t footprint() const noexcept { return runs_.size() * sizeof(Run) + pages_.size() * sizeof(Page); }

 private:
  friend class ByteCollector;
  void append(std::uint64_t begin, std::uint64_t end);
  std::vector<Run> runs_;    ///< in order, apart from each other
  std::vector<Page> pages_;  ///< in order; no run touches them
};

/// Makes a ByteSet from many small pieces in any order.
class ByteCollector {
 public:
  void add(std::uint64_t address, std::uint64_t bytes);
  /// @return what was added since the last call.
  ByteSet take();

 private:
  ByteSet::Bits& page(std::uint64_t number);
  struct Recent {
    std::uint64_t number = ~0ull;
    ByteSet::Bits* bits = nullptr;
  };
  std::unordered_map<std::uint64_t, std::unique_ptr<ByteSet::Bits>> pages_;
  std::vector<std::unique_ptr<ByteSet::Bits>> spare_;
  std::array<Recent, 32> recent_;
};

}  // namespace simgpu::observe
