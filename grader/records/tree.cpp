/// @file
/// Implementation of tree.hpp.
#include "records/tree.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "records/files.hpp"
#include "records/sha256.hpp"

namespace course {
namespace fs = std::filesystem;
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
  for (const char* id : {kExercises, kSolutions}) {
    if (found == fs::weakly_canonical(build.source_dir() / id, error)) return {found, id};
  }
  const std::string base = found.has_filename() ? found.filename().string() : std::string("tree");
  return {found, base + "-" + sha256_hex(found.string()).substr(0, 8)};
}

}  // namespace

std::string gone_text(const std::string& exercise) {
  return fmt::format("{0}.cu is gone: ./course reset {0} brings the starter back.", exercise);
}

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
  return {build.source_dir() / kSolutions, kSolutions};
}

tree reference_tree(const build_folder& build, const exercise_id& exercise) {
  if (exercise.folder.empty()) return solutions_tree(build);
  return {build.root() / "fixtures", kSolutions};  // copied there by configure
}

fs::path compiled_reference(const exercise_id& exercise, const std::string& tree_id) {
  return fs::path("grader/references") / exercise.chapter / exercise.name /
         (tree_id == kSolutions ? "reference.so" : tree_id + ".so");
}

tree plain_tree(const build_folder& build, const exercise_id& exercise) {
  const fs::path source = build.solution_folder(exercise) / "plain.cu";
  const auto text = read_file(source);
  tree plain{build.root() / "baselines" / kPlain, kPlain};
  std::error_code error;
  if (!text && fs::exists(build.source_dir() / compiled_reference(exercise, kPlain), error)) return plain;
  if (!text)
    throw environment_error(fmt::format("{} cannot be read: a benchmark compares with it.", source.string()));
  const fs::path copy = plain.path / exercise.chapter / exercise.name / (exercise.name + ".cu");
  if (read_file(copy) != text) write_file_atomically(copy, *text);
  return plain;
}

}  // namespace course
