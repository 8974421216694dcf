/// @file
/// What a build folder remembers of somebody's answers on the terminal.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "drills/drill.hpp"
#include "drills/session.hpp"
#include "records/build_folder.hpp"

namespace course::cli {

struct drill_score {
  std::size_t asked = 0, right = 0;
  std::size_t in_a_row = 0;             ///< with which the last practice ended
  std::size_t longest = 0;              ///< run of right answers
  std::map<std::string, int> mistakes;  ///< how often each was made

  /// The score so far; zeros if there is no readable file.
  static drill_score read(const build_folder& build, const drills::drill& of);
  void add(const drills::session_outcome& session);
  /// @throws environment_error if it cannot be written.
  void write(const build_folder& build, const drills::drill& of) const;
  /// "14 of 16 right so far, longest run 9"
  std::string text() const;
};

/// "Most often, 3 times: ..." with the mistake that a session made most; empty if it made none twice.
std::string most_frequent_mistake(const drills::drill& of, const drills::session_outcome& session);

}  // namespace course::cli
