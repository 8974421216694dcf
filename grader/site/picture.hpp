/// @file
/// How a picture is shown: never so small that its text is under 11 pixels, and on white paper where it was drawn for light pages only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace course::site {

/// What an SVG says of itself.
struct svg_facts {
  double width = 0, height = 0;  ///< of its viewBox, or its width and height [px]
  double smallest_text = 0;      ///< [px]; 0: no text
  bool has_dark_form = false;    ///< it names prefers-color-scheme
};

/// @return nullopt if it names no size.
std::optional<svg_facts> facts_of(std::string_view svg);

/// An <img> for it.
/// @param svg content; empty if it is no SVG.
std::string picture_html(const std::string& address, const std::string& alternative, std::string_view svg);

}  // namespace course::site
