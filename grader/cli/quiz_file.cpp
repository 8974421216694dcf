/// @file
/// See quiz_file.hpp.
#include "cli/quiz_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "records/files.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostChoices = 26;  // one letter each

std::string text_of(const json& row, const char* field) {
  const auto found = row.find(field);
  if (found == row.end() || !found->is_string() || found->get<std::string>().empty())
    throw environment_error(fmt::format("has no text \"{}\"", field));
  return *found;
}

quiz_question question_of(const json& row) {
  if (!row.is_object()) throw environment_error("is no object");
  quiz_question one{text_of(row, "id"), text_of(row, "question"), {}, 0, text_of(row, "why")};
  const json choices = row.value("choices", json());
  const auto is_text = [](const json& choice) { return choice.is_string(); };
  if (!choices.is_array() || choices.size() < 2 || choices.size() > kMostChoices ||
      !std::all_of(choices.begin(), choices.end(), is_text))
    throw environment_error(fmt::format("needs 2 to {} texts as \"choices\"", kMostChoices));
  one.choices = choices.get<std::vector<std::string>>();
  const json answer = row.value("answer", json());
  if (!answer.is_number_unsigned() || answer.get<std::size_t>() >= one.choices.size())
    throw environment_error(fmt::format("needs an \"answer\" from 0 to {}, the number of the right choice",
                                        one.choices.size() - 1));
  one.answer = answer;
  return one;
}

}  // namespace

std::vector<std::string> chapters_with_quiz(const build_folder& build) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(build.source_dir() / "chapters", error)) {
    if (fs::exists(folder.path() / "quiz.json", error)) found.push_back(folder.path().filename().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

quiz read_quiz(const build_folder& build, const std::string& chapter) {
  quiz found{chapter, build.source_dir() / "chapters" / chapter / "quiz.json", {}};
  const std::string name = fmt::format("chapters/{}/quiz.json", chapter);
  const auto text = read_file(found.file);
  if (!text) throw environment_error(fmt::format("{} cannot be read.", name));
  const json all = json::parse(*text, nullptr, false);
  if (all.is_discarded()) throw environment_error(fmt::format("{} is no JSON: nothing can be asked.", name));
  if (!all.is_object() || all.value("schema", json()) != "course.quiz/1")
    throw environment_error(fmt::format("{} does not say \"schema\": \"course.quiz/1\".", name));
  const json questions = all.value("questions", json());
  if (!questions.is_array() || questions.empty())
    throw environment_error(fmt::format("{} has no \"questions\".", name));
  std::set<std::string> ids;
  for (const json& row : questions) {
    try {
      found.questions.push_back(question_of(row));
      if (!ids.insert(found.questions.back().id).second)
        throw environment_error("has the \"id\" of an earlier one");
    } catch (const environment_error& problem) {
      throw environment_error(
          fmt::format("{}: question {} {}.", name, &row - &questions.front() + 1, problem.what()));
    }
  }
  return found;
}

}  // namespace course::cli
