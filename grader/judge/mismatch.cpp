/// @file
/// See mismatch.hpp.
#include "judge/mismatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace course {
namespace {

constexpr std::size_t kEdge =
    4;  // elements from a block's edge that count as "at the edge": more than any radius taught
constexpr std::size_t kShown = 5;

std::uint64_t bits_at(element type, const void* data, std::size_t index) {
  std::uint64_t bits = 0;
  const auto size = size_of(type);
  std::memcpy(&bits, static_cast<const char*>(data) + index * size, size);
  return bits;
}

// The bucket that holds everything, or -1.
template <class Buckets>
int only_bucket(const Buckets& buckets, std::size_t total) {
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] == total) return static_cast<int>(i);
  }
  return -1;
}

std::string number(double value) {
  return fmt::format("{:.9g}", value);
}

}  // namespace

std::uint64_t poison_bits(element type, std::uint64_t seed) {
  const std::uint64_t random = mix(seed);
  switch (type) {
    case element::f32:
      return 0x7fc00000u | ((random & 0x1fffff) | 1);
    case element::f64:
      return 0x7ff8000000000000u | (random & 0x3ffffffffffff) | 1;
    case element::u8:
      return 0xa5;
    case element::i32:
    case element::u32:
      return (random & 0xffffffffu) | 0x80000001u;
    default:
      return random | 0x8000000000000001u;
  }
}

void fill_poison(element type, void* data, std::size_t count, std::uint64_t poison) {
  const auto size = size_of(type);
  auto* const out = static_cast<char*>(data);
  if (size == 4) {
    const auto word = static_cast<std::uint32_t>(poison);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(out + 4 * i, &word, 4);
  } else {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(out + size * i, &poison, size);
  }
}

mismatches::mismatches(const output_geometry& geometry)
    : geometry_(geometry), by_warp_(std::max<std::size_t>(1, block_size() / 32)) {}

void mismatches::compare(element type, const void* actual, std::size_t first,
                         std::span<const double> expected, const tolerance& within, std::uint64_t poison) {
  // Most outputs are right: a first pass looks for errors, and only those take the lock.
  std::vector<wrong_element> wrong;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double value = load_element(type, actual, k);
    bool good;
    if (within.bitwise) {
      std::uint64_t wanted = 0;
      store_element(type, &wanted, 0, expected[k]);
      good = bits_at(type, actual, k) == wanted;
    } else {
      good = within.accepts(expected[k], value);
    }
    if (!good) wrong.push_back({first + k, expected[k], value, bits_at(type, actual, k) == poison});
  }
  const std::scoped_lock hold(lock_);
  checked_ += expected.size();
  for (const auto& one : wrong) {
    ++wrong_;
    unwritten_ += one.unwritten;
    non_finite_ += !one.unwritten && !std::isfinite(one.actual) && std::isfinite(one.expected);
    count_place(one.index);
    const double ratio = one.expected != 0 ? one.actual / one.expected : NAN;
    if (wrong_ == 1) factor_ = ratio;
    if (!(std::abs(ratio - factor_) <= 1e-4 * std::abs(factor_))) constant_factor_ = false;
    const auto place =
        std::upper_bound(first_.begin(), first_.end(), one.index,
                         [](std::size_t index, const wrong_element& other) { return index < other.index; });
    if (static_cast<std::size_t>(place - first_.begin()) < kShown) {
      first_.insert(place, one);
      if (first_.size() > kShown) first_.pop_back();
    }
  }
}

void mismatches::count_place(std::size_t index) {
  lowest_ = std::min(lowest_, index);
  highest_ = std::max(highest_, index);
  const std::size_t block = block_size();
  ++by_lane_[index % 32];
  ++by_warp_[std::min(index % block / 32, by_warp_.size() - 1)];
  const std::size_t tail = geometry_.count % block;
  in_last_block_ += tail != 0 && index >= geometry_.count - tail;
  const std::size_t in_block = index % block;
  near_edge_ += in_block < kEdge || in_block + kEdge >= block;
  if (geometry_.row_length) {
    const std::size_t rows = geometry_.count / geometry_.row_length;
    const std::size_t row = index / geometry_.row_length, column = index % geometry_.row_length;
    ++by_row_[row % 32];
    ++by_column_[column % 32];
    on_diagonal_ += row % 32 == column % 32;
    in_last_rows_ += rows % 32 != 0 && row >= rows / 32 * 32;
    in_last_columns_ += geometry_.row_length % 32 != 0 && column >= geometry_.row_length / 32 * 32;
  }
}

std::vector<wrong_element> mismatches::first() const {
  return first_;
}

std::string mismatches::place(std::size_t index) const {
  if (geometry_.row_length) {
    const auto row = index / geometry_.row_length, column = index % geometry_.row_length;
    return fmt::format("row {}, column {}", row, column);
  }
  const auto block = block_size();
  return fmt::format("block {}, thread {} (warp {}, lane {}) if thread i writes element i", index / block,
                     index % block, index % block / 32, index % 32);
}

