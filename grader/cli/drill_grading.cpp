/// @file
/// `course mark-drill`, with which ctest marks a tree's answers, and `course check-answers`, with which the course marks answers
/// of known worth: a marker is tested by wrong answers that it must refuse.
#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "cli/drill.hpp"
#include "drills/answers.hpp"
#include "drills/registry.hpp"
#include "records/files.hpp"
#include "records/verdict.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using drills::drill;

std::uint32_t number_from(const std::string& text, const char* what) {
  const auto number = drills::read_draw_number(text);
  if (!number)
    throw environment_error(
        fmt::format("{} is {}: write a whole number from 0 to {}.", what, text, drills::kHighestNumber));
  return *number;
}

struct named_drill {
  const exercise_id& exercise;
  const drill& of;
};

named_drill drill_of(const build_folder& build, const std::string& chapter, const std::string& name) {
  const exercise_id* exercise = build.find(chapter, name);
  const drill* of = drills::find_drill(name);
  if (!exercise || !exercise->is_drill() || !of)
    throw environment_error(fmt::format(
        "There is no drill {}/{}: run `cmake --preset default` again if it is new.", chapter, name));
  return {*exercise, *of};
}

drills::graded_hand_in mark_tree(const build_folder& build, const named_drill& drill, const tree& graded,
                                 std::optional<std::uint32_t> forced) {
  const std::string started_at = time_stamp();
  auto found = drills::grade_hand_in(drill.of, answers_file(graded, drill.exercise), forced);
  write_drill_result(build, graded, drill.exercise, found, started_at);
  fmt::print("{}", drill_text(drill.exercise.name, found));
  return found;
}

/// The words behind "# expect:" in a file's first line.
std::string expectation_of(const std::string& text, const std::string& file) {
  static constexpr std::string_view kMark = "# expect: ";
  if (!text.starts_with(kMark))
    throw environment_error(fmt::format(
        "The first line of {} must say what is expected, e.g. `# expect: wrong_result mismatch`.", file));
  return text.substr(kMark.size(), text.find_first_of("\r\n") - kMark.size());
}

}  // namespace

std::optional<std::uint32_t> examined_number() {
  const char* set = std::getenv(kExaminedNumber);
  if (!set || !*set) return std::nullopt;
  return number_from(set, kExaminedNumber);
}

std::optional<std::uint32_t> forced_number(const std::string& typed) {
  const auto examined = examined_number();
  if (typed.empty()) return examined;
  const std::uint32_t number = number_from(typed, "--seed");
  if (examined && *examined != number)
    throw environment_error(fmt::format("{} asks for number {}, so --seed {} cannot be had.", kExaminedNumber,
                                        *examined, number));
  return number;
}

int mark_drill(const build_folder& build, const std::string& chapter, const std::string& name) {
  const auto found =
      mark_tree(build, drill_of(build, chapter, name), tree_of_environment(build), forced_number(""));
  return found.outcome == verdict::pass || counts_as_skipped(found.outcome) ? 0 : 1;
}

int check_answers(const build_folder& build, const answers_check& check) {
  const named_drill drill = drill_of(build, check.chapter, check.exercise);
  std::error_code error;
  const fs::path folder = build.variants() / check.name;
  fs::remove_all(folder, error);
  make_folder(folder);
  const tree variant = resolve_tree(build, folder.string());
  std::string expected = check.expect;
  if (!check.source.empty()) {
    fs::path source = check.source;
    if (!fs::exists(source, error)) source = build.source_dir() / check.source;
    const auto text = read_file(source);
    if (!text) throw environment_error(fmt::format("{} cannot be read.", check.source));
    if (check.expect_from_file) expected = expectation_of(*text, check.source);
    write_file_atomically(answers_file(variant, drill.exercise), *text);
  }
  const auto found = mark_tree(build, drill, variant, std::nullopt);
  std::istringstream words(expected);
  std::string verdict_word, cause_word;
  words >> verdict_word >> cause_word;
  if (verdict_word == name_of(found.outcome) && (cause_word.empty() || cause_word == found.cause)) {
    fmt::print("as expected: {}\n", expected);
    return 0;
  }
  fmt::print("expected {}\n", expected);
  return 1;
}

}  // namespace course::cli
