/// @file
/// Text for people who read it in a terminal: lines as wide as the window, broken between words.
#pragma once

#include <string>

namespace course::cli {

/// Breaks each line of a text that is too long between words. Lines that fit keep their spaces.
/// @param[in] width in columns, the indent among them; at least 20 are used.
/// @param[in] indent spaces before every line but the first.
std::string paragraph(const std::string& text, int width, int indent = 0);

}  // namespace course::cli
