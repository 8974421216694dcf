/// @file
/// Tables of sentences on a phone. A table of numbers is compared column by column, so it stays a table and scrolls. One of sentences
/// would be four columns of three words each: there every row becomes a card, and each cell says whose column it is.
#pragma once

#include <string>

namespace course::site {

/// @param html a page's body, in which each table stands within `<div class="wide" data-what="table">`.
/// @return the same; tables that are to stack have the class `stacks`, and their cells carry the column's title in `data-label`.
std::string with_stacking_tables(const std::string& html);

}  // namespace course::site
