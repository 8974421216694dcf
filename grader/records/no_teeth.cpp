/// @file
/// See no_teeth.hpp.
#include "records/no_teeth.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "records/files.hpp"

namespace course {
namespace {
constexpr const char* kNoTeethSchema = "course.no_teeth/1";
}

std::filesystem::path no_teeth_file(const std::filesystem::path& source_dir) {
  return source_dir / "exercises/no_teeth.json";
}

std::vector<toothless_gate> read_no_teeth(const std::filesystem::path& source_dir) {
  const auto text = read_file(no_teeth_file(source_dir));
  if (!text) return {};
  std::vector<toothless_gate> all;
  try {
    const auto file = nlohmann::json::parse(*text);
    if (file.at("schema") != kNoTeethSchema) throw environment_error("another schema");
    for (const auto& one : file.at("gates"))
      all.push_back({one.at("card"), one.at("exercise"), one.at("benchmark"), one.at("at_least")});
  } catch (const std::exception& problem) {
    throw environment_error(fmt::format("{} is damaged ({}): restore it, e.g. by git checkout.",
                                        no_teeth_file(source_dir).string(), problem.what()));
  }
  return all;
}

std::string no_teeth_text(const std::vector<toothless_gate>& gates) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& one : gates)
    rows.push_back({{"card", one.card},
                    {"exercise", one.exercise},
                    {"benchmark", one.benchmark},
                    {"at_least", one.at_least}});
  return nlohmann::ordered_json{{"schema", kNoTeethSchema}, {"gates", std::move(rows)}}.dump(1) + "\n";
}

}  // namespace course
