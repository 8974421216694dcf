/// @file
/// Foreign text in a page. Everything that a student, a compiler or a kernel wrote goes through escaped(), and nothing else writes it.
#pragma once

#include <string>
#include <string_view>

namespace course::reports {

/// Text fit for an element's content and for a quoted attribute: printable (layout.hpp), with & < > " ' as entities.
std::string escaped(std::string_view text);

/// An element with foreign text in it: element("td", text, "class=\"number\"").
/// @param[in] attributes as written in the tag, trusted.
std::string element(std::string_view name, std::string_view text, std::string_view attributes = "");

/// A table cell that is a heading of its row or column.
std::string heading_cell(std::string_view text, std::string_view scope);

}  // namespace course::reports
