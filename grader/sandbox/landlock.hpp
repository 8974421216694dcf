/// @file
/// Files by allow-list: a process names the files and folders that it will still need, and gives up all
/// others for good, for itself and for everything it starts. The kernel's name for this is Landlock (Linux
/// 5.13); it needs no privileges. Where a kernel lacks it, nothing is restricted, and the caller can say so.
///
/// What it does not cover: looking up whether a file exists (stat), files that are open already, and threads
/// that run already when a process enters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace course::sandbox {

/// What may be done with a file, or with everything below a folder.
enum class access {
  read,        ///< read files, list folders
  execute,     ///< as read, and run programs
  write,       ///< as read, and write files that exist: for devices
  everything,  ///< as all of these, and make, rename and remove: for a folder of one's own
};

/// An allow-list. Made before a fork, it can be entered after it: enter() only makes system calls.
class file_rules {
 public:
  file_rules();
  file_rules(const file_rules&) = delete;
  file_rules& operator=(const file_rules&) = delete;
  ~file_rules();

  /// Version of the kernel's Landlock, 0 where it has none (or where it is switched off).
  static int version();

  /// Allows a file, or everything below a folder. What does not exist is skipped: lists name places that
  /// only some machines have. A path's links are followed now, and the file they lead to is meant.
  void allow(const std::filesystem::path& place, access what);

  /// From now on this thread, and all it starts, reach nothing else. Sets no_new_privs, without which the
  /// kernel refuses.
  /// @return false where the kernel has no Landlock; then nothing has changed.
  bool enter() const;

 private:
  int rules_ = -1;
  std::uint64_t handled_ = 0;
  std::vector<int> held_;  // see allow()
};

}  // namespace course::sandbox
