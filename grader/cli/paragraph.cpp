/// @file
/// See paragraph.hpp.
#include "cli/paragraph.hpp"

#include <algorithm>
#include <sstream>

namespace course::cli {
namespace {

/// Columns that a UTF-8 text takes; good enough for the Latin text of lessons.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string paragraph(const std::string& text, int width, int indent) {
  const auto room = static_cast<std::size_t>(std::max(20, width - indent));
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!result.empty()) result += "\n" + margin;
    if (columns_of(line) <= room) {
      result += line;
      continue;
    }
    std::size_t used = 0;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const std::size_t columns = columns_of(word);
      if (used > 0 && used + 1 + columns > room) {
        result += "\n" + margin;
        used = 0;
      }
      result += (used > 0 ? " " : "") + word;
      used += (used > 0 ? 1 : 0) + columns;
    }
  }
  return result;
}

}  // namespace course::cli
