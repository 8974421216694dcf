/// @file
/// See predictions.hpp.
#include "records/predictions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "records/files.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path questions_file(const build_folder& build, const exercise_id& exercise) {
  return build.exercise_folder(exercise) / "predict.json";
}

fs::path answers_file(const build_folder& build, const tree& of, const exercise_id& exercise) {
  return build.results() / of.id / exercise.chapter / (exercise.name + ".predictions.json");
}

std::string checked_text(const json& row, const char* field, bool required = true) {
  const auto found = row.find(field);
  if (found == row.end() && !required) return "";
  if (found == row.end() || !found->is_string() || found->get<std::string>().empty())
    throw environment_error(fmt::format("has no text \"{}\"", field));
  return *found;
}

}  // namespace

bool asks_for_predictions(const build_folder& build, const exercise_id& exercise) {
  std::error_code error;
  return fs::exists(questions_file(build, exercise), error);
}

std::vector<prediction_question> read_prediction_questions(const build_folder& build,
                                                           const exercise_id& exercise) {
  if (!asks_for_predictions(build, exercise)) return {};
  const std::string name = fmt::format("exercises/{}/{}/predict.json", exercise.chapter, exercise.name);
  const json all = json::parse(read_file(questions_file(build, exercise)).value_or(""), nullptr, false);
  if (all.is_discarded()) throw environment_error(fmt::format("{} is no JSON: nothing can be asked.", name));
  const json questions = all.is_object() ? all.value("questions", json()) : json();
  if (!questions.is_array() || questions.empty())
    throw environment_error(fmt::format("{} has no \"questions\".", name));
  std::vector<prediction_question> found;
  std::set<std::string> ids;
  for (const json& row : questions) {
    try {
      if (!row.is_object()) throw environment_error("is no object");
      found.push_back({checked_text(row, "id"), checked_text(row, "text"), checked_text(row, "unit"),
                       checked_text(row, "metric", false), checked_text(row, "explanation")});
      if (!ids.insert(found.back().id).second) throw environment_error("has the \"id\" of an earlier one");
    } catch (const environment_error& problem) {
      throw environment_error(
          fmt::format("{}: question {} {}.", name, &row - &questions.front() + 1, problem.what()));
    }
  }
  return found;
}

predictions predictions::read(const build_folder& build, const tree& of, const exercise_id& exercise) {
  const json all = json::parse(read_file(answers_file(build, of, exercise)).value_or(""), nullptr, false);
  predictions found;
  try {
    if (!all.is_object() || all.at("schema") != "course.predictions/1") return {};
    found.offered = all.at("offered");
    for (const auto& [id, answer] : all.at("answers").items())
      found.answers[id] = {answer.at("value"), answer.at("after_grading")};
  } catch (const json::exception&) {
    return {};
  }
  return found;
}

void predictions::write(const build_folder& build, const tree& of, const exercise_id& exercise) const {
  json kept = json::object();
  for (const auto& [id, answer] : answers)
    kept[id] = {{"value", answer.value}, {"after_grading", answer.after_grading}};
  const nlohmann::ordered_json all = {
      {"schema", "course.predictions/1"}, {"offered", offered}, {"answers", std::move(kept)}};
  write_file_atomically(answers_file(build, of, exercise), all.dump(2) + "\n");
}

std::optional<double> parse_prediction(std::string text) {
  std::erase_if(text, [](char c) { return c == ',' || c == ' ' || c == '\t' || c == '\r'; });
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return std::nullopt;
  if (*end == '%') {
    value /= 100, ++end;
  } else if (*end == '/') {
    const char* const divisor = end + 1;
    value /= std::strtod(divisor, &end);
    if (end == divisor) return std::nullopt;
  }
  if (*end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string objection_to(const prediction_question& question, double value) {
  // A share of a speed may be a little above 1; nothing that is asked for can be negative.
  constexpr double kLargestShare = 2;
  if (value < 0) return "It cannot be negative: type 0 or more.";
  if (question.unit == "share" && value > kLargestShare)
    return "A share of the whole lies between 0 and 1: type it as 0.32, 8/25 or 32 %.";
  return {};
}

}  // namespace course
