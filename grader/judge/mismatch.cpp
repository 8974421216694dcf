/// @file
/// See mismatch.hpp.
#include "judge/mismatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "judge/oracle.hpp"

namespace course {
namespace {

constexpr std::size_t kEdge =
    4;  // elements from a block's edge that count as "at the edge": more than any radius taught
constexpr std::size_t kShown = 5;

// The bucket that holds everything, or -1.
template <class Buckets>
int only_bucket(const Buckets& buckets, std::size_t total) {
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] == total) return static_cast<int>(i);
  }
  return -1;
}

// Integers have no digits to spare: 1.41101249e+09 is none.
std::string number(double value, bool whole) {
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.9g}", value);
}

bool is_whole(scalar type) {
  return type != scalar::f16 && type != scalar::bf16 && type != scalar::f32 && type != scalar::f64;
}

// "[7]" or "[7].vx"
std::string subscript(const wrong_element& one) {
  return one.field.empty() ? fmt::format("[{}]", one.index) : fmt::format("[{}].{}", one.index, one.field);
}

// Whether an integer is the poison plus what it should be: somebody added to memory that nobody had set.
bool is_sum_with_poison(scalar type, const std::byte* at, const std::byte* poison, double should) {
  const std::size_t size = size_of(type);
  if (!is_whole(type)) return false;
  std::uint64_t is = 0, before = 0, added = 0;
  std::memcpy(&is, at, size);
  std::memcpy(&before, poison, size);
  store_scalar(type, &added, should);
  const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
  return ((before + added) & mask) == (is & mask) && added != 0;
}

}  // namespace

std::string wrong_element::expected_text() const {
  return number(expected, whole);
}

std::string wrong_element::actual_text() const {
  if (unwritten) return "memory that nobody wrote (poison)";
  if (added_to_poison)
    return fmt::format("{}, the right value added to memory that nobody wrote (poison)",
                       number(actual, whole));
  return number(actual, whole);
}

poison_pattern make_poison(const element_type& type, std::uint64_t seed) {
  poison_pattern pattern(type.size, std::byte{0xa5});
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    const std::uint64_t random = mix(seed + 977 * f);
    std::uint64_t bits = 0;
    switch (type.fields[f].type) {
      case scalar::f16:
        bits = 0x7e00u | (random & 0x1ffu) | 1u;
        break;
      case scalar::bf16:
        bits = 0x7fc0u | (random & 0x3fu) | 1u;
        break;
      case scalar::f32:
        bits = 0x7fc00000u | ((random & 0x1fffff) | 1);
        break;
      case scalar::f64:
        bits = 0x7ff8000000000000u | (random & 0x3ffffffffffff) | 1;
        break;
      case scalar::i8:
      case scalar::u8:
        bits = 0xa5;
        break;
      default:
        bits = random | 1 | std::uint64_t{1} << (8 * size_of(type.fields[f].type) - 1);
    }
    std::memcpy(pattern.data() + type.fields[f].offset, &bits, size_of(type.fields[f].type));
  }
  return pattern;
}

void fill_poison(const poison_pattern& poison, void* data, std::size_t count) {
  const auto size = poison.size();
  auto* const out = static_cast<std::byte*>(data);
  const std::size_t bytes = size * count;
  if (bytes == 0) return;
  std::memcpy(out, poison.data(), size);
  for (std::size_t done = size; done < bytes; done += std::min(done, bytes - done))
    std::memcpy(out + done, out, std::min(done, bytes - done));
}

namespace {

// True if all numbers are within their tolerance, without a tolerance of their own. A plain loop, which the compiler makes wide: it is
// the whole cost of a right output, and nearly all are.
template <class Actual, class Expected>
bool all_within(const std::byte* actual, const std::byte* expected, std::size_t count,
                const tolerance& within) {
  const double absolute = within.absolute, part = within.relative;
  constexpr std::size_t kTogether = 256;
  for (std::size_t done = 0; done < count; done += kTogether) {
    const std::size_t here = std::min(kTogether, count - done);
    int wrong = 0;
    for (std::size_t k = 0; k < here; ++k) {
      Actual is;
      Expected wanted;
      std::memcpy(&is, actual + (done + k) * sizeof is, sizeof is);
      std::memcpy(&wanted, expected + (done + k) * sizeof wanted, sizeof wanted);
      wrong |= !tolerance::is_near(static_cast<double>(wanted), static_cast<double>(is), absolute, part);
    }
    if (wrong) return false;
  }
  return true;
}

// Whether a piece is right altogether, where that can be said without looking at each number by itself; false says nothing.
bool right_at_a_glance(const mismatches::piece& what, const tolerance& within) {
  if (!what.type.is_number() || within.local) return false;
  const bool own_type = what.gives == what.type;
  const auto* const actual = static_cast<const std::byte*>(what.actual);
  const auto* const expected = static_cast<const std::byte*>(what.expected);
  if (within.bitwise) return own_type && std::memcmp(actual, expected, what.count * what.type.size) == 0;
  const auto type = what.type.fields.front().type;
  const bool against_doubles = !own_type || type == scalar::f64;
  if (type == scalar::f32)
    return against_doubles ? all_within<float, double>(actual, expected, what.count, within)
                           : all_within<float, float>(actual, expected, what.count, within);
  return type == scalar::f64 && all_within<double, double>(actual, expected, what.count, within);
}

}  // namespace

