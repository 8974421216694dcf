/// @file
/// See figures.hpp.
#include "pages/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "pages/blocks.hpp"
#include "pages/pages.hpp"
#include "records/files.hpp"

namespace course::pages {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct printed_unit {
  const char *text, *base;
  double scale;
};
constexpr std::array<printed_unit, 7> kUnits = {{{"TB/s", "B/s", 1e12},
                                                 {"GB/s", "B/s", 1e9},
                                                 {"MB/s", "B/s", 1e6},
                                                 {"cycles", "cycles", 1},
                                                 {"us", "s", 1e-6},
                                                 {"µs", "s", 1e-6},
                                                 {"microseconds", "s", 1e-6}}};
constexpr const char* kUnitWords = "(TB/s|GB/s|MB/s|cycles|us|µs|microseconds)";

const printed_unit& unit_called(const std::string& text) {
  return *std::find_if(kUnits.begin(), kUnits.end(),
                       [&](const printed_unit& one) { return text == one.text; });
}

figure figure_of(int line, const std::string& printed, const std::string& unit) {
  const auto& of = unit_called(unit);
  std::string digits = printed;
  std::erase(digits, ',');
  const auto point = digits.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  return {
      line, printed, unit, of.base, std::stod(digits) * of.scale, 0.5 * std::pow(10.0, -decimals) * of.scale};
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
  return cells;
}

/// Numbers of a measured.json's columns that have a unit.
void add_measured(const fs::path& file, std::vector<recorded_value>& to) {
  const auto all = json::parse(read_file(file).value_or(""), nullptr, false);
  if (!all.is_object() || all.value("schema", "") != "course.measured/1") return;
  for (const auto& one : all.value("tables", json::object())) {
    for (const auto& column : one.value("columns", json::array())) {
      const auto unit = column.value("unit", "");
      for (const auto& row : one.value("rows", json::array())) {
        const auto value = row.find(column.value("key", ""));
        if (value != row.end() && value->is_number()) to.push_back({unit, value->get<double>()});
      }
    }
  }
}

/// Medians of results/*/*.json; single samples are not figures.
void add_results(const json& from, std::vector<recorded_value>& to) {
  static const std::map<std::string, std::string> kKeys = {{"student_per_second", "B/s"},
                                                           {"reference_per_second", "B/s"},
                                                           {"student_seconds", "s"},
                                                           {"reference_seconds", "s"}};
  for (const char* list : {"programs", "variants"}) {
    for (const auto& row : from.value(list, json::array())) {
      for (const auto& one : row.value("measurements", json::array())) {
        for (const auto& [key, unit] : kKeys)
          if (one.contains(key) && one[key].is_number()) to.push_back({unit, one[key].get<double>()});
      }
    }
  }
}

}  // namespace

std::vector<figure> typed_figures(std::string_view page) {
  static const std::string kNumber = R"([0-9][0-9,]*(?:\.[0-9]+)?)";
  // "29 to 33 cycles", "8.1 and 14.2 GB/s", "212 / 843 / 2283 GB/s"
  static const std::regex kFigures("(^|[^0-9A-Za-z.])(" + kNumber + R"((?:\s*(?:,|/|to|and|or)\s*)" +
                                   kNumber + ")*)\\s?" + kUnitWords + "(?![A-Za-z0-9/])");
  static const std::regex kEach(kNumber), kCell("^\\s*\\**(" + kNumber + ")\\**\\s*$"),
      kHead(".*[ ,(]" + std::string(kUnitWords) + "\\)?\\s*$");
  std::vector<figure> all;
  std::istringstream in(typed_text(page, block_kinds()));
  std::vector<std::string> heads;  // of the table that we are in
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    for (auto at = std::sregex_iterator(line.begin(), line.end(), kFigures); at != std::sregex_iterator();
         ++at) {
      std::string numbers = (*at)[2];
      for (auto one = std::sregex_iterator(numbers.begin(), numbers.end(), kEach);
           one != std::sregex_iterator(); ++one) {
        auto text = one->str();
        while (text.ends_with(',')) text.pop_back();
        all.push_back(figure_of(number, text, (*at)[3]));
      }
    }
    if (!line.starts_with("|")) {
      heads.clear();
      continue;
    }
    const auto cells = cells_of(line);
    if (heads.empty()) {
      heads = cells;
      continue;
    }
    for (std::size_t k = 0; k < std::min(cells.size(), heads.size()); ++k) {
      std::smatch cell, head;
      if (std::regex_match(cells[k], cell, kCell) && std::regex_match(heads[k], head, kHead))
        all.push_back(figure_of(number, cell[1], head[1]));
    }
  }
  return all;
}

std::vector<recorded_value> recorded_values(const build_folder& build, const std::string& chapter) {
  std::vector<recorded_value> all;
  std::error_code error;
  const auto add_tree = [&](const fs::path& folder, const auto& add) {
    for (fs::recursive_directory_iterator at(build.source_dir() / folder, error), end; !error && at != end;
         at.increment(error))
      if (at->path().extension() == ".json") add(at->path());
    error.clear();
  };
  const auto measured = [&](const fs::path& file) {
    if (file.filename() == "measured.json") add_measured(file, all);
  };
  add_tree(fs::path("chapters") / chapter, measured);
  add_tree(fs::path("solutions") / chapter, measured);
  add_tree("results", [&](const fs::path& file) {
    const auto record = json::parse(read_file(file).value_or(""), nullptr, false);
    if (record.is_object()) add_results(record, all);
    add_measured(file, all);
  });
  return all;
}

bool is_recorded(const figure& typed, const std::vector<recorded_value>& values) {
  return std::any_of(values.begin(), values.end(), [&](const recorded_value& one) {
    return one.base_unit == typed.base_unit &&
           std::abs(one.value - typed.value) <= typed.half_digit * (1 + 1e-9);
  });
}

}  // namespace course::pages
