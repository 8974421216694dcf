/// @file
/// A folder for the files of one worker, which goes with the worker.
#pragma once

#include <filesystem>
#include <string>

namespace course {

/// Where temporary files lie. A judge that is killed (Ctrl-C, a time limit) leaves its folders behind; the next one takes them away.
/// Whose judge lives is told by a lock, which also holds between containers that share the place.
class private_folder {
 public:
  private_folder() = default;
  ~private_folder();
  private_folder(const private_folder&) = delete;
  private_folder& operator=(const private_folder&) = delete;

  /// @return empty, or a sentence that says why there is none.
  std::string make();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace course
