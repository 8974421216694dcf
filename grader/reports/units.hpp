/// @file
/// The units and words of reports, each explained in one sentence: once, at a report's end.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace course::reports {

/// A word and what it means.
using unit_entry = std::pair<std::string, std::string>;

/// Words that reports use, in the order in which they are explained.
const std::vector<unit_entry>& all_units();

/// Those of them that occur in @p text.
std::vector<unit_entry> units_in(const std::string& text);

}  // namespace course::reports
