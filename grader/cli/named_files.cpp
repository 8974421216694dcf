/// @file
/// Implementation of named_files.hpp.
#include "cli/named_files.hpp"

#include <fmt/format.h>

#include "build/plugin_builder.hpp"
#include "cli/hand_ins.hpp"
#include "cli/selection.hpp"
#include "grading/hand_in_tree.hpp"
#include "records/files.hpp"
#include "records/tree.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

/// The exercise whose folder a file's path says that it lies in; null if none.
const exercise_id* exercise_of_folder(const build_folder& build, const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);
  return build.find(folder.parent_path().filename().string(), folder.filename().string());
}

void check_named_file(const build_folder& build, const std::string& word) {
  const fs::path file = word;
  if (file.extension() != ".cu") return;
  const std::string shown = shown_text(word);
  const exercise_id* const exercise = exercise_of_folder(build, file);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (fs::is_symlink(status))
    throw environment_error(
        fmt::format("{} is reached through a link: hand in the file itself, in real folders.", shown));
  if (!fs::exists(status)) {
    const std::string wanted = exercise ? exercise->name + ".cu" : "";
    if (wanted == file.filename()) {
      const fs::path own = build.exercise_folder(*exercise);
      if (fs::weakly_canonical(file.parent_path(), error) == fs::weakly_canonical(own, error))
        throw environment_error(gone_text(exercise->name));
    }
    throw environment_error(fmt::format(
        "There is no file {}{}", shown,
        exercise ? fmt::format(": the hand-in of {} is called {}.", exercise->name, wanted)
                 : std::string(": name one that is there, or an exercise; `./course list` shows them all.")));
  }
  if (exercise && !exercise->is_drill() && file.filename() != exercise->name + ".cu")
    throw environment_error(
        fmt::format("The hand-in of {0} must be called {0}.cu: rename {1}, or copy it over that file.",
                    exercise->name, shown));
}

}  // namespace

void check_named_files(const build_folder& build, const std::vector<std::string>& words) {
  for (const std::string& word : words) check_named_file(build, word);
}

void put_flat_files(const build_folder& build, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const exercise_id* const exercise = exercise_of_flat_file(build, word);
    if (!exercise) continue;
    const hand_in_tree own(build, flat_tree(build, word));
    const fs::path file = fs::absolute(word);
    own.put(*exercise, read_hand_in(file.parent_path(), file.filename(), kLargestSourceBytes));
  }
}

}  // namespace course::cli
