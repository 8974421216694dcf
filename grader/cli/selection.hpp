/// @file
/// From what a user types (chapter2, block_reduction, all) to exercises; with the nearest name where nothing
/// matches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "records/tree.hpp"

namespace course::cli {

/// The name that takes the fewest changed, added or dropped letters to become `word`.
/// @return empty if none comes near (more than half of its letters differ).
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

/// Exercises that words name: "all", a chapter (chapter2 or its folder), an exercise, or chapter/exercise. No
/// word means all.
/// @throws environment_error with the nearest match if a word names nothing.
std::vector<exercise_id> select_exercises(const build_folder& build, const std::vector<std::string>& words);

/// Exactly one exercise.
/// @throws environment_error if the word names none, or several.
exercise_id select_one(const build_folder& build, const std::string& word);

}  // namespace course::cli
