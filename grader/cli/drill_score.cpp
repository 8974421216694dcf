/// @file
/// See drill_score.hpp.
#include "cli/drill_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "drills/sheet.hpp"
#include "records/files.hpp"

namespace course::cli {
namespace {

std::filesystem::path file_of(const build_folder& build, const drills::drill& of) {
  return build.root() / "drills" / (of.word + ".json");
}

}  // namespace

drill_score drill_score::read(const build_folder& build, const drills::drill& of) {
  const auto json = nlohmann::json::parse(read_file(file_of(build, of)).value_or(""), nullptr, false);
  drill_score found;
  try {
    found.asked = json.at("asked");
    found.right = json.at("right");
    found.in_a_row = json.at("in_a_row");
    found.longest = json.at("longest");
    found.mistakes = json.at("mistakes").get<std::map<std::string, int>>();
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return found;
}

void drill_score::add(const drills::session_outcome& session) {
  asked += session.given.size();
  right += session.right;
  longest = std::max(longest, session.longest);
  for (const auto& [name, times] : session.mistakes) mistakes[name] += times;
}

void drill_score::write(const build_folder& build, const drills::drill& of) const {
  const nlohmann::ordered_json json = {
      {"schema", "course.drill/1"}, {"asked", asked},     {"right", right},
      {"in_a_row", in_a_row},       {"longest", longest}, {"mistakes", mistakes}};
  write_file_atomically(file_of(build, of), json.dump(2) + "\n");
}

std::string drill_score::text() const {
  if (asked == 0) return "not tried yet";
  return fmt::format("{} of {} right so far, longest run {}{}", right, asked, longest,
                     longest >= drills::kLimitMark ? " (at the limit)" : "");
}

std::string most_frequent_mistake(const drills::drill& of, const drills::session_outcome& session) {
  const auto most = std::max_element(session.mistakes.begin(), session.mistakes.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == session.mistakes.end() || most->second < 2) return "";
  for (const drills::mistake& one : of.mistakes) {
    if (one.name == most->first) return fmt::format("Most often, {} times: {}\n", most->second, one.sentence);
  }
  return "";
}

}  // namespace course::cli
