/// @file
/// The folders that are graded: how they are named, and found by a name.
#pragma once

#include <filesystem>
#include <string>

#include "records/build_folder.hpp"

namespace course {

/// A folder laid out like exercises/: what is graded is always one of these.
struct tree {
  std::filesystem::path path;  ///< canonical
  std::string id;  ///< "exercises", "solutions", or base name and 8 hex digits of SHA-256 of the path

  /// The one file of an exercise that is handed in. It may not exist.
  std::filesystem::path source(const exercise_id& exercise) const {
    return path / exercise.chapter / exercise.name / (exercise.name + ".cu");
  }
};

/// Finds a tree by name.
/// @param[in] name path, absolute or relative to the current folder or to the source folder; empty means
/// "exercises".
/// @throws environment_error if there is no such folder.
tree resolve_tree(const build_folder& build, const std::string& name);

/// The tree the environment variable COURSE_TREE names, else exercises/. A relative name is looked for in the
/// source folder first: ctest runs its tests in the build folder, which is not where the user stood.
/// @throws environment_error if there is no such folder.
tree tree_of_environment(const build_folder& build);

/// What to do about a student's file that is gone from the course's own tree.
std::string gone_text(const std::string& exercise);

/// Identifier of the course's own tree, in which students work.
inline constexpr const char* kExercises = "exercises";
/// Identifier of the tree that holds the references.
inline constexpr const char* kSolutions = "solutions";
/// That tree.
tree solutions_tree(const build_folder& build);
/// The tree that holds the reference of @p exercise: solutions/, or for a fixture a copy of its own.
tree reference_tree(const build_folder& build, const exercise_id& exercise);

/// Where a copy of the course for students has an exercise's reference, compiled: relative to its source folder.
/// @param[in] tree_id kSolutions or kPlain.
std::filesystem::path compiled_reference(const exercise_id& exercise, const std::string& tree_id);

/// Identifier of the tree that holds plain.cu of exercises with a benchmark against it.
inline constexpr const char* kPlain = "plain";
/// Makes that tree's one file for @p exercise and gives the tree. In a copy for students there is nothing to make.
/// @throws environment_error if the file cannot be copied.
tree plain_tree(const build_folder& build, const exercise_id& exercise);

}  // namespace course
