#include "site/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <string_view>
#include <vector>

namespace course::site {
namespace {

constexpr std::string_view kOpen = "<div class=\"wide\" data-what=\"table\">";
constexpr std::size_t kSentence = 24;      // characters from which a cell may be a sentence
constexpr std::size_t kRowsASentence = 4;  // a table with a sentence in one row of many is a list of words
constexpr std::ptrdiff_t kBlanks = 3;      // and the least that are blanks

std::string without_tags(const std::string& html) {
  static const std::regex kTag("<[^>]*>");
  return std::regex_replace(html, kTag, "");
}

/// A cell as it stands in the table's HTML.
struct cell {
  std::size_t tag;   ///< where `<td` or `<th` begins
  std::size_t name;  ///< where the tag's name ends
  bool is_title;
  bool is_number;    ///< of a column that is aligned to the right
  std::string text;  ///< without tags
};

std::vector<cell> cells_of(const std::string& table) {
  static const std::regex kCell(R"(<t([dh])((?:\s[^>]*)?)>([^]*?)</t[dh]>)");
  std::vector<cell> cells;
  for (std::sregex_iterator it(table.begin(), table.end(), kCell), end; it != end; ++it)
    cells.push_back({static_cast<std::size_t>(it->position()), static_cast<std::size_t>(it->position()) + 3,
                     it->str(1) == "h", it->str(2).find("right") != std::string::npos,
                     without_tags(it->str(3))});
  return cells;
}

/// Length of the longest cell of a column, its title aside; characters of its HTML text.
std::size_t longest(const std::vector<cell>& cells, std::size_t columns, std::size_t column) {
  std::size_t most = 0;
  for (std::size_t i = columns + column; i < cells.size(); i += columns)
    most = std::max(most, cells[i].text.size());
  return most;
}

/// A name may be long, too, but it has no blanks.
bool is_sentence(const cell& c) {
  return c.text.size() >= kSentence && std::count(c.text.begin(), c.text.end(), ' ') >= kBlanks;
}

/// Sentences beside words: in three columns or more, or in two where both are long. A table that is half of numbers stays one.
bool is_to_stack(const std::vector<cell>& cells, std::size_t columns) {
  const auto titles_end = cells.begin() + static_cast<std::ptrdiff_t>(columns);
  const auto numbers = static_cast<std::size_t>(
      std::count_if(cells.begin(), titles_end, [](const cell& c) { return c.is_number; }));
  if (columns < 2 || 2 * numbers >= columns) return false;
  if (columns == 2) return longest(cells, 2, 0) >= kSentence && longest(cells, 2, 1) >= 2 * kSentence;
  std::size_t sentences = 0;
  for (std::size_t i = columns; i < cells.size(); ++i)
    sentences += i % columns != 0 && is_sentence(cells[i]) ? 1 : 0;
  const std::size_t rows = cells.size() / columns - 1;
  return sentences > 0 && kRowsASentence * sentences >= rows;
}

std::string stacked(const std::string& table) {
  const std::vector<cell> cells = cells_of(table);
  const auto columns = static_cast<std::size_t>(
      std::count_if(cells.begin(), cells.end(), [](const cell& c) { return c.is_title; }));
  if (columns == 0 || cells.size() % columns != 0 || !is_to_stack(cells, columns)) return table;
  std::string out = "<div class=\"wide stacks\" data-what=\"table\">";
  std::size_t copied = kOpen.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out += table.substr(copied, cells[i].name - copied);
    // Shown as blocks, the parts of a table are none to a screen reader: the roles say it again.
    out += cells[i].is_title ? std::string(" role=\"columnheader\"")
                             : fmt::format(" role=\"cell\" data-label=\"{}\"", cells[i % columns].text);
    copied = cells[i].name;
  }
  out += table.substr(copied);
  static const std::regex kTable("<table>"), kGroup("<(thead|tbody)>"), kRow("<tr>");
  out = std::regex_replace(out, kTable, "<table role=\"table\">");
  out = std::regex_replace(out, kGroup, "<$1 role=\"rowgroup\">");
  return std::regex_replace(out, kRow, "<tr role=\"row\">");
}

}  // namespace

std::string with_stacking_tables(const std::string& html) {
  constexpr std::string_view kEnd = "</table>";
  std::string out;
  std::size_t copied = 0;
  for (std::size_t from; (from = html.find(kOpen, copied)) != std::string::npos;) {
    const std::size_t end = html.find(kEnd, from);
    if (end == std::string::npos) break;
    out += html.substr(copied, from - copied) + stacked(html.substr(from, end + kEnd.size() - from));
    copied = end + kEnd.size();
  }
  return out + html.substr(copied);
}

}  // namespace course::site
