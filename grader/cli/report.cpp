/// @file
/// `course report`: the last results of exercises, in the terminal.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "records/plugin_record.hpp"
#include "records/sha256.hpp"
#include "reports/report_text.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

/// The file that a result is about: the student's own while it is what was graded, else the copy that was kept then.
std::optional<reports::marked_source> source_of(const build_folder& build, const tree& graded,
                                                const reports::outcome& o) {
  const reports::result* decisive = o.decisive();
  if (!decisive || o.exercise.is_drill()) return std::nullopt;
  const auto current = read_file(graded.source(o.exercise));
  if (current && sha256_hex(*current) == decisive->source_sha256)
    return reports::mark_source(o, *current, true);
  const auto kept = read_file(graded_source_file(build.plugins(), graded.id, o.exercise));
  if (kept && sha256_hex(*kept) == decisive->source_sha256) return reports::mark_source(o, *kept, false);
  return std::nullopt;
}

reports::report_parts parts_of(const build_folder& build, const tree& graded, const exercise_id& exercise) {
  reports::report_parts parts;
  parts.of = graded;
  const auto results = reports::read_results(build.results() / graded.id / exercise.chapter);
  parts.graded = reports::join_results(exercise, results, "");
  parts.source = source_of(build, graded, parts.graded);
  parts.attempts = reports::joined_attempts(
      read_attempts(attempts_file(build.results(), graded.id, exercise.chapter, exercise.name)));
  if (parts.graded.verdict == "compile_error") {
    if (const auto record = read_record(build.plugins(), graded.id, exercise))
      parts.compiler_log = record->log;
  }
  return parts;
}

}  // namespace

int report(const build_folder& build, const std::vector<std::string>& words, const std::string& tree_name) {
  const std::string of_words = tree_name.empty() ? tree_of_words(build, words).string() : tree_name;
  const tree graded = of_words.empty() ? tree_of_environment(build) : resolve_tree(build, of_words);
  const reports::terminal out = reports::terminal::of(1);
  std::string text;
  for (const exercise_id& exercise : select_exercises(build, words)) {
    const std::string one = reports::report_text(parts_of(build, graded, exercise), out);
    if (!one.empty()) text += (text.empty() ? "" : "\n\n") + one;
  }
  if (text.empty()) {
    fmt::print("Nothing of the tree {} was graded yet: run ./course grade{}{}{}.\n", graded.id,
               words.empty() ? "" : " ", words.empty() ? "" : words.front(),
               tree_name.empty() ? "" : " --tree " + tree_name);
    return 1;
  }
  const std::string units = reports::units_text(text, out);
  fmt::print("{}{}{}", text, units.empty() ? "" : "\n", units);
  return 0;
}

}  // namespace course::cli
