/// @file
/// Text in columns and lines: tables, paragraphs, and foreign text made fit to be shown.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace course::reports {

/// Columns that a UTF-8 text takes; good enough for the Latin text of messages.
std::size_t columns_of(const std::string& text);

/// A text in lines of at most @p width columns, broken between words.
std::vector<std::string> broken(const std::string& text, std::size_t width);

/// The same as one block: each line is indented and ends with a newline. @param[in] width in columns, the indent included.
std::string paragraph(const std::string& text, std::size_t width, const std::string& indent = "");

/// A text of at most @p width columns; "..." stands for what is left out.
std::string shortened(const std::string& text, std::size_t width);

/// A text in pieces of @p width columns, wherever that falls.
std::vector<std::string> cut(const std::string& text, std::size_t width);

/// Foreign text as one line that harms no terminal and no page: valid UTF-8, tabs as spaces, and U+FFFD for control characters and for bytes
/// that are no UTF-8.
std::string printable(std::string_view text);

/// Foreign text in such lines; "\n" and "\r\n" end one.
std::vector<std::string> printable_lines(std::string_view text);

/// Columns of equal width, two spaces apart, a line under the first row. Where that is wider than @p limit, cells are broken
/// between words into several lines; a table of long words stays wider.
/// @param[in] rows the first is the heading. Missing cells are empty.
/// @param[in] colour what to write for a cell's line, given its row, column and text; not called for the heading.
/// @param[in] limit in columns.
std::string render_table(
    const std::vector<std::vector<std::string>>& rows,
    const std::function<std::string(std::size_t row, std::size_t column, const std::string& cell)>& colour,
    std::size_t limit = std::numeric_limits<std::size_t>::max());

}  // namespace course::reports
