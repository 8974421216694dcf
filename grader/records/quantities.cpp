/// @file
/// Implementation of quantities.hpp.
#include "records/quantities.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace course {
namespace {

/// Puts commas between groups of three digits.
std::string grouped(std::string digits) {
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string without_needless_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// Digits behind the point that leave three significant ones; a value below 1 has two behind it, a very small one three significant.
int digits_behind(double value) {
  const double size = std::abs(value);
  if (size >= 999.5) return 0;
  if (size >= 99.95) return 0;
  if (size >= 9.995) return 1;
  if (size >= 0.0995 || size == 0) return 2;
  return 2 - static_cast<int>(std::floor(std::log10(size)));
}

/// A value in the largest unit that leaves at least 1 of it, with three significant digits.
std::string scaled(double value, double step, std::span<const char* const> units) {
  std::size_t unit = 0;
  while (value >= step * 0.9995 && unit + 1 < units.size()) value /= step, ++unit;
  return fmt::format("{:.{}f} {}", value, digits_behind(value), units[unit]);
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value)) return "unknown";
  if (std::abs(value) >= 999.5 || value == std::round(value)) return grouped(fmt::format("{:.0f}", value));
  return without_needless_zeros(fmt::format("{:.{}f}", value, digits_behind(value)));
}

std::string count_text(double mean) {
  return std::abs(mean - std::round(mean)) < 0.05 ? number_text(std::round(mean))
                                                  : fmt::format("{:.1f}", mean);
}

std::string number_text_beside(double value, double threshold) {
  const std::string wanted = number_text(threshold);
  std::string text = number_text(value);
  for (int digits = 3; text == wanted && value != threshold && digits <= 9; ++digits)
    text = without_needless_zeros(fmt::format("{:.{}f}", value, digits));
  return text;
}

std::string rate_text(double per_second, const std::string& unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  return scaled(per_second, 1e3, kPrefixes) + unit + "/s";
}

std::string size_text(double bytes) {
  if (std::abs(bytes) < 999.5) return fmt::format("{:.0f} B", bytes);
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  return scaled(bytes, 1e3, kUnits);
}

std::string seconds_text(double seconds) {
  if (!(seconds > 0)) return "0 s";
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  return scaled(seconds * 1e9, 1e3, kUnits);
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  return fmt::format("{:.{}f} %", percent, std::abs(percent) < 1 && percent != 0 ? 2 : 0);
}

std::string whole_percent_text(double share) {
  return share > 0 && share < 0.01 ? "less than 1 %" : fmt::format("{:.0f} %", 100 * share);
}

std::string whole_percent_text_beside(double share, double threshold) {
  std::string text = whole_percent_text(share);
  for (int digits = 1; text == whole_percent_text(threshold) && share != threshold && digits <= 3; ++digits)
    text = fmt::format("{:.{}f} %", 100 * share, digits);
  return text;
}

}  // namespace course
