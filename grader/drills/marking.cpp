/// @file
/// See marking.hpp.
#include "drills/marking.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drills/sheet.hpp"

namespace course::drills {
namespace {

/// For a wrong answer like no known mistake's.
std::string unknown_mistake(const question& asked, const numbers& given) {
  if (asked.right.size() > 1) {
    std::vector<std::string> right, wrong;
    for (std::size_t i = 0; i < asked.right.size(); ++i)
      (i < given.size() && given[i] == asked.right[i] ? right : wrong).push_back(asked.asks[i]);
    if (!right.empty())
      return fmt::format("Half of it: {} is right, {} is not.", right.front(), wrong.front());
  }
  if (given.size() == 1 && given.front() > asked.right.front()) return "That is too many.";
  if (given.size() == 1) return "That is too few.";
  return "None of these numbers is right.";
}

}  // namespace

bool marking::passed() const {
  return right_of_first >= kPassMark;
}

bool marking::at_the_limit() const {
  return in_a_row >= kLimitMark;
}

const marked_answer* marking::first_wrong() const {
  const auto found =
      std::find_if(answers.begin(), answers.end(), [](const marked_answer& one) { return !one.right; });
  return found == answers.end() ? nullptr : &*found;
}

marked_answer mark_answer(const drill& of, const question& asked, const numbers& given) {
  marked_answer result;
  result.right = given == asked.right;
  if (result.right) return result;
  if (given.empty()) {
    result.explanation = "It is not answered.";
    return result;
  }
  for (std::size_t i = 0; i < of.mistakes.size(); ++i) {
    if (asked.by_mistake[i] != given) continue;
    result.mistake = of.mistakes[i].name;
    result.explanation = of.mistakes[i].sentence;
    return result;
  }
  result.explanation = unknown_mistake(asked, given);
  return result;
}

marking mark(const drill& of, const answers& given) {
  const std::vector<question> questions = draw(of, given.number, given.given.size());
  marking result;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    marked_answer one = mark_answer(of, questions[i], given.given[i].values);
    one.question = i + 1;
    one.line = given.given[i].line;
    if (one.right && i < kSheet) ++result.right_of_first;
    if (one.right && result.in_a_row == i) ++result.in_a_row;
    result.answers.push_back(std::move(one));
  }
  return result;
}

}  // namespace course::drills
