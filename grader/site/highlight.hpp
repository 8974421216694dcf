/// @file
/// Colours for code, put in when the site is built, so that a page needs no script for them.
#pragma once

#include <string>
#include <string_view>

namespace course::site {

/// @param language what stands after a fence: cpp, cuda, sh, json, ...; others get no colours.
/// @return HTML: escaped text with spans of the classes c (comment), s (string), k (keyword), n (number), p (preprocessor).
std::string highlight(std::string_view code, std::string_view language);

/// The language of a file by its name; empty if it has none of ours.
std::string_view language_of(std::string_view file_name);

}  // namespace course::site
