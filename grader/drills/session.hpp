/// @file
/// Asks a drill's questions one by one, and explains every answer at once. It talks to any streams, so that a test can be
/// its student.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "drills/drill.hpp"

namespace course::drills {

/// What came of asking.
struct session_outcome {
  std::vector<numbers> given;  ///< in the order of the draw
  std::size_t right = 0;
  std::size_t in_a_row =
      0;  ///< right ones since the last wrong one, those of earlier sessions included (practice)
  std::size_t longest = 0;              ///< the longest such run of this session
  std::map<std::string, int> mistakes;  ///< how often each was made
  bool stopped = false;                 ///< before the ten were answered
};

/// Asks ten questions; who has them all right is asked on, up to twenty. `q` or the end of input stops.
session_outcome ask_sheet(const drill& of, std::uint32_t number, std::istream& in, std::ostream& out);

/// Asks until somebody has enough (`q` or the end of input).
/// @param[in] in_a_row right answers in a row that earlier sessions ended with.
session_outcome practise(const drill& of, std::uint32_t number, std::size_t in_a_row, std::istream& in,
                         std::ostream& out);

}  // namespace course::drills
