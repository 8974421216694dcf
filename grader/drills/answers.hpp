/// @file
/// The answers file, which is what a drill's hand-in is: a few lines of text that name the draw's number and hold the answers.
/// It is written by hand, so whatever is wrong with it is said in one sentence, with the line.
///
///     drill: sectors
///     number: 7
///     1: 4
///     2: 17
///
/// Lines that begin with # are comments. Several numbers of one answer stand side by side ("4: 32 21").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "drills/drill.hpp"

namespace course::drills {

/// What was answered to one question.
struct given_answer {
  numbers values;  ///< empty: left blank
  int line = 0;    ///< 1-based, in the file; 0 where there is none
};

/// A whole answers file.
struct answers {
  std::uint32_t number = 0;  ///< of the draw
  std::vector<given_answer>
      given;  ///< at least kSheet, at most kLimitMark; the n-th belongs to question n + 1

  bool all_blank() const;
};

/// Why a text is no answers file.
struct complaint {
  std::string sentence;  ///< what is wrong, and what to do
  int line = 0;          ///< 1-based; 0: the whole file
};

/// Reads an answers file.
/// @param[in] text of the file; Windows line ends, tabs and a byte order mark do no harm.
std::variant<answers, complaint> read_answers(const drill& of, std::string_view text);

/// Reads numbers as people type them: "4", "32 21", "32, 21".
/// @return nullopt if there is anything else in it, or a number of more than nine digits.
std::optional<numbers> read_numbers(std::string_view text);

/// Reads the number of a draw.
/// @return nullopt if it is none from 0 to kHighestNumber.
std::optional<std::uint32_t> read_draw_number(std::string_view text);

/// An answers file with its questions as comments.
/// @param[in] filled answers to write behind the questions; empty: an empty sheet to fill in.
/// @param[in] with_reasons also writes why each right answer is right.
std::string write_answers(const drill& of, std::uint32_t number, const std::vector<question>& questions,
                          const std::vector<numbers>& filled = {}, bool with_reasons = false);

}  // namespace course::drills
