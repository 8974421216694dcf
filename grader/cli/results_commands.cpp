/// @file
/// Subcommands that only show what is already known: next, summary, device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <map>

#include "cli/advice.hpp"
#include "cli/commands.hpp"
#include "cli/device.hpp"
#include "cli/selection.hpp"
#include "records/device_word.hpp"
#include "records/files.hpp"
#include "records/run_id.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

tree tree_named(const build_folder& build, const std::string& name) {
  return name.empty() ? tree_of_environment(build) : resolve_tree(build, name);
}

}  // namespace

int next(const build_folder& build, const std::vector<std::string>& words, const std::string& tree_name) {
  const tree graded = tree_named(build, tree_name);
  const auto wanted = words.empty() ? std::vector<exercise_id>() : select_exercises(build, words);
  const auto found = next_exercise(build, graded, "", wanted);
  if (!found) {
    fmt::print("Every exercise of {}the tree {} passes.\n",
               words.empty() ? "" : fmt::format("{} in ", fmt::join(words, ", ")), graded.id);
    return 0;
  }
  const auto results = reports::read_results(build.results() / graded.id / found->chapter);
  const std::string verdict = reports::join_results(*found, results, "").verdict;
  fmt::print(
      "Next: {0} ({1}), {2}.\n  the lesson  chapters/{3}/lesson.md\n  the task    "
      "exercises/{3}/{0}/README.md\n",
      found->name, found->label, verdict.empty() ? "not graded yet" : "so far " + verdict, found->chapter);
  fmt::print("Then: ./course {} {}\n", found->is_drill() ? "drill" : "grade",
             found->is_drill() ? found->drill : found->name);
  return 0;
}

int summary(const build_folder& build) {
  const std::string run = run_id_of_ctest();
  if (run.empty()) {
    throw environment_error(
        "`course summary` shows the verdicts of the ctest that runs it; use `course list` or `course report` "
        "by hand.");
  }
  const reports::terminal out = reports::terminal::of(1);
  std::error_code error;
  for (const auto& folder : std::filesystem::directory_iterator(build.results(), error)) {
    auto results = reports::read_results(folder.path());
    // The harness grades variants of its own, which are no student's verdicts.
    std::erase_if(results, [&](const reports::result& r) {
      return r.run != run || r.tree.starts_with(build.variants().string());
    });
    if (results.empty()) continue;
    std::map<std::string, int> devices;
    for (const auto& r : results) {
      if (!r.device.empty()) ++devices[reports::device_text(r) + (r.modelled ? ", modelled" : "")];
    }
    std::string device;
    for (const auto& [text, count] : devices) device += (device.empty() ? " on: " : "; ") + text;
    fmt::print("\nVerdicts for the tree {}{}\n", results.front().tree_id, device);
    for (const exercise_id& exercise : build.config().exercises) {
      const reports::outcome o = reports::join_results(exercise, results, run);
      if (!o.verdict.empty()) fmt::print("{}", reports::outcome_lines(o, out));
    }
  }
  return 0;
}

int device(const std::string& wanted) {
  fmt::print("{}\n", device_sentence(device_word(wanted, "auto")));
  return 0;
}

}  // namespace course::cli
