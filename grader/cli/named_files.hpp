/// @file
/// Words of `course grade` that are paths of files: what is graded is the file that was named, or nothing.
#pragma once

#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course::cli {

/// Holds the paths of .cu files among words against what lies there.
/// @throws environment_error if one names no file, a link, or a file of another name than its exercise's.
void check_named_files(const build_folder& build, const std::vector<std::string>& words);

/// Copies those of the words that are flat files (selection.hpp) into the tree that tree_of_words names for them.
/// @throws environment_error if that tree cannot be written.
void put_flat_files(const build_folder& build, const std::vector<std::string>& words);

}  // namespace course::cli
