/// @file
/// Implementation of hand_in_tree.hpp.
#include "grading/hand_in_tree.hpp"

#include <fmt/format.h>

#include "build/plugin_builder.hpp"
#include "records/files.hpp"

namespace course {
namespace fs = std::filesystem;

fs::path hand_in_name(const exercise_id& exercise) {
  return exercise.is_drill() ? "answers.txt" : exercise.name + ".cu";
}

hand_in_tree::hand_in_tree(const build_folder& build, const fs::path& folder) {
  make_folder(folder);
  tree_ = resolve_tree(build, folder.string());
}

void hand_in_tree::put(const exercise_id& exercise, const hand_in& file) const {
  const fs::path place = tree_.path / exercise.chapter / exercise.name / hand_in_name(exercise);
  std::error_code error;
  fs::remove_all(place, error);
  if (file.status == hand_in_status::missing) return;
  make_folder(place.parent_path());
  switch (file.status) {
    case hand_in_status::ok:
    case hand_in_status::unreadable:
      write_file_atomically(place, file.text);
      if (file.status == hand_in_status::unreadable) fs::permissions(place, fs::perms::none, error);
      break;
    case hand_in_status::link:
      fs::create_symlink("a link", place, error);
      break;
    case hand_in_status::not_a_file:
      fs::create_directory(place, error);
      break;
    case hand_in_status::too_large:
      write_file_atomically(place, "");
      fs::resize_file(place, kLargestSourceBytes + 1, error);
      break;
    case hand_in_status::missing:
      break;
  }
  if (error) throw environment_error(fmt::format("Cannot write {}: {}.", place.string(), error.message()));
}

}  // namespace course
