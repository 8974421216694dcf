/// @file
/// `course predict`: asks an exercise's questions before a grading, keeps the answers and lets one change them.
#include "cli/predict.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/paragraph.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "records/predictions.hpp"
#include "records/quantities.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

using reports::terminal;

reports::outcome last_outcome(const build_folder& build, const tree& graded, const exercise_id& exercise) {
  return reports::join_results(exercise,
                               reports::read_results(build.results() / graded.id / exercise.chapter), "");
}

/// Asks the questions. Enter keeps what was answered before.
/// @return how many were answered now; the input may end early.
std::size_t ask_all(const std::vector<prediction_question>& questions, predictions& kept, bool graded,
                    const terminal& out) {
  const bool typed = ::isatty(0) == 1;
  std::size_t answered = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const prediction_question& question = questions[i];
    fmt::print("{}\n{}\n", out.dim(fmt::format("Question {} of {}", i + 1, questions.size())),
               paragraph(question.text, out.width()));
    const auto before = kept.answers.find(question.id);
    for (;;) {
      fmt::print("  {}{}: ", question.unit,
                 before == kept.answers.end()
                     ? ""
                     : fmt::format(" (so far {}, Enter keeps it)", number_text(before->second.value)));
      std::fflush(stdout);
      std::string line;
      if (!std::getline(std::cin, line)) {
        std::cin.clear();  // whoever watches goes on reading keys
        fmt::print("\n");
        return answered;
      }
      line.erase(line.find_last_not_of(" \t\r") + 1);
      if (!typed) fmt::print("{}\n", line);
      if (line.empty()) break;
      if (line == "q" || line == "quit") return answered;
      const auto value = parse_prediction(line);
      const auto objection = value ? objection_to(question, *value) : std::string();
      if (!objection.empty()) {
        fmt::print("{}\n", objection);
        continue;
      }
      if (value) {
        kept.answers[question.id] = {*value, graded};
        ++answered;
        break;
      }
      fmt::print("Type a number, as 24, 0.17, 1/6 or 17 %; Enter skips, q stops.\n");
    }
    fmt::print("\n");
  }
  return answered;
}

void ask_and_keep(const build_folder& build, const tree& graded, const exercise_id& exercise,
                  const std::vector<prediction_question>& questions, predictions& kept) {
  const reports::outcome last = last_outcome(build, graded, exercise);
  const std::size_t answered = ask_all(questions, kept, !last.verdict.empty(), terminal::of(1));
  kept.write(build, graded, exercise);
  const auto all = static_cast<std::size_t>(
      std::count_if(questions.begin(), questions.end(),
                    [&](const prediction_question& one) { return kept.answers.contains(one.id); }));
  fmt::print(
      "{} answered now, {} of {} in all. The report shows them beside what was counted: ./course {} {}\n",
      answered, all, questions.size(), last.verdict.empty() ? "grade" : "report", exercise.name);
}

int list_predictions(const build_folder& build, const tree& graded) {
  for (const exercise_id& exercise : in_course_order(build)) {
    if (!asks_for_predictions(build, exercise)) continue;
    const auto questions = read_prediction_questions(build, exercise);
    const auto kept = predictions::read(build, graded, exercise);
    const auto answered = std::count_if(questions.begin(), questions.end(),
                                        [&](const auto& one) { return kept.answers.contains(one.id); });
    fmt::print("  {:<9} {:<24} {} of {} predicted\n", exercise.label, exercise.name, answered,
               questions.size());
  }
  return 0;
}

}  // namespace

int predict(const build_folder& build, const predict_options& options) {
  const std::string tree_word = options.tree.empty() && !options.word.empty()
                                    ? tree_of_words(build, {options.word}).string()
                                    : options.tree;
  const tree graded = tree_word.empty() ? tree_of_environment(build) : resolve_tree(build, tree_word);
  if (options.word.empty()) return list_predictions(build, graded);
  const exercise_id exercise = select_one(build, options.word);
  const auto questions = read_prediction_questions(build, exercise);
  if (questions.empty())
    throw environment_error(
        fmt::format("{} asks for no predictions; `./course predict` lists those that do.", exercise.name));
  if (::isatty(0) != 1 && std::cin.peek() == std::char_traits<char>::eof())
    throw environment_error(
        fmt::format("There is nobody to ask, since the input is no terminal and holds no answers: run "
                    "./course predict {} in a "
                    "terminal.",
                    exercise.name));
  predictions kept = predictions::read(build, graded, exercise);
  fmt::print("Predict {}: {} questions. Numbers answer, Enter skips, q stops. Nothing is graded by them.\n\n",
             exercise.name, questions.size());
  ask_and_keep(build, graded, exercise, questions, kept);
  return 0;
}

void offer_predictions(const build_folder& build, const tree& graded, const exercise_id& exercise) {
  const char* const ci = std::getenv("CI");
  if (::isatty(0) != 1 || ::isatty(1) != 1 || (ci && *ci)) return;
  if (graded.id != "exercises" || !asks_for_predictions(build, exercise)) return;
  predictions kept = predictions::read(build, graded, exercise);
  if (kept.offered || !kept.answers.empty() || !last_outcome(build, graded, exercise).verdict.empty()) return;
  const auto questions = read_prediction_questions(build, exercise);
  kept.offered = true;
  kept.write(build, graded, exercise);
  fmt::print("{} asks {} questions that you can answer before you look. y answers them now, Enter grades: ",
             exercise.name, questions.size());
  std::fflush(stdout);
  std::string line;
  if (!std::getline(std::cin, line)) std::cin.clear();
  if (!line.starts_with('y') && !line.starts_with('Y')) return;
  fmt::print("\n");
  ask_and_keep(build, graded, exercise, questions, kept);
  fmt::print("\n");
}

}  // namespace course::cli
