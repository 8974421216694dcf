/// @file
/// Implementation of layout.hpp.
#include "reports/layout.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace course::reports {
namespace {

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream in(text);
  for (std::string word; in >> word;) longest = std::max(longest, columns_of(word));
  return longest;
}

/// Bytes of the well-formed UTF-8 sequence that begins at @p at; 0 if there is none.
std::size_t sequence_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  if (length < 3) return length;
  // Longer than it need be, a half of a surrogate pair, or beyond the last character.
  const unsigned char second = byte(at + 1);
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

}  // namespace

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> broken(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return {text};
  std::vector<std::string> lines(1);
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(word) > width)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string paragraph(const std::string& text, std::size_t width, const std::string& indent) {
  std::string block;
  for (const std::string& line : broken(text, width - std::min(width, indent.size())))
    block += indent + line + "\n";
  return block;
}

std::vector<std::string> cut(const std::string& text, std::size_t width) {
  std::vector<std::string> pieces(1);
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, sequence_at(text, at));
    if (columns == width) pieces.emplace_back(), columns = 0;
    pieces.back() += text.substr(at, length);
    ++columns;
    at += length;
  }
  return pieces;
}

std::string shortened(const std::string& text, std::size_t width) {
  return columns_of(text) <= width || width < 4 ? text : cut(text, width - 3).front() + "...";
}

std::string printable(std::string_view text) {
  constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD
  std::string clean;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_at(text, at);
    const unsigned char first = static_cast<unsigned char>(text[at]);
    if (first == '\t') {
      const std::size_t spaces = 4 - column % 4;
      clean.append(spaces, ' ');
      column += spaces - 1;
    } else if (length == 0 || first < 0x20 || first == 0x7F ||
               (first == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0)) {
      clean += kReplacement;
    } else {
      clean += text.substr(at, length);
    }
    ++column;
    at += std::max<std::size_t>(1, length);
  }
  return clean;
}

std::vector<std::string> printable_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(printable(line));
    at = end + 1;
  }
  return lines;
}

std::string render_table(
    const std::vector<std::vector<std::string>>& rows,
    const std::function<std::string(std::size_t row, std::size_t column, const std::string& cell)>& colour,
    std::size_t limit) {
  std::vector<std::size_t> widths, words;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    words.resize(widths.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
      words[i] = std::max(words[i], longest_word(row[i]));
    }
  }
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) - 2; };
  // The widest column that can be broken gives way first.
  while (!widths.empty() && total() > limit) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > words[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      cells.push_back(broken(rows[r][i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t h = 0; h < height; ++h) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = h < cells[i].size() ? cells[i][h] : "";
        const bool last = i + 1 == cells.size();
        const std::string padding(last ? 0 : widths[i] - columns_of(cell), ' ');
        line += (r == 0 || cell.empty() ? cell : colour(r, i, cell)) + padding + (last ? "" : "  ");
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    if (r == 0) text += std::string(total(), '-') + "\n";
  }
  return text;
}

}  // namespace course::reports
