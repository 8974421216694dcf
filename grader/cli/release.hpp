/// @file
/// What of the course a student's copy holds, and what it must not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <unordered_set>
#include <vector>

#include "records/build_folder.hpp"

namespace course::cli {

/// What `course release` was asked.
struct release_options {
  std::string folder;              ///< to be made
  std::vector<std::string> words;  ///< chapters and exercises; empty = all
  std::vector<std::string>
      architectures;  ///< compute capabilities to compile references for, beside those of this build folder
};

/// Files of the course that go into a student's copy, relative to the source folder: an allow-list. Solutions, explanations, wrong
/// variants, maintainers' tests and records are not on it, and of an exercise's folder only the files that an exercise has.
/// @throws environment_error if a folder of the course cannot be read.
std::vector<std::filesystem::path> released_files(const std::filesystem::path& source_dir,
                                                  const std::vector<exercise_id>& exercises);

/// The lines by which a solution would be recognised: those of solutions/ and of the maintainers' hand-ins, if they are long enough
/// to mean something and students do not see them anyway (in starters, contracts, lessons, pages, or in the grader's own code).
class solution_text {
 public:
  explicit solution_text(const std::filesystem::path& source_dir);

  /// How many lines there are to look for.
  std::size_t size() const { return lines_.size(); }
  /// Those that a file holds, whatever kind of file it is.
  std::vector<std::string> found_in(const std::filesystem::path& file) const;

 private:
  std::unordered_set<std::string> lines_;
};

/// Starters whose marked region is that of a solution: somebody copied it over and did not put the starter back. One sentence
/// for each.
std::vector<std::string> solved_starters(const std::filesystem::path& source_dir,
                                         const std::vector<exercise_id>& exercises);

}  // namespace course::cli
