/// @file
/// Which files a compilation may touch (sandbox/landlock.hpp): a hand-in is a program for the compiler, and
/// with #include, #embed or .incbin it reads what the grader's user can read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/landlock.hpp"

namespace course {

/// What nvcc needs to compile one file.
struct compilation_files {
  std::filesystem::path nvcc;                   ///< as it is called
  std::vector<std::string> flags;               ///< -ccbin names another host compiler than g++ on the PATH
  std::vector<std::filesystem::path> contract;  ///< its headers
  std::filesystem::path work;  ///< folder of this compilation: hand-in, outputs, temporary files
};

/// Allows the toolkit, the host compiler, the system's headers and libraries, the contract, and all of the
/// folder of work.
void allow_compilation(sandbox::file_rules& rules, const compilation_files& files);

}  // namespace course
