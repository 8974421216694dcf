/// @file
/// Implementation of points.hpp. The file is checked as a whole before anything is graded.
#include "cli/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/selection.hpp"
#include "records/files.hpp"
#include "records/verdict.hpp"

namespace course::cli {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "course.points/1";
/// A pass that also meets the limit mark; without this word it gives what a pass gives.
constexpr const char* kAtTheLimit = "pass_at_the_limit";
constexpr double kMost = 1e6;

/// Verdicts of which nobody can say what the student is worth.
bool is_undecided(std::string_view word) {
  return word == name_of(verdict::inconclusive) || word == name_of(verdict::unsupported_device) ||
         word == name_of(verdict::unsupported_feature) || word == name_of(verdict::harness_error);
}

/// Words that a file gives points to.
std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const verdict one : kVerdicts)
    if (!is_undecided(name_of(one))) all.emplace_back(name_of(one));
  return all;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& sentence) {
  throw environment_error(fmt::format("{}: {}", file.string(), sentence));
}

std::map<std::string, double> read_row(const std::filesystem::path& file, const json& of,
                                       const std::string& where) {
  if (!of.is_object()) refuse(file, fmt::format("{} must be an object like {{\"pass\": 10}}.", where));
  std::map<std::string, double> row;
  auto known = words();
  known.emplace_back(kAtTheLimit);
  for (const auto& [word, value] : of.items()) {
    if (is_undecided(word))
      refuse(file,
             fmt::format("{} gives points to {}, which nobody could decide: take it out.", where, word));
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      const std::string near = nearest_name(word, known);
      refuse(file, fmt::format(
                       "{} names {}, which is no verdict{}", where, word,
                       near.empty() ? "; docs/pages/verdicts.md has all." : "; did you mean " + near + "?"));
    }
    const double points = value.is_number() ? value.get<double>() : -1;
    if (!(points >= 0 && points <= kMost))
      refuse(file, fmt::format("{} gives {} to {}: write a number from 0 to {:.0f}.", where, value.dump(),
                               word, kMost));
    row[word] = points;
  }
  return row;
}

}  // namespace

points_table points_table::read(const std::filesystem::path& file,
                                const std::vector<exercise_id>& exercises) {
  const auto text = read_file(file);
  if (!text)
    refuse(file,
           "it cannot be read. It says how many points each verdict gives; --points FILE names another one.");
  json content;
  try {
    content = json::parse(*text, nullptr, true, true);  // with comments
  } catch (const json::parse_error& problem) {
    const auto line =
        1 + std::count(text->begin(),
                       text->begin() + static_cast<std::ptrdiff_t>(std::min(problem.byte, text->size())),
                       '\n');
    refuse(file, fmt::format("line {} is no JSON: look for a missing comma or quotation mark there or above.",
                             line));
  }
  if (!content.is_object() || content.value("schema", json()) != kSchema)
    refuse(file, fmt::format("it must be an object with \"schema\": \"{}\".", kSchema));
  for (const auto& [key, value] : content.items()) {
    if (key != "schema" && key != "verdicts" && key != "exercises")
      refuse(file, fmt::format("{} means nothing here; \"verdicts\" and \"exercises\" do.", key));
  }
  points_table table;
  table.all_ = read_row(file, content.value("verdicts", json()), "\"verdicts\"");
  for (const std::string& word : words()) {
    if (!table.all_.contains(word))
      refuse(file, fmt::format("\"verdicts\" gives no points to {0}: add \"{0}\": 0, or more.", word));
  }
  const json none = json::object();
  const auto special = content.find("exercises");
  const json& of_exercises = special == content.end() ? none : *special;
  if (!of_exercises.is_object())
    refuse(file, "\"exercises\" must be an object like {\"block_reduction\": {\"pass\": 20}}.");
  for (const auto& [name, value] : of_exercises.items()) {
    const auto found =
        std::find_if(exercises.begin(), exercises.end(), [&, &word = name](const exercise_id& one) {
          return one.name == word || one.test_prefix() == word || one.judge() == word;
        });
    if (found == exercises.end()) {
      std::vector<std::string> names;
      names.reserve(exercises.size());
      for (const exercise_id& one : exercises) names.push_back(one.name);
      const std::string near = nearest_name(name, names);
      refuse(file, fmt::format("there is no exercise {}{}", name,
                               near.empty() ? "." : "; did you mean " + near + "?"));
    }
    row full = table.all_;
    const row own = read_row(file, value, fmt::format("\"{}\"", name));
    if (own.contains(std::string(name_of(verdict::pass))) && !own.contains(kAtTheLimit))
      full.erase(kAtTheLimit);
    for (const auto& [word, points] : own) full[word] = points;
    table.of_exercise_[found->judge()] = std::move(full);
  }
  return table;
}

const points_table::row& points_table::row_of(const exercise_id& exercise) const {
  const auto own = of_exercise_.find(exercise.judge());
  return own == of_exercise_.end() ? all_ : own->second;
}

std::optional<double> points_table::of(const reports::outcome& graded) const {
  const row& points = row_of(graded.exercise);
  const auto of_word = points.find(graded.verdict);
  if (of_word == points.end()) return std::nullopt;
  const auto limit = points.find(kAtTheLimit);
  if (graded.at_the_limit && graded.verdict == name_of(verdict::pass) && limit != points.end())
    return limit->second;
  return of_word->second;
}

double points_table::best(const exercise_id& exercise) const {
  double most = 0;
  for (const auto& [word, points] : row_of(exercise)) most = std::max(most, points);
  return most;
}

std::string points_text(double points) {
  std::string text = fmt::format("{:.3f}", points);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace course::cli
