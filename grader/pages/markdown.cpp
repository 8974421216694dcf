/// @file
/// See markdown.hpp.
#include "pages/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "records/files.hpp"

namespace course::pages {

table::table(std::vector<std::string> heads) : heads_(std::move(heads)) {
  for (auto& head : heads_) {
    const bool right = head.ends_with('>');
    if (right) head.pop_back();
    right_.push_back(right);
  }
}

void table::add(std::vector<std::string> cells) {
  cells.resize(heads_.size());
  rows_.push_back(std::move(cells));
}

std::string table::text() const {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const auto& cell : cells) {
      text += " ";
      // A bar inside a cell would end it.
      for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
      text += cell.empty() ? "|" : " |";
    }
    return text + "\n";
  };
  std::string text = line(heads_) + "|";
  for (const bool right : right_) text += right ? "---:|" : "---|";
  text += "\n";
  for (const auto& row : rows_) text += line(row);
  return text;
}

std::string number(double value) {
  if (std::isfinite(value) && std::abs(value) < 1e15 && value == std::floor(value)) {
    auto digits = fmt::format("{:.0f}", std::abs(value));
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
      digits.insert(static_cast<std::size_t>(at), ",");
    return (value < 0 ? "-" : "") + digits;
  }
  return fmt::format("{:.4g}", value);
}

std::string fixed(double value, int digits) {
  // "4184 GB/s" is read at a glance; longer numbers want their commas.
  if (digits <= 0 && std::abs(value) >= 1e4) return number(std::round(value));
  return fmt::format("{:.{}f}", value, std::max(digits, 0));
}

double scale_of(const std::string& unit, const std::string& shown_as) {
  if (shown_as.empty() || shown_as == unit) return 1;
  if (shown_as == "%") return 0.01;
  static constexpr std::array<std::pair<const char*, double>, 11> kPrefixes = {{{"Ki", 1024.0},
                                                                                {"Mi", 1024.0 * 1024},
                                                                                {"Gi", 1024.0 * 1024 * 1024},
                                                                                {"k", 1e3},
                                                                                {"K", 1e3},
                                                                                {"M", 1e6},
                                                                                {"G", 1e9},
                                                                                {"T", 1e12},
                                                                                {"m", 1e-3},
                                                                                {"u", 1e-6},
                                                                                {"n", 1e-9}}};
  for (const auto& [prefix, scale] : kPrefixes)
    if (shown_as == prefix + unit) return scale;
  throw environment_error(
      fmt::format("a figure in {} cannot be shown in {}.", unit.empty() ? "no unit" : unit, shown_as));
}

std::string in_words(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

}  // namespace course::pages
