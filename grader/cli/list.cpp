/// @file
/// `course list`: how far one is in the course. A line for each chapter, one for each exercise with its last verdict and what comes next:
/// what a pass lacks to the limit mark, or where the task is.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/advice.hpp"
#include "cli/commands.hpp"
#include "cli/quiz_file.hpp"
#include "cli/quiz_memory.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

using reports::outcome;

bool is_passed(const outcome& o) {
  return o.verdict == "pass" && o.complete;
}

std::string verdict_of(const outcome& o) {
  if (o.verdict.empty()) return "not graded yet";
  if (o.verdict == "pass" && !o.complete) return "correct, speed not graded";
  if (o.at_the_limit) return o.verdict + ", at the limit";
  return o.cause.empty() ? o.verdict : fmt::format("{} ({})", o.verdict, o.cause);
}

std::string what_is_next(const outcome& o) {
  if (!is_passed(o)) return fmt::format("exercises/{}/{}/README.md", o.exercise.chapter, o.exercise.name);
  const std::string lacking = lacking_to_limit(o);
  return lacking.empty() ? "" : "limit: " + lacking;
}

/// "; quiz 7 of 10 right", or nothing where a chapter has none.
std::string quiz_of(const build_folder& build, const std::string& chapter) {
  const auto chapters = chapters_with_quiz(build);
  if (std::find(chapters.begin(), chapters.end(), chapter) == chapters.end()) return "";
  try {
    const quiz one = read_quiz(build, chapter);
    return "; quiz " + quiz_memory::read(build, one).text(one);
  } catch (const environment_error& problem) {
    return fmt::format("; {}", problem.what());
  }
}

/// "chapter2  shared memory" of "chapter2_shared_memory".
std::string title_of(const exercise_id& exercise) {
  std::string subject = exercise.chapter.substr(std::min(exercise.chapter.size(), exercise.label.size() + 1));
  std::replace(subject.begin(), subject.end(), '_', ' ');
  return exercise.label + "  " + subject;
}

}  // namespace

int list(const build_folder& build, const std::vector<std::string>& words, const std::string& tree_name) {
  const std::vector<exercise_id> wanted = select_exercises(build, words);
  const reports::terminal out = reports::terminal::of(1);
  const tree graded = tree_name.empty() ? tree_of_environment(build) : resolve_tree(build, tree_name);
  const auto results = reports::read_results(build.results() / graded.id);
  std::map<std::string, std::vector<outcome>> chapters;
  std::size_t name_width = 0, verdict_width = 0, total = 0, passed = 0;
  for (const exercise_id& exercise : in_course_order(build)) {
    if (std::none_of(wanted.begin(), wanted.end(), [&](const exercise_id& one) {
          return one.chapter == exercise.chapter && one.name == exercise.name;
        }))
      continue;
    outcome o = reports::join_results(exercise, results, "");
    name_width = std::max(name_width, exercise.name.size());
    verdict_width = std::max(verdict_width, verdict_of(o).size());
    ++total;
    if (is_passed(o)) ++passed;
    chapters[exercise.chapter].push_back(std::move(o));
  }
  for (const auto& [chapter, exercises] : chapters) {
    const auto done = std::count_if(exercises.begin(), exercises.end(), is_passed);
    fmt::print("{}: {} of {} pass{}\n", out.bold(title_of(exercises.front().exercise)), done,
               exercises.size(), quiz_of(build, chapter));
    for (const outcome& o : exercises) {
      const std::string verdict = fmt::format("{:<{}}", verdict_of(o), verdict_width);
      std::string line = fmt::format("  {:<{}}  {}  {}", o.exercise.name, name_width,
                                     out.verdict(o.verdict, verdict), what_is_next(o));
      fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    }
  }
  fmt::print("\n{} of {} pass.", passed, total);
  if (const auto next = next_exercise(build, graded, "")) fmt::print(" Next: {}.", next->name);
  fmt::print("\n");
  return 0;
}

}  // namespace course::cli
