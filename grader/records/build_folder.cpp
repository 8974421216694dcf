/// @file
/// Implementation of build_folder.hpp.
#include "records/build_folder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "records/files.hpp"

namespace course {
namespace fs = std::filesystem;

build_folder build_folder::of_this_program() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int levels = 0; levels < 3 && folder.has_relative_path(); ++levels, folder = folder.parent_path()) {
    if (fs::exists(folder / "course.json", error)) return build_folder(folder);
  }
  throw environment_error(
      "There is no course.json beside this program's bin folder: run ./course, or `cmake --preset default` "
      "and "
      "`cmake --build --preset default`.");
}

namespace {

exercise_id read_exercise(const nlohmann::json& row) {
  exercise_id exercise;
  exercise.chapter = row.at("chapter");
  exercise.label = row.at("label");
  exercise.name = row.at("name");
  exercise.minimum_arch = row.value("minimum_arch", 0);
  exercise.devices = row.value("devices", 1);
  exercise.device_attributes = row.value("requires", std::vector<std::string>());
  exercise.broken = row.value("broken", false);
  exercise.plain_baseline = row.value("plain_baseline", false);
  exercise.folder = row.value("folder", "");
  exercise.drill = row.value("drill", "");
  return exercise;
}

}  // namespace

build_folder::build_folder(fs::path root) : root_(std::move(root)) {
  const fs::path file = root_ / "course.json";
  const auto text = read_file(file);
  if (!text) {
    throw environment_error(
        fmt::format("{} cannot be read: run `cmake --preset default` again.", file.string()));
  }
  try {
    const auto json = nlohmann::json::parse(*text);
    config_.version = json.at("version");
    config_.nvcc = json.at("nvcc");
    config_.nvcc_version = json.at("nvcc_version");
    config_.cuda_version = json.at("cuda_version");
    config_.cudart = json.value("cudart", "libcudart.so.13");
    config_.ctest = json.value("ctest", "ctest");
    config_.flags = json.at("flags").get<std::vector<std::string>>();
    config_.architectures = json.at("architectures").get<std::vector<std::string>>();
    for (const auto& row : json.at("exercises")) config_.exercises.push_back(read_exercise(row));
    if (json.contains("fixtures")) {
      for (const auto& row : json["fixtures"]) config_.fixtures.push_back(read_exercise(row));
    }
    source_dir_ = (root_ / json.at("source_dir").get<std::string>()).lexically_normal();
    std::error_code ignored;
    if (!fs::is_directory(source_dir_ / "exercises", ignored)) {
      source_dir_ = json.value("source_dir_absolute", source_dir_.string());
    }
  } catch (const nlohmann::json::exception& problem) {
    throw environment_error(fmt::format("{} is damaged ({}): run `cmake --preset default` again.",
                                        file.string(), problem.what()));
  }
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(source_dir_, ignored);
  if (!ignored) source_dir_ = canonical;
}

fs::path build_folder::exercise_folder(const exercise_id& exercise) const {
  return exercise.folder.empty() ? source_dir_ / "exercises" / exercise.chapter / exercise.name
                                 : source_dir_ / exercise.folder;
}

std::vector<fs::path> build_folder::contract_folders(const exercise_id& exercise) const {
  const fs::path own = exercise_folder(exercise);
  if (!exercise.folder.empty()) return {own};
  return {own, own.parent_path()};
}

std::vector<fs::path> build_folder::contract_headers(const exercise_id& exercise) const {
  std::vector<fs::path> headers;
  for (const fs::path& folder : contract_folders(exercise)) {
    const auto first = static_cast<std::ptrdiff_t>(headers.size());
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".cuh") headers.push_back(entry.path());
    std::sort(headers.begin() + first, headers.end());
  }
  return headers;
}

fs::path build_folder::solution_folder(const exercise_id& exercise) const {
  return exercise.folder.empty() ? source_dir_ / "solutions" / exercise.chapter / exercise.name
                                 : source_dir_ / exercise.folder / "solution";
}

const exercise_id* build_folder::find(std::string_view chapter, std::string_view name) const {
  for (const auto* list : {&config_.exercises, &config_.fixtures}) {
    for (const exercise_id& exercise : *list) {
      if (exercise.name == name && (exercise.chapter == chapter || exercise.label == chapter))
        return &exercise;
    }
  }
  return nullptr;
}

}  // namespace course
