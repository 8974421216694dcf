/// @file
/// Where things are: the build folder, found from the running program; the tree that is graded; the plugin's
/// record. Layouts and schemas are described in docs (result files, trees).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace course {

/// On what to grade. `automatic`: on a GPU if there is one.
enum class device_choice { automatic, gpu, sim };

/// The surroundings of one judge. Tests of the judge fill it in themselves.
struct environment {
  std::filesystem::path build_folder;   ///< holds bin/, plugins/, results/
  std::filesystem::path source_folder;  ///< the course's sources
  std::filesystem::path worker_gpu, worker_sim;
  std::string tree;  ///< as asked for: a name or a path
  std::string tree_id;
  std::filesystem::path tree_folder;  ///< absolute
  device_choice device = device_choice::automatic;
  std::uint64_t seed = 0;  ///< COURSE_SEED; 0: draw one
  std::string course_version, cuda_version;

  /// Reads COURSE_TREE, COURSE_DEVICE, COURSE_SEED and course.json.
  static environment from_process();
};

/// What the builder says about one exercise of one tree ("course.plugin/1").
struct plugin_record {
  std::string status;  ///< "ok", "compile_error", "missing", "harness_error"; "" when there is no record
  std::string cause, message, log, source, source_sha256;
  std::filesystem::path plugin;

  /// Reads plugins/records/<tree id>/<chapter>/<exercise>.json below @p build_folder.
  static plugin_record read(const std::filesystem::path& build_folder, const std::string& tree_id,
                            const std::string& chapter, const std::string& exercise);
};

/// "exercises" or "solutions" for the course's own trees, else "<base name>-<8 digits of sha256 of the
/// canonical path>".
std::string tree_id_of(const std::filesystem::path& source_folder, const std::filesystem::path& tree_folder);

/// SHA-256 as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

/// "<pid>-<start time>" of the nearest ctest above this process, "" if there is none: ties verdicts to one
/// run.
std::string ctest_run_id();

}  // namespace course