mismatches::mismatches(const output_geometry& geometry)
    : geometry_(geometry), by_warp_(std::max<std::size_t>(1, block_size() / 32)) {}

void mismatches::compare(const piece& what, const tolerance& within, const host_inputs& inputs,
                         const poison_pattern& poison) {
  checked_.fetch_add(what.count, std::memory_order_relaxed);
  if (right_at_a_glance(what, within)) return;
  const auto& type = what.type;
  const auto* const actual = static_cast<const std::byte*>(what.actual);
  const auto* const expected = static_cast<const std::byte*>(what.expected);
  const bool own_type = what.gives == type;
  // Most outputs are right: a first pass looks for errors, and only those take the lock.
  std::vector<wrong_element> wrong;
  for (std::size_t k = 0; k < what.count; ++k) {
    const std::byte *const is = actual + k * type.size, *const wanted = expected + k * what.gives.size;
    if (own_type && within.bitwise && type.is_number() && std::memcmp(is, wanted, type.size) == 0) continue;
    const double more = within.local ? within.local(inputs, what.first + k) : 0;
    for (const auto& field : type.fields) {
      const auto* const at = is + field.offset;
      const double value = load_scalar(field.type, at);
      const double should =
          own_type ? load_scalar(field.type, wanted + field.offset) : load_scalar(scalar::f64, wanted);
      bool good;
      if (!within.bitwise) {
        good = within.accepts(should, value, more);
      } else if (own_type) {
        good = std::memcmp(at, wanted + field.offset, size_of(field.type)) == 0;
      } else {
        std::uint64_t bits = 0;
        store_scalar(field.type, &bits, should);
        good = std::memcmp(at, &bits, size_of(field.type)) == 0;
      }
      if (good) continue;
      const bool unwritten = std::memcmp(at, poison.data() + field.offset, size_of(field.type)) == 0;
      const bool added =
          !unwritten && is_sum_with_poison(field.type, at, poison.data() + field.offset, should);
      wrong.push_back({what.first + k, should, value, unwritten, added, is_whole(field.type), field.name});
      break;
    }
  }
  if (wrong.empty()) return;
  const std::scoped_lock hold(lock_);
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

std::string mismatches::at_an_edge(std::string_view with_tile) const {
  return geometry_.shares ? std::string(with_tile) : "the edge of the data or of a block";
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
        found.push_back(fmt::format("all in rows with row % 32 == {}: {}", row,
                                    row == 0 || row == 31 ? at_an_edge("a tile's edge, or a missing barrier")
                                                          : "one row of each 32"));
      }
      if (const int column = only_bucket(by_column_, wrong_); column >= 0) {
        found.push_back(fmt::format("all in columns with column % 32 == {} (lane {}): {}", column, column,
                                    column == 0 || column == 31
                                        ? at_an_edge("a tile's edge, or a missing barrier")
                                        : "one column of each 32"));
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
    found.push_back(fmt::format("all in lane {} (index % 32 == {}): {}", lane, lane,
                                lane == 31 || lane == 0
                                    ? at_an_edge("a warp's edge, tile edge or missing barrier")
                                    : "one lane of each warp"));
  } else if (near_edge_ == wrong_ && wrong_ > 1) {
    found.push_back(fmt::format("all within {} elements of a block's edge (blocks of {}): {}", kEdge, block,
                                at_an_edge("halo cells, tile edge or a missing barrier")));
  } else if (const int warp = only_bucket(by_warp_, wrong_); warp >= 0 && by_warp_.size() > 1 && wrong_ > 1) {
    found.push_back(fmt::format("all in warp {} of a block: that warp {}is left out", warp,
                                geometry_.shares ? "reads what another has not written yet, or " : ""));
  } else if (by_warp_.size() > 1 && by_warp_[0] == 0 && wrong_ > 32) {
    found.push_back("none in the first warp of a block: other warps are left out" +
                    std::string(geometry_.shares ? ", or a barrier is missing" : ""));
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
  text.push_back(fmt::format(
      "{} of {} checked elements of {} {} wrong{}", wrong_, checked_, output_name, wrong_ == 1 ? "is" : "are",
      unwritten_ ? fmt::format("; {} of them were never written", unwritten_) : std::string()));
  for (const auto& one : first_) {
    text.push_back(fmt::format("  {}{}: expected {}, got {}{}", output_name, subscript(one),
                               one.expected_text(), one.actual_text(),
                               geometry_.count > 1 ? "   " + place(one.index) : std::string()));
  }
  if (wrong_ > first_.size()) text.push_back(fmt::format("  ... and {} more", wrong_ - first_.size()));
  for (const auto& one : clusters()) text.push_back("  " + one);
  return text;
}

}  // namespace course
