/// @file
/// Comparing an output with its expectation, and saying what the errors have in common. "Index 4127 is wrong"
/// helps nobody; "all errors are in lane 31" does.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/element.hpp"
#include "judge/tolerance.hpp"

namespace course {

/// One wrong element; of a record its first wrong field.
struct wrong_element {
  std::size_t index = 0;
  double expected = 0, actual = 0;
  bool unwritten = false;        ///< holds the poison
  bool added_to_poison = false;  ///< holds the poison plus the right value
  bool whole = false;            ///< of an integer type
  std::string_view field;        ///< empty for plain numbers

  /// What should be there, for a reader.
  std::string expected_text() const;
  /// What is there, for a reader: a number, or the poison by name.
  std::string actual_text() const;
};

/// What an output held before the call: bytes of one element, repeated. Bits that no program writes by accident: a NaN with a random
/// payload for floats, random bits for integers.
using poison_pattern = std::vector<std::byte>;
poison_pattern make_poison(const element_type& type, std::uint64_t seed);
/// Fills @p count elements with the pattern.
void fill_poison(const poison_pattern& poison, void* data, std::size_t count);

/// How the output is laid out, for coordinates.
struct output_geometry {
  std::size_t count = 0;          ///< elements
  std::size_t row_length = 0;     ///< 0: one dimension
  std::size_t block_threads = 0;  ///< of the student's launch; 0: unknown
  bool shares =
      true;  ///< false: the kernels use no shared memory, so that no barrier and no tile in it can be at fault
};

/// Everything counted about the wrong elements of one output. Filled from several threads.
class mismatches {
 public:
  explicit mismatches(const output_geometry& geometry);

  /// What is compared: elements [first, first + count).
  struct piece {
    const element_type& type;  ///< of the output
    const void* actual;        ///< bytes of those elements
    std::size_t first, count;
    const element_type& gives;  ///< type of the expected values: the output's own, or double
    const void* expected;
  };
  /// Compares. @param inputs for tolerances that depend on them.
  void compare(const piece& what, const tolerance& within, const host_inputs& inputs,
               const poison_pattern& poison);

  std::size_t count() const { return wrong_; }
  std::size_t checked() const { return checked_; }
  std::size_t unwritten() const { return unwritten_; }
  std::size_t non_finite() const { return non_finite_; }
  bool none() const { return wrong_ == 0; }

  /// The first five wrong elements, by index.
  std::vector<wrong_element> first() const;

  /// What the wrong elements have in common, in plain words, each ending in a likely reason. May be empty.
  std::vector<std::string> clusters() const;

  /// The count, the first five and the clusters, line by line.
  std::vector<std::string> lines(const std::string& output_name) const;

  /// The first wrong element; meaningless if there is none.
  std::size_t lowest() const { return lowest_; }
  /// Coordinates of an element: "row 3, column 7", "block 2, thread 31 (warp 0, lane 31)".
  std::string place(std::size_t index) const;

 private:
  void count_place(std::size_t index);
  /// What is likely where elements at an edge are wrong.
  std::string at_an_edge(std::string_view with_tile) const;
  std::size_t block_size() const { return geometry_.block_threads ? geometry_.block_threads : 256; }

  output_geometry geometry_;
  mutable std::mutex lock_;
  std::vector<wrong_element> first_;
  std::atomic<std::size_t> checked_ = 0;
  std::size_t wrong_ = 0, unwritten_ = 0, non_finite_ = 0;
  std::size_t lowest_ = SIZE_MAX, highest_ = 0;
  std::array<std::size_t, 32> by_lane_{}, by_row_{}, by_column_{};
  std::vector<std::size_t> by_warp_;
  std::size_t in_last_block_ = 0, near_edge_ = 0, on_diagonal_ = 0, in_last_rows_ = 0, in_last_columns_ = 0;
  bool constant_factor_ = true;
  double factor_ = 0;
};

}  // namespace course
