#include "cli/quantity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace course::cli {
namespace {

struct unit {
  std::string_view name;
  double factor;
};

struct kind {
  std::string_view name, example;
  std::vector<unit> units;
};

const kind& kind_of(dimension wanted) {
  static const kind kBytes = {"number of bytes",
                              "512MB, 1GiB or 4096B",
                              {{"B", 1},
                               {"KB", 1e3},
                               {"kB", 1e3},
                               {"MB", 1e6},
                               {"GB", 1e9},
                               {"TB", 1e12},
                               {"KiB", 0x1p10},
                               {"MiB", 0x1p20},
                               {"GiB", 0x1p30},
                               {"TiB", 0x1p40}}};
  static const kind kTime = {
      "time", "256us, 1.5ms or 350ns", {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  static const kind kRate = {"bandwidth",
                             "55GB/s or 4.8TB/s",
                             {{"B/s", 1},
                              {"KB/s", 1e3},
                              {"MB/s", 1e6},
                              {"GB/s", 1e9},
                              {"TB/s", 1e12},
                              {"MiB/s", 0x1p20},
                              {"GiB/s", 0x1p30},
                              {"TiB/s", 0x1p40}}};
  static const kind kFrequency = {
      "frequency", "3201MHz or 1.98GHz", {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
  switch (wanted) {
    case dimension::bytes:
      return kBytes;
    case dimension::time:
      return kTime;
    case dimension::rate:
      return kRate;
    case dimension::frequency:
      break;
  }
  return kFrequency;
}

}  // namespace

double parse_quantity(const std::string& text, dimension wanted, const std::string& what) {
  const kind& k = kind_of(wanted);
  const auto wrong = [&](std::string_view reason) {
    return quantity_error(fmt::format("{} {}: {}. Write a number and its unit, e.g. {}", what,
                                      text.empty() ? "(empty)" : text, reason, k.example));
  };
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) throw wrong(fmt::format("that is no {}", k.name));
  std::string_view name = end;
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  if (name.empty()) throw wrong("the unit is missing");
  for (const unit& one : k.units) {
    if (one.name != name) continue;
    const double value = number * one.factor;
    if (!(value > 0)) throw wrong("it must be above zero");
    if (!std::isfinite(value)) throw wrong("that is more than a computer can count");
    return value;
  }
  throw wrong(fmt::format("{} is no unit of a {}", name, k.name));
}

}  // namespace course::cli
