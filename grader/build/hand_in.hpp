/// @file
/// Reads the file that is handed in - that file, and no other that a link in the tree leads to: whoever
/// grades can often read more than who hands in.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace course {

/// What stands at the hand-in's place.
enum class hand_in_status {
  ok,
  missing,
  link,        ///< the file, or a folder on the way to it, is a symbolic link
  not_a_file,  ///< a folder, a device, a pipe
  unreadable,
  too_large,
};

/// A hand-in. @p text is set when @p status is ok.
struct hand_in {
  hand_in_status status = hand_in_status::missing;
  std::string text;
};

/// Reads a file of a tree without following links below the tree.
/// @param[in] tree the folder that is graded; how one gets there is the caller's business.
/// @param[in] relative the file's path in it: plain names, no "..".
/// @param[in] limit_bytes largest size.
hand_in read_hand_in(const std::filesystem::path& tree, const std::filesystem::path& relative,
                     std::size_t limit_bytes);

}  // namespace course