std::vector<std::string> mismatches::clusters() const {
  std::vector<std::string> found;
  if (wrong_ == 0 || geometry_.count < 2) {
    if (wrong_ == 1 && constant_factor_ && geometry_.count == 1 && factor_ > 1.5 &&
        std::abs(factor_ - std::round(factor_)) < 1e-3) {
      found.push_back(
          fmt::format("the result is {:.0f} times what it should be: added more than once, or to what an "
                      "earlier call left",
                      factor_));
    }
    return found;
  }
  const std::size_t block = block_size();
  const bool all_checked = checked_ >= geometry_.count;
  if (wrong_ == geometry_.count) found.push_back("every element is wrong");
  if (wrong_ >= 2 && constant_factor_ && std::isfinite(factor_) && factor_ != 0) {
    found.push_back(fmt::format("every wrong element is {:.6g} times what it should be", factor_));
  }
  if (wrong_ == geometry_.count) return found;

  if (geometry_.row_length) {
    if (in_last_rows_ == wrong_)
      found.push_back(
          "all in the last rows that do not fill a tile of 32: a missing or wrong guard on the row");
    if (in_last_columns_ == wrong_) {
      found.push_back(
          "all in the last columns that do not fill a tile of 32: a missing or wrong guard on the column");
    }
    if (in_last_rows_ != wrong_ && in_last_columns_ != wrong_) {
      if (const int row = only_bucket(by_row_, wrong_); row >= 0) {
        found.push_back(fmt::format(
            "all in rows with row % 32 == {}: {}", row,
            row == 0 || row == 31 ? "a tile's edge, or a missing barrier" : "one row of each tile"));
      }
      if (const int column = only_bucket(by_column_, wrong_); column >= 0) {
        found.push_back(fmt::format(
            "all in columns with column % 32 == {} (lane {}): {}", column, column,
            column == 0 || column == 31 ? "a tile's edge, or a missing barrier" : "one column of each tile"));
      }
    }
    if (all_checked && wrong_ >= geometry_.count / 2 && on_diagonal_ == 0) {
      found.push_back(
          "only the diagonal of each 32 x 32 tile is right: row and column are swapped somewhere");
    }
    return found;
  }

  const auto general = found.size();  // what follows says where
  if (highest_ < block && geometry_.count > block) {
    found.push_back(fmt::format("all in the first block (elements below {})", block));
  }
  if (in_last_block_ == wrong_) {
    found.push_back(fmt::format(
        "all in the last, partial block of {} threads: a missing or wrong guard at the end", block));
  } else if (const int lane = only_bucket(by_lane_, wrong_); lane >= 0 && wrong_ > 1) {
    found.push_back(fmt::format(
        "all in lane {} (index % 32 == {}): {}", lane, lane,
        lane == 31 || lane == 0 ? "a warp's edge, tile edge or missing barrier" : "one lane of each warp"));
  } else if (near_edge_ == wrong_ && wrong_ > 1) {
    found.push_back(fmt::format(
        "all within {} elements of a block's edge (blocks of {}): halo cells, tile edge or a missing barrier",
        kEdge, block));
  } else if (const int warp = only_bucket(by_warp_, wrong_); warp >= 0 && by_warp_.size() > 1 && wrong_ > 1) {
    found.push_back(fmt::format(
        "all in warp {} of a block: that warp reads what another has not written yet, or is left out", warp));
  } else if (by_warp_.size() > 1 && by_warp_[0] == 0 && wrong_ > 32) {
    found.push_back("none in the first warp of a block: other warps are left out, or a barrier is missing");
  }
  if (lowest_ >= geometry_.count - std::min(geometry_.count, kEdge) && found.size() == general) {
    found.push_back("all at the very end of the array");
  }
  if (highest_ < kEdge) found.push_back("all at the very beginning of the array");
  if (found.size() == general && lowest_ > 0 && highest_ + 1 == geometry_.count &&
      wrong_ == geometry_.count - lowest_) {
    found.push_back(
        fmt::format("everything from element {} on: the grid is too small, or a loop ends early", lowest_));
  }
  return found;
}

std::vector<std::string> mismatches::lines(const std::string& output_name) const {
  std::vector<std::string> text;
  text.push_back(
      fmt::format("{} of {} checked elements of {} are wrong{}", wrong_, checked_, output_name,
                  unwritten_ ? fmt::format("; {} of them were never written", unwritten_) : std::string()));
  for (const auto& one : first_) {
    text.push_back(fmt::format("  {}[{}]: expected {}, got {}{}", output_name, one.index,
                               number(one.expected),
                               one.unwritten ? "nothing (never written)" : number(one.actual),
                               geometry_.count > 1 ? "   " + place(one.index) : std::string()));
  }
  if (wrong_ > first_.size()) text.push_back(fmt::format("  ... and {} more", wrong_ - first_.size()));
  for (const auto& one : clusters()) text.push_back("  " + one);
  return text;
}

}  // namespace course
