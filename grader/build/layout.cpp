/// @file
/// Implementation of layout.hpp.
#include "build/layout.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "build/files.hpp"
#include "build/sha256.hpp"

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
    for (const auto& row : json.at("exercises")) {
      config_.exercises.push_back(
          {row.at("chapter"), row.at("label"), row.at("name"), row.value("minimum_arch", 0)});
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
  return source_dir_ / "exercises" / exercise.chapter / exercise.name;
}

const exercise_id* build_folder::find(std::string_view chapter, std::string_view name) const {
  for (const exercise_id& exercise : config_.exercises) {
    if (exercise.name == name && (exercise.chapter == chapter || exercise.label == chapter)) return &exercise;
  }
  return nullptr;
}

namespace {

tree find_tree(const build_folder& build, const std::string& name, const std::vector<fs::path>& bases) {
  const fs::path wanted = name.empty() ? fs::path("exercises") : fs::path(name);
  std::error_code error;
  fs::path found;
  for (const fs::path& base : bases) {
    if (fs::is_directory(base / wanted, error)) {
      found = fs::canonical(base / wanted, error);
      break;
    }
  }
  if (found.empty()) {
    throw environment_error(
        fmt::format("The tree {} is no folder here nor in {}: name a folder laid out like exercises/ "
                    "(chapter/exercise/exercise.cu).",
                    wanted.string(), build.source_dir().string()));
  }
  for (const char* id : {"exercises", "solutions"}) {
    if (found == fs::weakly_canonical(build.source_dir() / id, error)) return {found, id};
  }
  const std::string base = found.has_filename() ? found.filename().string() : std::string("tree");
  return {found, base + "-" + sha256_hex(found.string()).substr(0, 8)};
}

}  // namespace

tree resolve_tree(const build_folder& build, const std::string& name) {
  // "exercises" and "solutions" always mean the course's own: a student may well stand in a folder that has
  // one, too.
  if (name.empty() || name == "exercises" || name == "solutions")
    return find_tree(build, name, {build.source_dir()});
  std::error_code error;
  return find_tree(build, name, {fs::current_path(error), build.source_dir()});
}

tree tree_of_environment(const build_folder& build) {
  const char* name = std::getenv("COURSE_TREE");
  std::error_code error;
  return find_tree(build, name ? name : "", {build.source_dir(), fs::current_path(error)});
}

tree solutions_tree(const build_folder& build) {
  return {build.source_dir() / "solutions", "solutions"};
}

}  // namespace course
