/// @file
/// Units, see units.hpp.
#include "simgpu/report/units.hpp"

#include <fmt/format.h>

#include <cmath>

namespace simgpu::report {
namespace {

// Three significant digits without an exponent.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  return size >= 9.995 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

std::string time_text(double seconds) {
  const double size = std::abs(seconds);
  if (size == 0) return "0 s";
  if (size < 0.9995e-6) return three_digits(seconds * 1e9) + " ns";
  if (size < 0.9995e-3) return three_digits(seconds * 1e6) + " us";
  if (size < 0.9995) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string bytes_text(double bytes) {
  if (bytes < 1000) return fmt::format("{:.0f} B", bytes);
  if (bytes < 0.9995e6) return three_digits(bytes / 1e3) + " kB";
  if (bytes < 0.9995e9) return three_digits(bytes / 1e6) + " MB";
  if (bytes < 0.9995e12) return three_digits(bytes / 1e9) + " GB";
  return three_digits(bytes / 1e12) + " TB";
}

std::string rate_text(double bytes_per_second) {
  return three_digits(bytes_per_second / 1e9) + " GB/s";
}

std::string percent_text(double ratio) {
  const double percent = ratio * 100;
  if (percent >= 19.95 || percent == 0) return fmt::format("{:.0f} %", percent);
  return percent >= 0.995 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.2f} %", percent);
}

}  // namespace simgpu::report
