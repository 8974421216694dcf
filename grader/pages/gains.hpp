/// @file
/// What each exercise is worth: how many times as fast as the starter its programs are, by recorded runs.
#pragma once

#include <string>

#include "records/build_folder.hpp"

namespace course::pages {

/// exercise x card: starter, plain and reference, in the order of the course. An exercise with several benchmarks counts by the one in
/// which the reference gains least. Exercises whose starter was not timed (a gap, a mistake to mend) are not in it.
std::string gains_block(const build_folder& build);

}  // namespace course::pages
