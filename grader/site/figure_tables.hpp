/// @file
/// The numbers behind the figures that compute, from the functions that the simulated GPU counts with. The site's scripts look them up and
/// never compute them, so a figure and a grading cannot disagree.
#pragma once

#include <string>

namespace course::site {

/// `const course_tables = {...};` and `const course_tiers = {...};`: a script and no JSON, since a page that was opened as a file may not fetch one.
/// @param tiers JSON with recorded latencies, handed on as it is.
std::string figure_tables_script(const std::string& tiers);

}  // namespace course::site
