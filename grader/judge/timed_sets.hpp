/// @file
/// Buffer sets for timed runs, on either device: filled once, changed in places before every sample, checked after it. So an answer from
/// the last sample, or from a cache keyed by address, is a wrong answer, and checking does not slow the timing.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "judge/contestant.hpp"

namespace course {

/// See the file's head. The same changes go to every contestant.
class timed_sets {
 public:
  /// @param sets how many buffer sets rotate. @param name of the size, for sentences: "n=6000005".
  timed_sets(const problem& asked, std::size_t sets, std::string name, std::uint64_t seed);

  const problem& asked() const { return data_.asked(); }
  std::size_t count() const { return overlays_.size(); }

  /// Fills the sets of all contestants, and makes their set-up calls. @param simulator for simgpu_configure; null on a real device.
  std::optional<judgement> prepare(const std::vector<contestant*>& all, const protocol::json& simulator,
                                   double patience);
  /// The same contents at other addresses.
  std::optional<judgement> place_anew(const std::vector<contestant*>& all, double patience);
  /// Draws new values, writes them into the sets of all contestants and makes set-up calls again that took what has changed.
  std::optional<judgement> poke(const std::vector<contestant*>& all, double patience);
  /// Fetches what depends on the last pokes, and some random places, from sets [0, launches).
  std::optional<judgement> verify(contestant& one, std::size_t launches, double patience);
  /// Fetches every output of one set whole.
  /// @param body the answer to the sample, for properties. @param report its counts.
  std::optional<judgement> verify_whole(contestant& one, std::size_t set, double patience,
                                        const protocol::json& body = protocol::json_box(),
                                        const device_report& report = {});

  std::size_t draw(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }

  /// The contestant whose fault the last judgement was: null for the harness's own.
  contestant* at_fault() const { return at_fault_; }

 private:
  struct changed_element {
    std::size_t buffer = 0, element = 0;
    std::vector<std::byte> bytes;  // of one whole element
  };
  // What one set differs in from the data that all sets began with.
  using overlay = std::vector<changed_element>;
  struct slice {
    std::size_t expectation = 0, first = 0, count = 0;
    auto operator<=>(const slice&) const = default;
  };
  struct write {
    std::size_t set = 0, buffer = 0, element = 0;
    std::vector<std::byte> bytes;
  };

  void draw_set(std::size_t set, std::vector<write>& writes);
  std::optional<judgement> wait_for_all(const std::vector<contestant*>& all, const char* doing,
                                        double patience);
  std::optional<judgement> fetch(contestant& one, const std::vector<std::size_t>& buffers,
                                 const std::vector<std::size_t>& first,
                                 const std::vector<std::size_t>& elements, std::size_t set,
                                 std::vector<std::size_t>& places, double patience);
  std::optional<judgement> wrong_at_this_size(contestant& one, const mismatches& wrong, std::size_t output);
  void apply(std::size_t set);  // and, called again, undo

  case_data data_;
  std::string name_;
  std::mt19937_64 random_;
  std::vector<overlay> overlays_;
  std::size_t first_round_begin_ = 0;         // where the last pokes begin in the first set's overlay
  std::vector<std::vector<slice>> to_check_;  // per set, of the last pokes
  contestant* at_fault_ = nullptr;
};

}  // namespace course
