/// @file
/// One number for one quantity: speeds and times that an author typed into a page must be recorded ones. What stands in generated blocks is
/// recorded by itself, what stands in code fences is a program's output.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "records/build_folder.hpp"

namespace course::pages {

/// A typed number with its unit.
struct figure {
  int line = 0;
  std::string printed;    ///< "4184"
  std::string unit;       ///< "GB/s"
  std::string base_unit;  ///< "B/s", "s" or "cycles"
  double value = 0;       ///< in base units
  double half_digit = 0;  ///< half of its last digit, in base units
};

/// A recorded value, in base units.
struct recorded_value {
  std::string base_unit;
  double value = 0;
};

/// Numbers with a unit of speed or time in a page's own text: "8.1 and 14.2 GB/s", and cells of a column whose head ends in such a unit.
std::vector<figure> typed_figures(std::string_view page);

/// What a chapter's measured.json (of the lesson and beside its explanations) and results/ hold. Empty chapter: of all chapters.
std::vector<recorded_value> recorded_values(const build_folder& build, const std::string& chapter);

/// Whether a figure is one of them as printed, that is to its last digit.
bool is_recorded(const figure& typed, const std::vector<recorded_value>& values);

}  // namespace course::pages
