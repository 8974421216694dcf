/// @file
/// Implementation of plugin_record.hpp.
#include "records/plugin_record.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "records/files.hpp"

namespace course {

namespace {
std::filesystem::path file_of(const std::filesystem::path& plugins, const std::string& folder,
                              const std::string& tree_id, const exercise_id& exercise,
                              const char* extension) {
  return plugins / folder / tree_id / exercise.chapter / (exercise.name + extension);
}
}  // namespace

std::filesystem::path record_file(const std::filesystem::path& plugins, const std::string& tree_id,
                                  const exercise_id& exercise) {
  // A simulated card takes a plugin of its own (course grade --card), and both may be graded at the same time.
  const char* const card = std::getenv("COURSE_CARD_ARCH");
  return file_of(plugins, card ? std::string("records_") + card : "records", tree_id, exercise, ".json");
}

std::filesystem::path graded_source_file(const std::filesystem::path& plugins, const std::string& tree_id,
                                         const exercise_id& exercise) {
  return file_of(plugins, "records", tree_id, exercise, ".cu");
}

nlohmann::json to_json(const plugin_record& record) {
  nlohmann::json json = {{"schema", "course.plugin/1"},
                         {"status", record.status},
                         {"cause", record.cause},
                         {"message", record.message},
                         {"log", record.log},
                         {"tree", record.tree},
                         {"tree_id", record.tree_id},
                         {"chapter", record.chapter},
                         {"exercise", record.exercise},
                         {"source", record.source},
                         {"source_sha256", record.source_sha256},
                         {"plugin", record.plugin},
                         {"hash", record.hash},
                         {"nvcc_version", record.nvcc_version},
                         {"flags", record.flags},
                         {"built_at_unix", record.built_at_unix},
                         {"compile_seconds", record.compile_seconds},
                         {"cache_hit", record.cache_hit}};
  if (record.location_line > 0)
    json["location"] = {{"file", record.location_file}, {"line", record.location_line}};
  return json;
}

void write_record(const std::filesystem::path& plugins, const exercise_id& exercise,
                  const plugin_record& record) {
  // Source text of any encoding ends up in logs: replace what is not UTF-8 instead of failing on it.
  const std::string text = to_json(record).dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
  write_file_atomically(record_file(plugins, record.tree_id, exercise), text + "\n");
}

std::optional<plugin_record> read_record(const std::filesystem::path& plugins, const std::string& tree_id,
                                         const exercise_id& exercise) {
  const auto text = read_file(record_file(plugins, tree_id, exercise));
  if (!text) return std::nullopt;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    plugin_record record;
    record.status = json.at("status");
    record.cause = json.at("cause");
    record.message = json.at("message");
    record.log = json.at("log");
    record.tree = json.at("tree");
    record.tree_id = json.at("tree_id");
    record.chapter = json.at("chapter");
    record.exercise = json.at("exercise");
    record.source = json.at("source");
    record.source_sha256 = json.at("source_sha256");
    record.plugin = json.at("plugin");
    record.hash = json.at("hash");
    record.nvcc_version = json.at("nvcc_version");
    record.flags = json.at("flags").get<std::vector<std::string>>();
    record.built_at_unix = json.at("built_at_unix");
    record.compile_seconds = json.at("compile_seconds");
    record.cache_hit = json.at("cache_hit");
    if (json.contains("location")) {
      record.location_file = json["location"].at("file");
      record.location_line = json["location"].at("line");
    }
    return record;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace course
