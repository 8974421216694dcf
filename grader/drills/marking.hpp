/// @file
/// Marks answers, and says to each wrong one which mistake it looks like.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "drills/answers.hpp"
#include "drills/drill.hpp"

namespace course::drills {

/// One answer, marked.
struct marked_answer {
  std::size_t question = 0;  ///< 1-based
  bool right = false;
  int line = 0;             ///< as in given_answer
  std::string mistake;      ///< name of the mistake it looks like; empty if right, blank or like none
  std::string explanation;  ///< one or two sentences, without the right answer; empty if right
};

/// A hand-in, marked.
struct marking {
  std::vector<marked_answer> answers;
  std::size_t right_of_first = 0;  ///< of the first kSheet
  std::size_t in_a_row = 0;        ///< right ones from the first on

  bool passed() const;
  bool at_the_limit() const;
  /// The first wrong answer; nullptr if there is none.
  const marked_answer* first_wrong() const;
};

/// Marks one answer to one question.
marked_answer mark_answer(const drill& of, const question& asked, const numbers& given);

/// Marks all answers.
marking mark(const drill& of, const answers& given);

}  // namespace course::drills
