/// @file
/// See quiz_memory.hpp.
#include "cli/quiz_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "records/files.hpp"

namespace course::cli {
namespace {

std::filesystem::path file_of(const build_folder& build, const quiz& of) {
  return build.root() / "quiz" / (of.chapter + ".json");
}

}  // namespace

quiz_memory quiz_memory::read(const build_folder& build, const quiz& of) {
  const auto json = nlohmann::json::parse(read_file(file_of(build, of)).value_or(""), nullptr, false);
  quiz_memory found;
  try {
    found.right_ = json.at("right").get<std::map<std::string, bool>>();
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return found;
}

void quiz_memory::write(const build_folder& build, const quiz& of) const {
  const nlohmann::ordered_json json = {{"schema", "course.quiz_memory/1"}, {"right", right_}};
  write_file_atomically(file_of(build, of), json.dump(2) + "\n");
}

quiz_memory::state quiz_memory::of(const quiz_question& question) const {
  const auto found = right_.find(question.id);
  if (found == right_.end()) return state::not_asked;
  return found->second ? state::right : state::missed;
}

std::size_t quiz_memory::count(const quiz& quiz, state wanted) const {
  return static_cast<std::size_t>(std::count_if(quiz.questions.begin(), quiz.questions.end(),
                                                [&](const auto& one) { return of(one) == wanted; }));
}

std::vector<quiz_question> quiz_memory::round(const quiz& quiz, bool all) const {
  std::vector<quiz_question> chosen;
  for (const state wanted : {state::missed, state::not_asked, state::right}) {
    if (wanted == state::right && !all) break;
    std::copy_if(quiz.questions.begin(), quiz.questions.end(), std::back_inserter(chosen),
                 [&](const auto& one) { return of(one) == wanted; });
  }
  return chosen;
}

std::string quiz_memory::text(const quiz& quiz) const {
  const std::size_t right = count(quiz, state::right), missed = count(quiz, state::missed);
  if (right + missed == 0) return "not tried yet";
  return fmt::format("{} of {} right{}", right, quiz.questions.size(),
                     missed > 0 ? fmt::format(", {} missed", missed) : "");
}

}  // namespace course::cli
