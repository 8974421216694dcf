/// @file
/// What `course claims` is asked; see claims.cpp.
#pragma once

#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course::cli {

/// What to measure, and where the record goes.
struct claims_options {
  std::vector<std::string> names;  ///< of claims; empty = all
  std::string device = "auto";  ///< auto, gpu or sim (modelled, and never recorded unless a folder is named)
  bool json = false;            ///< the record on the standard output, in place of text
  std::string folder;           ///< of the record; empty = results/<card>-<date> in the source folder
};

/// Measures claims. @return 1 if one could not be measured, 2 if none could.
int claims(const build_folder& build, const claims_options& options);

}  // namespace course::cli
