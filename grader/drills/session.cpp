/// @file
/// See session.hpp.
#include "drills/session.hpp"

#include <fmt/format.h>

#include <iostream>
#include <optional>

#include "drills/answers.hpp"
#include "drills/marking.hpp"
#include "drills/sheet.hpp"

namespace course::drills {
namespace {

/// Asks until there is an answer of the right form.
/// @return nullopt: enough for today.
std::optional<numbers> ask_for_numbers(const drill& of, const question& q, std::istream& in,
                                       std::ostream& out) {
  for (;;) {
    out << fmt::format("{}: ", fmt::join(q.asks, ", ")) << std::flush;
    std::string line;
    if (!std::getline(in, line)) {
      out << '\n';
      return std::nullopt;
    }
    if (line == "q" || line == "quit") return std::nullopt;
    if (line == "?") {
      out << '\n' << of.rules << "\n\n";
      continue;
    }
    auto values = read_numbers(line);
    if (values && values->size() == q.asks.size()) return values;
    out << fmt::format("Type {}; `?` shows the rules, `q` stops.\n",
                       q.asks.size() == 1 ? "one whole number"
                                          : fmt::format("{} whole numbers, side by side", q.asks.size()));
  }
}

/// Asks one question, explains, and counts.
/// @return false: enough for today.
bool ask_one(const drill& of, const question& q, const std::string& title, session_outcome& so_far,
             std::istream& in, std::ostream& out) {
  out << fmt::format("\n--- {} ---\n\n{}\n\n", title, q.text);
  const auto given = ask_for_numbers(of, q, in, out);
  if (!given) return false;
  const marked_answer marked = mark_answer(of, q, *given);
  so_far.given.push_back(*given);
  if (marked.right) {
    ++so_far.right;
    ++so_far.in_a_row;
    so_far.longest = std::max(so_far.longest, so_far.in_a_row);
    out << "Right. " << q.why << '\n';
  } else {
    so_far.in_a_row = 0;
    if (!marked.mistake.empty()) ++so_far.mistakes[marked.mistake];
    out << fmt::format("No. {}\nRight is {}. {}\n", marked.explanation, fmt::join(q.right, " "), q.why);
  }
  return true;
}

}  // namespace

session_outcome ask_sheet(const drill& of, std::uint32_t number, std::istream& in, std::ostream& out) {
  session_outcome result;
  out << of.rules << '\n';
  const std::vector<question> questions = draw(of, number, kLimitMark);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (i == kSheet) {
      if (result.right < kSheet) break;
      out << fmt::format(
          "\nAll {} are right. Ten more like that, and you are at the limit; `q` stops here.\n", kSheet);
    }
    const std::string title = fmt::format("question {} of {}", i + 1, i < kSheet ? kSheet : kLimitMark);
    if (!ask_one(of, questions[i], title, result, in, out)) {
      result.stopped = i < kSheet;
      break;
    }
    // At the first slip of the second ten there is nothing left to reach.
    if (i >= kSheet && result.in_a_row == 0) break;
  }
  return result;
}

session_outcome practise(const drill& of, std::uint32_t number, std::size_t in_a_row, std::istream& in,
                         std::ostream& out) {
  session_outcome result;
  result.in_a_row = in_a_row;
  out << of.rules << "\n\nPractice goes on until you type `q`.\n";
  for (unsigned index = 0;; ++index) {
    for (const question& q : draw_sheet(of, number, index)) {
      const std::string title =
          fmt::format("question {}, {} right in a row", result.given.size() + 1, result.in_a_row);
      if (!ask_one(of, q, title, result, in, out)) return result;
      if (result.in_a_row == kLimitMark)
        out << fmt::format("That makes {} in a row: you are at the limit.\n", kLimitMark);
    }
  }
}

}  // namespace course::drills
