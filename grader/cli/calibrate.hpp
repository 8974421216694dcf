/// @file
/// What `course calibrate` and `course bench` are asked; see calibrate.cpp.
#pragma once

#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course::cli {

/// What to measure, and where the record goes.
struct calibrate_options {
  std::vector<std::string> words;  ///< chapters and exercises; empty = all
  std::string device = "auto";     ///< auto, gpu or sim
  std::string folder;              ///< of the record; empty = results/<card>-<date> in the source folder
};

/// Measures the ladders of exercises. @return 1 if one program could not be measured.
int calibrate(const build_folder& build, const calibrate_options& options);

/// Measures references and libraries against the copy ceiling. @return 1 if one program could not be measured.
int bench(const build_folder& build, const calibrate_options& options);

}  // namespace course::cli
