/// @file
/// Why there is no verdict: what ctest said that could not begin, and what a test said that ended without leaving a result.
#pragma once

#include <string>
#include <string_view>

#include "records/tree.hpp"

namespace course::cli {

/// Of a ctest that ran no test.
/// @param[in] output all that it said
/// @return a sentence that quotes its first complaint and says what to do
std::string why_no_test_ran(std::string_view output, const build_folder& build);

/// The last thing that a test said before it ended, from the log that ctest keeps of a run.
/// @param[in] log  LastTest.log
/// @param[in] test its name
/// @return one line; empty if it said nothing, or is not in the log
std::string last_words(std::string_view log, std::string_view test);

}  // namespace course::cli
