/// @file
/// Tables over all exercises: which wrong program gets which verdict, and how far from a gate the recorded programs lie.
#pragma once

#include <string>

#include "records/build_folder.hpp"

namespace course::pages {

/// exercise x wrong variant x verdict, from the variants' own first lines, which harness tests hold true.
std::string kills_block(const build_folder& build);

/// exercise x pass gate and limit mark x the recorded programs above and below, with their distance.
std::string margins_block(const build_folder& build);

}  // namespace course::pages
