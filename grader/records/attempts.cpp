/// @file
/// Implementation of attempts.hpp.
#include "records/attempts.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "records/files.hpp"

namespace course {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "course.attempt/1";

json to_json(const attempt& what) {
  json speeds = json::array();
  for (const attempt_speed& one : what.speeds) {
    speeds.push_back({{"benchmark", one.benchmark},
                      {"per_second", one.per_second},
                      {"unit", one.unit},
                      {"ratio", one.ratio},
                      {"bus_per_needed", one.bus_per_needed}});
  }
  json line = {{"schema", kSchema},          {"started_at", what.started_at},
               {"kind", what.kind},          {"verdict", what.verdict},
               {"cause", what.cause},        {"at_the_limit", what.at_the_limit},
               {"device", what.device},      {"device_name", what.device_name},
               {"modelled", what.modelled},  {"source_sha256", what.source_sha256},
               {"speeds", std::move(speeds)}};
  if (what.line > 0) line["location"] = {{"file", what.file}, {"line", what.line}};
  return line;
}

attempt from_json(const json& line) {
  attempt what;
  what.started_at = line.at("started_at");
  what.kind = line.at("kind");
  what.verdict = line.at("verdict");
  what.cause = line.at("cause");
  what.at_the_limit = line.at("at_the_limit");
  what.device = line.at("device");
  what.device_name = line.at("device_name");
  what.modelled = line.at("modelled");
  what.source_sha256 = line.at("source_sha256");
  if (line.contains("location")) {
    what.file = line["location"].at("file");
    what.line = line["location"].at("line");
  }
  for (const json& one : line.at("speeds"))
    what.speeds.push_back({one.at("benchmark"), one.at("per_second"), one.at("unit"), one.at("ratio"),
                           one.at("bus_per_needed")});
  return what;
}

}  // namespace

std::filesystem::path attempts_file(const std::filesystem::path& results, const std::string& tree_id,
                                    const std::string& chapter, const std::string& exercise) {
  return results / tree_id / chapter / (exercise + ".attempts.jsonl");
}

bool append_attempt(const std::filesystem::path& file, const attempt& what) {
  std::vector<attempt> all = read_attempts(file);
  all.push_back(what);
  std::string text;
  for (std::size_t i = all.size() > kMostAttempts ? all.size() - kMostAttempts : 0; i < all.size(); ++i)
    text += to_json(all[i]).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  try {
    write_file_atomically(file, text);
    return true;
  } catch (const environment_error&) {
    return false;
  }
}

std::vector<attempt> read_attempts(const std::filesystem::path& file) {
  std::vector<attempt> all;
  std::istringstream in(read_file(file).value_or(""));
  for (std::string text; std::getline(in, text);) {
    const json line = json::parse(text, nullptr, false);
    if (!line.is_object() || line.value("schema", json()) != kSchema) continue;
    try {
      all.push_back(from_json(line));
    } catch (const json::exception&) {
      // a line of another shape tells nothing
    }
  }
  return all;
}

}  // namespace course
