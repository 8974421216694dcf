/// @file
/// `course report`: the last results of exercises, in the terminal or as pages.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/commands.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "records/plugin_record.hpp"
#include "records/predictions.hpp"
#include "records/quantities.hpp"
#include "records/sha256.hpp"
#include "reports/page.hpp"
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

/// The right answers stand in it, so there is nothing before a grading.
std::vector<reports::predicted_number> predicted_in(const build_folder& build, const tree& graded,
                                                    const reports::outcome& o) {
  std::vector<reports::predicted_number> found;
  if (o.verdict.empty() || !asks_for_predictions(build, o.exercise)) return found;
  const predictions kept = predictions::read(build, graded, o.exercise);
  for (const prediction_question& question : read_prediction_questions(build, o.exercise)) {
    const auto answer = kept.answers.find(question.id);
    if (answer == kept.answers.end()) continue;
    found.push_back({question.text, question.unit, number_text(answer->second.value),
                     reports::metric_of(o, question.metric), question.explanation,
                     answer->second.after_grading});
  }
  return found;
}

reports::report_parts parts_of(const build_folder& build, const tree& graded, const exercise_id& exercise) {
  reports::report_parts parts;
  parts.of = graded;
  const auto results = reports::read_results(build.results() / graded.id / exercise.chapter);
  parts.graded = reports::join_results(exercise, results, "");
  parts.source = source_of(build, graded, parts.graded);
  parts.predicted = predicted_in(build, graded, parts.graded);
  parts.attempts = reports::joined_attempts(
      read_attempts(attempts_file(build.results(), graded.id, exercise.chapter, exercise.name)));
  if (parts.graded.verdict == "compile_error") {
    if (const auto record = read_record(build.plugins(), graded.id, exercise))
      parts.compiler_log = record->log;
  }
  return parts;
}

tree tree_of(const build_folder& build, const std::vector<std::string>& words, const std::string& tree_name) {
  const std::string named = tree_name.empty() ? tree_of_words(build, words).string() : tree_name;
  return named.empty() ? tree_of_environment(build) : resolve_tree(build, named);
}

int nothing_graded(const tree& graded, const std::vector<std::string>& words, const std::string& tree_name) {
  fmt::print("Nothing of the tree {} was graded yet: run ./course grade{}{}{}.\n", graded.id,
             words.empty() ? "" : " ", words.empty() ? "" : words.front(),
             tree_name.empty() ? "" : " --tree " + tree_name);
  return 1;
}

bool is_page_name(const std::string& word) {
  return word.ends_with(".html") || word.ends_with(".htm");
}

/// Hands a page to the desktop's browser, and does not wait for it.
void open_in_browser(const std::filesystem::path& file) {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value && *value;
  };
  if (!set("DISPLAY") && !set("WAYLAND_DISPLAY")) {
    fmt::print("There is no display here to open it on: open the file in a browser.\n");
    return;
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {0, 1, 2})
    ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  std::string program = "xdg-open", argument = file.string();
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int trouble = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (trouble != 0) fmt::print("xdg-open is not installed: open the file in a browser.\n");
}

}  // namespace

int report(const build_folder& build, const std::vector<std::string>& words, const std::string& tree_name) {
  const tree graded = tree_of(build, words, tree_name);
  const reports::terminal out = reports::terminal::of(1);
  std::string text;
  for (const exercise_id& exercise : select_exercises(build, words)) {
    const std::string one = reports::report_text(parts_of(build, graded, exercise), out);
    if (!one.empty()) text += (text.empty() ? "" : "\n\n") + one;
  }
  if (text.empty()) return nothing_graded(graded, words, tree_name);
  const std::string units = reports::units_text(text, out);
  fmt::print("{}{}{}", text, units.empty() ? "" : "\n", units);
  return 0;
}

int report_pages(const build_folder& build, page_options options) {
  // `report --html block_reduction`: a word that is no page's name is an exercise.
  if (!options.file.empty() && !is_page_name(options.file)) {
    options.words.push_back(options.file);
    options.file.clear();
  }
  const tree graded = tree_of(build, options.words, options.tree);
  std::vector<reports::report_parts> found;
  for (const exercise_id& exercise : select_exercises(build, options.words)) {
    auto parts = parts_of(build, graded, exercise);
    if (parts.graded.decisive()) found.push_back(std::move(parts));
  }
  if (found.empty()) return nothing_graded(graded, options.words, options.tree);
  if (found.size() > 1 && !options.file.empty()) {
    throw environment_error(fmt::format(
        "{} exercises were graded, and {} can hold one: name one exercise, or leave the file out.",
        found.size(), options.file));
  }
  const std::filesystem::path folder = build.root() / "reports" / graded.id;
  std::filesystem::path first;
  for (const auto& parts : found) {
    const auto file =
        std::filesystem::absolute(options.file.empty() ? folder / (parts.graded.exercise.name + ".html")
                                                       : std::filesystem::path(options.file));
    write_file_atomically(file, reports::page(parts));
    fmt::print("{}\n", file.string());
    if (first.empty()) first = file;
  }
  if (options.open) open_in_browser(first);
  return 0;
}

}  // namespace course::cli
