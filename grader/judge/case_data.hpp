/// @file
/// The contents of one problem's buffers: made by the judge, sent as images, checked when they come back. The
/// judge keeps its own copy of every input, so nothing that a worker does to the shared memory can change
/// what is expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/mismatch.hpp"
#include "judge/problem.hpp"
#include "protocol/arena.hpp"
#include "protocol/channel.hpp"

namespace course {

/// How buffers lie in memory on a device.
struct placement {
  std::size_t guard_bytes =
      0;  ///< guard zone on both sides; 0 where every access is checked against its exact allocation
};

/// What a check of inputs and guard zones found.
struct damage {
  std::string buffer;
  std::ptrdiff_t element =
      0;                  ///< index of the first damaged element; below 0 or beyond the end in a guard zone
  std::size_t bytes = 0;  ///< damaged bytes
  bool in_guard = false;
};

/// See the file's head.
class case_data {
 public:
  /// Fills everything from @p seed.
  case_data(const problem& asked, const placement& where, std::uint64_t seed);

  const problem& asked() const { return *asked_; }

  /// Adds buffers and calls to a request, and writes the images into @p arena.
  /// @return false when there is not enough memory.
  bool send_to(protocol::arena& arena, protocol::json& request) const;
  /// Bytes of all images together.
  std::size_t image_bytes() const;

  /// Element 0 of every input.
  host_inputs inputs() const;

  /// Looks at inputs and guard zones as they came back in @p arena (placed there by send_to).
  std::optional<damage> find_damage(const protocol::arena& arena) const;

  /// Compares output @p index of problem::expectations with what came back; @p into counts what is wrong.
  void compare(std::size_t index, const protocol::arena& arena, mismatches& into) const;

  /// Compares output @p index, whole if its oracle is cheap enough; else slices at random places all over it, as many as this machine's
  /// cores check in about a second.
  /// @param actual bytes of the whole output.
  void compare_some(std::size_t index, const void* actual, std::uint64_t seed, mismatches& into) const;

  /// Compares a part of an output. @param actual bytes of elements [first, first + count).
  void compare_part(std::size_t index, const void* actual, std::size_t first, std::size_t count,
                    mismatches& into) const;

  /// Changes element @p element of input @p buffer to @p bytes (one whole element), and what oracles keep. @p bytes then hold what was
  /// there before, so that calling it again takes the change back.
  void change(std::size_t buffer, std::size_t element, std::vector<std::byte>& bytes);

  /// A few elements of each input become what @p seed fills them with, the first and the last among them: where elements change one by one
  /// between timed runs, and inputs are not tiny. A program that keeps an answer and knows its call by a look at such places then meets
  /// other data with a known face.
  void keep_some(std::uint64_t seed);

  /// Outputs as they came back in @p arena become what reference_answer() expects.
  void take_reference(const protocol::arena& arena);
  /// Element 0 of every output as it lies in @p arena; null for inputs.
  std::vector<const void*> outputs_in(const protocol::arena& arena) const;
  /// True if the output of expectation @p index still holds what it held before the call.
  bool is_untouched(std::size_t buffer, const protocol::arena& arena) const;

  /// Bytes from the start of buffer @p index's allocation to the element that the pointer names.
  std::size_t pointer_offset(std::size_t index) const { return places_[index].pointer_offset; }
  /// The pattern that output @p index holds before a call.
  const poison_pattern& poison(std::size_t index) const { return places_[index].poison; }
  /// Layout of an output, for a mismatch report. @param block_threads threads of the student's blocks, 0 if
  /// unknown.
  output_geometry geometry(std::size_t buffer, std::size_t block_threads) const;

 private:
  struct place_of {
    std::size_t bytes = 0;           // whole allocation
    std::size_t pointer_offset = 0;  // of element 0
    std::size_t arena = 0;
    poison_pattern poison;  // outputs and guard zones
    std::unique_ptr<std::byte[]> image;
    std::vector<std::byte> reference;  // what the reference gave, where that is expected
  };

  const problem* asked_;
  std::vector<place_of> places_;
  std::size_t arena_bytes_ = 0;
  std::vector<std::unique_ptr<oracle::state>> kept_;
};

}  // namespace course
