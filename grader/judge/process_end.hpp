/// @file
/// How a process ended.
#pragma once

#include <string>

namespace course {

/// See the file's head.
struct process_end {
  bool by_signal = false;
  int code = 0;  ///< exit status or signal number
  /// @param status as waitpid() tells it.
  static process_end of(int status);
  /// "was ended by signal 11 (Segmentation fault)" or "ended itself with status 0".
  std::string text() const;
};

}  // namespace course
