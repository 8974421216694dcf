/// @file
/// Reading and writing small files. Everything that another process may read at the same time is written to a
/// temporary name first and renamed, so that nobody ever sees half a file.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace course {

/// The machine, not the student, is at fault: disk full, folder not writable, a damaged build folder. The
/// message is one sentence that says what to do.
class environment_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Whole content of a file.
/// @return nullopt if it does not exist or cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file);

/// Writes a file, also creating its folders, by a temporary name beside it and a rename.
/// @throws environment_error if anything of that fails, e.g. for want of disk space.
void write_file_atomically(const std::filesystem::path& file, std::string_view content);

/// Makes a folder and those above it.
/// @throws environment_error if that fails.
void make_folder(const std::filesystem::path& folder);

/// A name no other process uses at the same time: process id and a counter.
std::string unique_suffix();

}  // namespace course
