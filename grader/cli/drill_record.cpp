/// @file
/// From a graded drill to its result file, and to what people read.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "cli/drill.hpp"
#include "drills/sheet.hpp"
#include "records/files.hpp"
#include "records/run_id.hpp"
#include "records/sha256.hpp"

namespace course::cli {
namespace {

using ordered = nlohmann::ordered_json;
using drills::graded_hand_in;
using drills::marked_answer;

ordered gate(const char* name, const char* kind, std::size_t value, std::size_t threshold) {
  return {{"name", name},
          {"kind", kind},
          {"value", value},
          {"threshold", threshold},
          {"relation", ">="},
          {"unit", "answers"},
          {"met", value >= threshold},
          {"modelled", false},
          {"note", ""}};
}

std::vector<std::string> explanations(const graded_hand_in& found) {
  std::vector<std::string> lines;
  for (const marked_answer& one : found.marked.answers) {
    if (!one.right) lines.push_back(fmt::format("question {}: {}", one.question, one.explanation));
  }
  return lines;
}

}  // namespace

std::filesystem::path answers_file(const tree& graded, const exercise_id& exercise) {
  return graded.path / exercise.chapter / exercise.name / drills::kAnswersFile;
}

std::string time_stamp() {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

void write_drill_result(const build_folder& build, const tree& graded, const exercise_id& exercise,
                        const graded_hand_in& found, const std::string& started_at) {
  const bool marked = !found.marked.answers.empty();
  ordered cases = ordered::array(), gates = ordered::array();
  for (const marked_answer& one : found.marked.answers) {
    cases.push_back({{"name", fmt::format("question {}", one.question)},
                     {"device", ""},
                     {"status", name_of(one.right ? verdict::pass : verdict::wrong_result)},
                     {"message", one.explanation}});
  }
  if (marked) {
    gates.push_back(gate("right_answers", "pass", found.marked.right_of_first, drills::kPassMark));
    gates.push_back(gate("right_in_a_row", "limit", found.marked.in_a_row, drills::kLimitMark));
  }
  const auto file = answers_file(graded, exercise);
  const ordered content{{"schema", "course.result/2"},
                        {"chapter", exercise.chapter},
                        {"label", exercise.label},
                        {"exercise", exercise.name},
                        {"kind", "answers"},
                        {"verdict", name_of(found.outcome)},
                        {"cause", found.cause},
                        {"headline", found.headline},
                        {"at_the_limit", found.marked.at_the_limit()},
                        {"tree", graded.path.string()},
                        {"tree_id", graded.id},
                        {"source", file.string()},
                        {"source_sha256", found.text.empty() ? "" : sha256_hex(found.text)},
                        {"device", ""},
                        {"device_name", ""},
                        {"modelled", false},
                        {"seed", marked ? std::to_string(found.number) : ""},
                        {"started_at", started_at},
                        {"duration_seconds", 0},
                        {"location", {{"file", drills::kAnswersFile}, {"line", found.line}}},
                        {"details", explanations(found)},
                        {"cases", std::move(cases)},
                        {"gates", std::move(gates)},
                        {"versions", {{"course", build.config().version}, {"cuda", ""}, {"driver", ""}}},
                        {"run", run_id_of_ctest()},
                        {"findings", ordered::array()}};
  write_file_atomically(
      build.results() / graded.id / exercise.chapter / fmt::format("{}.answers.json", exercise.name),
      content.dump(2, ' ', false, ordered::error_handler_t::replace) + '\n');
}

std::string drill_text(const std::string& exercise, const graded_hand_in& found) {
  // ctest finds a missing hand-in by these words.
  std::string text = fmt::format("{} answers: {}{}{}\n", exercise, name_of(found.outcome),
                                 found.cause.empty() ? "" : fmt::format(" ({})", found.cause),
                                 found.marked.at_the_limit() ? ", at the limit" : "");
  if (!found.marked.answers.empty())
    text += fmt::format("  {} of {} right, {} needed; questions of number {}\n", found.marked.right_of_first,
                        drills::kSheet, drills::kPassMark, found.number);
  const auto lines = explanations(found);
  // The headline repeats the first explanation; all of them are wanted here.
  if (!found.headline.empty() && (lines.empty() || found.outcome != verdict::wrong_result))
    text += fmt::format("  {}{}\n",
                        found.line > 0 && found.outcome != verdict::pass
                            ? fmt::format("{}:{}: ", drills::kAnswersFile, found.line)
                            : "",
                        found.headline);
  if (found.outcome != verdict::not_attempted) {
    for (const std::string& line : lines) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace course::cli
