/// @file
/// `course hint`: first what fits the last verdict, then one step at a time, from a nudge to almost the answer. Who sees all of them
/// at once reads the last one first.
#include <fmt/format.h>

#include <sstream>

#include "cli/commands.hpp"
#include "cli/hints_file.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "reports/outcome.hpp"
#include "reports/terminal.hpp"

namespace course::cli {
namespace {

/// How far a student has read: a line with the number of steps, and one with what was shown for a verdict last. The launcher writes the
/// first line only, before anything is built.
struct reading {
  std::size_t steps = 0;
  std::string on_verdict;

  static reading of(const std::filesystem::path& file) {
    std::istringstream in(read_file(file).value_or(""));
    reading found;
    in >> found.steps >> std::ws;
    std::getline(in, found.on_verdict);
    return found;
  }
  std::string text() const { return fmt::format("{}\n{}\n", steps, on_verdict); }
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

int hint(const build_folder& build, const hint_options& options) {
  const exercise_id exercise = select_one(build, options.exercise);
  const hints_file hints = hints_file::read(build.exercise_folder(exercise) / "hints.md");
  if (hints.steps.empty()) throw environment_error(fmt::format("{} has no hints.", exercise.name));
  const std::string tree_word =
      options.tree.empty() ? tree_of_words(build, {options.exercise}).string() : options.tree;
  const tree graded = tree_word.empty() ? tree_of_environment(build) : resolve_tree(build, tree_word);
  const reports::outcome last = reports::join_results(
      exercise, reports::read_results(build.results() / graded.id / exercise.chapter), "");

  const std::filesystem::path state = build.root() / "hints" / exercise.judge();
  reading read = options.again ? reading() : reading::of(state);
  const reports::terminal out = reports::terminal::of(1);
  const auto show = [&](const std::string& heading, const std::string& text) {
    fmt::print("{}\n\n{}\n\n", out.bold(fmt::format("{}, {}", exercise.name, heading)), text);
  };
  const auto show_step = [&](std::size_t i) {
    show(fmt::format("hint {} of {}: {}", i + 1, hints.steps.size(), hints.steps[i].title),
         hints.steps[i].text);
  };

  // A hint says what to think of, not where a semicolon is missing: none is spent on that.
  if (last.verdict == "compile_error" && !options.all) {
    fmt::print(
        "{}\n\n{}\n\n{}\n", out.bold(fmt::format("{}, after compile_error:", exercise.name)),
        first_line(last.headline),
        out.dim("Mend what the compiler says first, and grade again: the hints are kept for afterwards."));
    return 0;
  }

  const hint_section* fitting = hints.fitting(last.verdict, last.cause);
  const std::string about = fitting ? fmt::format("{}", fmt::join(fitting->words, ", ")) : std::string();
  const bool show_fitting = fitting && (options.all || read.on_verdict != about);
  if (show_fitting)
    show(fmt::format("after {}{}:", last.verdict, last.cause.empty() ? "" : " (" + last.cause + ")"),
         fitting->text);
  if (options.all) {
    for (std::size_t i = 0; i < hints.steps.size(); ++i) show_step(i);
    return 0;
  }
  if (show_fitting) {
    read.on_verdict = about;
    fmt::print("{}\n",
               out.dim(fmt::format("Not enough? The same command shows hint {} of {}.",
                                   std::min(read.steps + 1, hints.steps.size()), hints.steps.size())));
  } else {
    const std::size_t step = std::min(read.steps, hints.steps.size() - 1);
    show_step(step);
    read.steps = step + 1;
    // A copy of the course for students has no explanations.
    std::error_code error;
    const std::string explained =
        fmt::format("solutions/{}/{}/EXPLANATION.md", exercise.chapter, exercise.name);
    const bool has_explanation = std::filesystem::exists(build.source_dir() / explained, error);
    fmt::print("{}\n",
               out.dim(step + 1 < hints.steps.size()
                           ? fmt::format("Not enough? The same command shows hint {}.", step + 2)
                           : fmt::format("That was the last one. --again starts over{}",
                                         has_explanation ? "; " + explained + " tells the rest." : ".")));
  }
  write_file_atomically(state, read.text());
  return 0;
}

}  // namespace course::cli
