/// @file
/// What a run printed against what the card printed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cases.hpp"

namespace hardware {

/// The lines of `instructions`: text of the case -> what follows the colon. Lines that begin with '#' are left out.
std::map<std::string, std::string> read_output(const std::string& text);

/// Compares the results of @p c as `instructions` prints them: exactly, or within the case's tolerance, counted in units in
/// the last place of the result's type; a NaN must be the same NaN.
/// @return empty if they agree, else the first difference: "thread 3: 7f800000, the card says 7fffffff".
std::string difference(const Case& c, const std::string& ours, const std::string& card);

/// The largest distance over all results of @p c [units in the last place]; for the tables of the documentation.
/// @return -1 where they are not comparable: another NaN, or a sign on the other side of a value that is not near 0.
long distance(const Case& c, const std::string& ours, const std::string& card);

}  // namespace hardware
