/// @file
/// Implementation of advice.hpp.
#include "cli/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/selection.hpp"

namespace course::cli {
namespace {

using reports::outcome;

std::string quoted(const std::string& word) {
  return word.find_first_of(" \t\"\\'$&()*;<>?[]`|") == std::string::npos ? word
                                                                          : fmt::format("\"{}\"", word);
}

}  // namespace

std::optional<exercise_id> next_exercise(const build_folder& build, const tree& graded,
                                         const std::string& after, const std::vector<exercise_id>& among) {
  auto all = in_course_order(build);
  if (!among.empty()) {
    std::erase_if(all, [&](const exercise_id& one) {
      return std::none_of(among.begin(), among.end(), [&](const exercise_id& wanted) {
        return wanted.chapter == one.chapter && wanted.name == one.name;
      });
    });
  }
  const auto results = reports::read_results(build.results() / graded.id);
  const auto last =
      std::find_if(all.begin(), all.end(), [&](const exercise_id& one) { return one.name == after; });
  const std::size_t first = last == all.end() ? 0 : static_cast<std::size_t>(last - all.begin()) + 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const exercise_id& candidate = all[(first + i) % all.size()];
    if (reports::join_results(candidate, results, "").verdict != "pass") return candidate;
  }
  return std::nullopt;
}

std::string advice_after(const build_folder& build, const std::vector<outcome>& outcomes, const tree& graded,
                         const std::string& tree_word) {
  const auto passed = static_cast<std::size_t>(
      std::count_if(outcomes.begin(), outcomes.end(), [](const outcome& o) { return o.verdict == "pass"; }));
  std::string text = fmt::format("{} of {} pass.", passed, outcomes.size());
  for (const outcome& o : outcomes) {
    if (o.verdict == "pass" || o.verdict == "missing") continue;
    text += fmt::format(" More about one: ./course report {0}{1}; a hint: ./course hint {0}{1}.",
                        o.exercise.name, tree_word.empty() ? "" : " --tree " + quoted(tree_word));
    break;
  }
  text += "\n";
  if (graded.id == kSolutions) return text;
  for (const outcome& o : outcomes) {
    if (o.verdict != "pass") continue;
    const std::string lacking = lacking_to_limit(o);
    if (o.at_the_limit) text += fmt::format("  {}: at the limit mark.\n", o.exercise.name);
    if (!lacking.empty())
      text += fmt::format("  {}: to the limit mark it lacks {}.\n", o.exercise.name, lacking);
    // A copy of the course for students has none.
    if (std::error_code error;
        !o.exercise.is_drill() && std::filesystem::exists(build.source_dir() / kSolutions, error))
      text += fmt::format("  {}: explained in solutions/{}/{}/EXPLANATION.md\n", o.exercise.name,
                          o.exercise.chapter, o.exercise.name);
  }
  if (passed != outcomes.size() || outcomes.empty() || !tree_word.empty()) return text;
  if (const auto next = next_exercise(build, graded, outcomes.back().exercise.name)) {
    text += fmt::format("Next: {0}. The task: exercises/{1}/{0}/README.md\n", next->name, next->chapter);
  } else {
    text += "That was the last one: every exercise passes.\n";
  }
  return text;
}

}  // namespace course::cli
