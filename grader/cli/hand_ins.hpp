/// @file
/// A folder of hand-ins, one sub-folder a student: who is in it, and where each exercise's file lies.
///
/// Names and files come from others: they may hold anything. No link below the folder is followed, and a name is only shown
/// with what could do harm written out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/hand_in.hpp"
#include "records/build_folder.hpp"

namespace course::cli {

/// A text of unknown origin, as it may be shown: control characters, bytes that are no UTF-8 and backslashes are written out
/// (\n, \x1b, \\). Different texts stay different.
std::string shown_text(std::string_view text);

/// A name for files of ours, made of one of unknown origin: letters, digits, dot, hyphen and underscore alone. Different texts
/// get different names.
std::string tame_name(const std::string& text);

/// One sub-folder.
struct student {
  std::string folder;  ///< its name, any bytes
  std::string name;    ///< as it may be shown
  std::string key;     ///< tame_name of it
};

/// The students of a folder, by name. Files that lie beside them, and folders whose names begin with a dot, are nobody's.
/// @throws environment_error if there is no such folder, it cannot be read, or it has no sub-folder.
std::vector<student> students_in(const std::filesystem::path& folder);

/// What a student handed in for one exercise.
struct found_hand_in {
  course::hand_in file;      ///< status missing: nothing
  std::filesystem::path at;  ///< relative to the student's folder
  std::vector<std::filesystem::path>
      beside;  ///< files with the same name in other places, which do not count
};

/// Looks for an exercise's file: laid out (chapter/exercise/exercise.cu, also below exercises/), then flat (exercise.cu,
/// exercise/exercise.cu). A drill's is exercise.txt where it lies flat, and answers.txt in a folder.
found_hand_in find_hand_in(const std::filesystem::path& class_folder, const student& who,
                           const exercise_id& exercise);

/// Names of the first few files in a folder and below, as they may be shown: for whoever wonders why nothing of it counts.
/// @param[in] below false: only those in the folder itself.
std::vector<std::string> first_files(const std::filesystem::path& folder, bool below);

}  // namespace course::cli
