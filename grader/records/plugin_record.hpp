/// @file
/// The record that the plugin builder leaves for each exercise of a tree (schema course.plugin/1). The judge
/// takes a plugin from its record and from nowhere else, so a verdict always names the exact source it is
/// about.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course {

/// One record. Written by the builder, read by judges and the course command.
struct plugin_record {
  std::string status;   ///< ok, compile_error, missing or harness_error
  std::string cause;    ///< closed set, empty if status is ok or the compiler simply refused the file
  std::string message;  ///< one sentence for a student
  std::string log;      ///< the compiler's, trimmed, in the student's file names
  std::string tree;     ///< absolute path
  std::string tree_id;
  std::string chapter;
  std::string exercise;
  std::string source;         ///< absolute path of the .cu file
  std::string source_sha256;  ///< empty if there is no such file
  std::string location_file;  ///< of the first compile error
  int location_line = 0;
  std::string plugin;  ///< relative to <build>/plugins, empty if there is none
  std::string hash;
  std::string nvcc_version;
  std::vector<std::string> flags;
  long long built_at_unix = 0;
  double compile_seconds = 0;
  bool cache_hit = false;
};

/// Path of a record.
/// @param[in] plugins folder, see build_folder::plugins.
std::filesystem::path record_file(const std::filesystem::path& plugins, const std::string& tree_id,
                                  const exercise_id& exercise);

/// Path of the copy of the source that the record is about: the student's own file may have changed since.
std::filesystem::path graded_source_file(const std::filesystem::path& plugins, const std::string& tree_id,
                                         const exercise_id& exercise);

/// As JSON, schema course.plugin/1.
nlohmann::json to_json(const plugin_record& record);

/// Writes a record where the judge looks for it.
/// @throws environment_error if it cannot be written.
void write_record(const std::filesystem::path& plugins, const exercise_id& exercise,
                  const plugin_record& record);

/// Reads a record.
/// @return nullopt if there is none, or it cannot be read.
std::optional<plugin_record> read_record(const std::filesystem::path& plugins, const std::string& tree_id,
                                         const exercise_id& exercise);

}  // namespace course
