/// @file
/// `course drill`: asks a drill's questions on a terminal, prints them, writes an answers file to fill in, or marks one.
#include "cli/drill.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "cli/drill_score.hpp"
#include "cli/selection.hpp"
#include "drills/answers.hpp"
#include "drills/registry.hpp"
#include "drills/session.hpp"
#include "drills/sheet.hpp"
#include "records/files.hpp"
#include "records/verdict.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using drills::drill;

/// Short enough to be typed.
std::uint32_t fresh_number() {
  return std::random_device()() % 1'000'000;
}

const drill& drill_named(const std::string& word) {
  if (const drill* found = drills::find_drill(word)) return *found;
  std::vector<std::string> names;
  for (const drill* one : drills::all_drills()) {
    names.push_back(one->word);
    names.push_back(one->exercise);
  }
  const std::string near = nearest_name(word, names);
  throw environment_error(fmt::format("There is no drill called {}{} `./course drill` lists them.", word,
                                      near.empty() ? "." : "; did you mean " + near + "?"));
}

const exercise_id& exercise_of(const build_folder& build, const drill& of) {
  for (const exercise_id& exercise : build.config().exercises) {
    if (exercise.is_drill() && exercise.name == of.exercise) return exercise;
  }
  throw environment_error(
      fmt::format("The drill {} has no folder in exercises/, so nothing can be handed in.", of.word));
}

int list_drills(const build_folder& build) {
  for (const drill* one : drills::all_drills())
    fmt::print("  {:<12} {}\n  {:<12} {}\n", one->word, one->about, "",
               drill_score::read(build, *one).text());
  fmt::print("\nTry one: ./course drill {}\n", drills::all_drills().front()->word);
  return 0;
}

int print_sheet(const drill& of, std::uint32_t number, std::size_t count) {
  fmt::print("{}: {}\nquestions of number {}\n\n{}\n", of.exercise, of.about, number, of.rules);
  const auto questions = drills::draw(of, number, count);
  for (std::size_t i = 0; i < questions.size(); ++i)
    fmt::print("\n--- question {} ---\n\n{}\n({})\n", i + 1, questions[i].text,
               fmt::join(questions[i].asks, ", "));
  return 0;
}

int write_template(const build_folder& build, const tree& graded, const drill& of,
                   const drill_options& options, std::uint32_t number) {
  const fs::path file =
      options.answers.empty() ? answers_file(graded, exercise_of(build, of)) : fs::absolute(options.answers);
  std::error_code error;
  if (fs::exists(fs::symlink_status(file, error)))
    throw environment_error(
        fmt::format("{} exists already, and may hold your answers: move it away first.", file.string()));
  write_file_atomically(file, drills::write_answers(of, number, drills::draw(of, number, options.questions)));
  fmt::print("Wrote {}\nAnswer behind the colons, then: ./course grade {}\n", file.string(), of.exercise);
  return 0;
}

int mark_file(const drill& of, const drill_options& options, std::optional<std::uint32_t> forced) {
  const auto found = drills::grade_hand_in(of, fs::absolute(options.answers), forced);
  fmt::print("{}", drill_text(of.exercise, found));
  if (found.outcome == verdict::pass) return 0;
  return found.marked.answers.empty() ? 2 : 1;
}

/// Hands the answers of a session in, in place of any that are worse.
void hand_in(const build_folder& build, const tree& graded, const drill& of, std::uint32_t number,
             const drills::session_outcome& session) {
  const fs::path file = answers_file(graded, exercise_of(build, of));
  const bool at_the_limit = session.right == drills::kLimitMark;
  const auto before = drills::grade_hand_in(of, file, std::nullopt);
  if (before.outcome == verdict::pass && (before.marked.at_the_limit() || !at_the_limit)) {
    fmt::print("Your hand-in passes already, and stays as it is: {}\n", file.string());
    return;
  }
  const std::size_t count = at_the_limit ? drills::kLimitMark : drills::kSheet;
  std::vector<drills::numbers> given = session.given;
  given.resize(count);
  write_file_atomically(file, drills::write_answers(of, number, drills::draw(of, number, count), given));
  fmt::print("Handed in: {}\nIts verdict in the list: ./course grade {}\n", file.string(), of.exercise);
}

int ask(const build_folder& build, const tree& graded, const drill& of, const drill_options& options,
        std::uint32_t number) {
  if (!::isatty(0))
    throw environment_error(
        fmt::format("There is nobody to ask, since the input is no terminal: --print shows the questions, "
                    "--template writes a file to "
                    "fill in, and --answers FILE marks it (./course drill {} --help).",
                    of.word));
  if (examined_number() && !options.practice)
    throw environment_error(
        fmt::format("{} is set: an examination is answered in a file, for here each answer is explained at "
                    "once. --template writes one.",
                    kExaminedNumber));
  drill_score all = drill_score::read(build, of);
  if (options.practice) {
    const auto session = drills::practise(of, number, all.in_a_row, std::cin, std::cout);
    all.in_a_row = session.in_a_row;
    all.add(session);
    all.write(build, of);
    fmt::print("\n{} of {} right. {}{}.\n", session.right, session.given.size(),
               most_frequent_mistake(of, session), all.text());
    return 0;
  }
  fmt::print("Ten questions of number {}; {} right ones pass. `?` shows these rules again, `q` stops.\n\n",
             number, drills::kPassMark);
  std::fflush(stdout);
  const auto session = drills::ask_sheet(of, number, std::cin, std::cout);
  all.add(session);
  all.write(build, of);
  const auto first = std::min(session.given.size(), drills::kSheet);
  const auto marked_right = std::min(session.right, drills::kSheet);
  if (session.stopped) {
    fmt::print("\nStopped after {} of {} questions; nothing was handed in.\n", first, drills::kSheet);
    return 1;
  }
  const bool passed = marked_right >= drills::kPassMark;
  fmt::print("\n{} of {} right: {}.\n{}", marked_right, drills::kSheet,
             session.right == drills::kLimitMark ? "passed, at the limit"
             : passed                            ? "passed"
                      : fmt::format("not passed, {} are needed", drills::kPassMark),
             most_frequent_mistake(of, session));
  if (passed) {
    hand_in(build, graded, of, number, session);
  } else {
    fmt::print(
        "Nothing was handed in. The same command asks ten others; --practice asks without end; a hint: "
        "./course hint {}.\n",
        of.exercise);
  }
  return passed ? 0 : 1;
}

}  // namespace

int run_drill(const build_folder& build, const drill_options& options) {
  if (options.word.empty()) return list_drills(build);
  const drill& of = drill_named(options.word);
  // Practice gives nothing of an examination away, unless somebody asks for its number.
  const auto forced =
      options.practice && options.number.empty() ? std::nullopt : forced_number(options.number);
  const std::uint32_t number = forced.value_or(fresh_number());
  if (options.print) return print_sheet(of, number, options.questions);
  const tree graded = options.tree.empty() ? tree_of_environment(build) : resolve_tree(build, options.tree);
  if (options.write_template) return write_template(build, graded, of, options, number);
  if (!options.answers.empty()) return mark_file(of, options, forced);
  return ask(build, graded, of, options, number);
}

}  // namespace course::cli
