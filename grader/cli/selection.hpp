/// @file
/// From what a user types (chapter2, block_reduction, all, a path to a file) to exercises; with the nearest name where
/// nothing matches. The launcher does the same in its own words before a first build.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "records/tree.hpp"

namespace course::cli {

/// The name that takes the fewest changed, added or dropped letters to become `word`.
/// @return empty if none comes near (more than half of its letters differ).
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

/// Exercises that words name: "all", a chapter (chapter2 or its folder), an exercise, chapter/exercise, or a path to a
/// chapter's or exercise's folder or into it, in whatever tree, or of a flat file. No word means all.
/// @throws environment_error with the nearest match if a word names nothing.
std::vector<exercise_id> select_exercises(const build_folder& build, const std::vector<std::string>& words);

/// The exercise whose file a path names that lies in no exercise's folder (/some/folder/vector_add.cu): a flat file, as students hand
/// them in. Null if the word is none.
const exercise_id* exercise_of_flat_file(const build_folder& build, const std::string& word);

/// Where the tree is that holds a copy of a flat file, and of those that lie beside it. It exists once one of them was graded.
std::filesystem::path flat_tree(const build_folder& build, const std::string& file);

/// The tree into which words lead that are paths; that of the copies if they are flat files; empty if none is, or if it is the course's own exercises/.
/// @throws environment_error if they lead into different trees.
std::filesystem::path tree_of_words(const build_folder& build, const std::vector<std::string>& words);

/// All exercises as students meet them: by chapter, in the order in which its lesson names them.
std::vector<exercise_id> in_course_order(const build_folder& build);

/// The exercise of a chapter's folder by its name, as tests pass them on.
/// @throws environment_error if there is none.
const exercise_id& exercise_of(const build_folder& build, const std::string& chapter,
                               const std::string& name);

/// Exactly one exercise.
/// @throws environment_error if the word names none, or several.
exercise_id select_one(const build_folder& build, const std::string& word);

}  // namespace course::cli
