/// @file
/// The numbers behind the figures that compute, from the functions that the simulated GPU counts with. The site's scripts look them up and
/// never compute them, so a figure and a grading cannot disagree.
#pragma once

#include <string>

namespace course::site {

/// `const course_tables = {...};` and `const course_tiers = {...};`: a script and no JSON, since a page that was opened as a file may not fetch one.
/// @param tiers words on each tier of memory, JSON.
/// @param measured a chapter's measured.json, whose table "latency" has the recorded cycles; empty: the figure is left out.
std::string figure_tables_script(const std::string& tiers, const std::string& measured);

}  // namespace course::site
