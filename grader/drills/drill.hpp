/// @file
/// What a drill is: it proposes ten questions, knows the right answers from the simulated GPU's own functions, and knows what
/// the usual mistakes would answer. All else (fair draws, files, marking, asking) is the same for every drill, so a new one is
/// one file and its line in registry.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "drills/dice.hpp"

namespace course::drills {

/// An answer: one number for each thing that a question asks for.
using numbers = std::vector<std::int64_t>;

/// A way of thinking that leads to a wrong answer.
struct mistake {
  std::string name;      ///< a file's stem, e.g. counts_lines
  std::string sentence;  ///< said to who answers so: what it looks like, and what holds instead
};

struct question {
  std::string text;               ///< what is asked, with a picture or table; several lines, none at the end
  std::vector<std::string> asks;  ///< what each number of the answer is, with its unit, e.g. {"sectors"}
  numbers right;                  ///< as many as `asks`
  std::string why;                ///< a sentence for each number, a line each, that leads to the right answer
  /// What each of the drill's mistakes answers, in their order; empty where one leads to no answer at all.
  std::vector<numbers> by_mistake;
};

struct drill {
  std::string word;      ///< as in `course drill sectors`
  std::string exercise;  ///< folder of its task and hand-in, e.g. predict_sectors
  std::string about;     ///< half a sentence for lists
  std::string rules;     ///< what one needs to know to answer; several lines, printed above the questions
  std::vector<mistake> mistakes;  ///< likeliest first: the first that fits an answer is named
  /// Ten questions. @p sheet counts the tens of one draw, from 0. Called again until the ten are fair (sheet.hpp).
  std::vector<question> (*propose)(dice& random, unsigned sheet) = nullptr;
};

}  // namespace course::drills
