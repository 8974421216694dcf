/// @file
/// See hand_in.hpp.
#include "drills/hand_in.hpp"

#include <fmt/format.h>

#include "drills/sheet.hpp"
#include "records/files.hpp"

namespace course::drills {
namespace {

namespace fs = std::filesystem;

/// Far more than twenty questions with their comments take.
constexpr std::uintmax_t kLargestFile = 64 * 1024;

graded_hand_in refused(std::string_view cause, std::string sentence, int line = 0) {
  graded_hand_in result;
  result.outcome = verdict::wrong_result;
  result.cause = cause;
  result.headline = std::move(sentence);
  result.line = line;
  return result;
}

std::string first_mistake(const marking& marked) {
  const marked_answer* wrong = marked.first_wrong();
  return wrong ? fmt::format(" Question {}: {}", wrong->question, wrong->explanation) : "";
}

}  // namespace

graded_hand_in grade_hand_in(const drill& of, const fs::path& file, std::optional<std::uint32_t> forced) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (!fs::exists(status)) {
    graded_hand_in none;
    none.headline =
        fmt::format("There is no {} yet: `./course drill {}` asks you, and hands your answers in.",
                    kAnswersFile, of.word);
    return none;
  }
  // A link could lead out of the tree, to another's answers.
  if (!fs::is_regular_file(status))
    return refused(cause::malformed_answers,
                   "The answers file is a link or a folder: hand in a file of its own.");
  if (fs::file_size(file, error) > kLargestFile || error)
    return refused(cause::malformed_answers,
                   fmt::format("The answers file has more than {} KiB: it holds ten lines like `1: 4`.",
                               kLargestFile / 1024));
  const auto text = read_file(file);
  if (!text)
    return refused(cause::malformed_answers, "The answers file cannot be read: check who may read it.");

  const auto read = read_answers(of, *text);
  if (const auto* wrong = std::get_if<complaint>(&read)) {
    graded_hand_in result = refused(cause::malformed_answers, wrong->sentence, wrong->line);
    result.text = *text;
    return result;
  }
  const answers& given = std::get<answers>(read);
  graded_hand_in result;
  if (forced && given.number != *forced) {
    result =
        refused(cause::another_draw, fmt::format("These are answers to number {}, and number {} is asked: "
                                                 "`./course drill {} --print --seed {}` shows its "
                                                 "questions.",
                                                 given.number, *forced, of.word, *forced));
  } else {
    result.marked = mark(of, given);
    if (given.all_blank()) {
      result.outcome = verdict::not_attempted;
      result.headline = "No question is answered yet: write each answer behind the colon.";
    } else if (result.marked.passed()) {
      result.outcome = verdict::pass;
      if (!result.marked.at_the_limit() && given.given.size() == kSheet)
        result.headline = fmt::format("{} of {} right. Answer on to question {} for the limit mark.",
                                      result.marked.right_of_first, kSheet, kLimitMark);
    } else {
      result.outcome = verdict::wrong_result;
      result.cause = cause::mismatch;
      result.headline = fmt::format("{} of {} right, and {} are needed.{}", result.marked.right_of_first,
                                    kSheet, kPassMark, first_mistake(result.marked));
    }
    if (const marked_answer* wrong = result.marked.first_wrong();
        wrong && result.outcome != verdict::not_attempted)
      result.line = wrong->line;
  }
  result.number = given.number;
  result.text = *text;
  return result;
}

}  // namespace course::drills
