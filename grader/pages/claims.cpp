/// @file
/// See claims.hpp.
#include "pages/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "pages/markdown.hpp"
#include "records/files.hpp"
#include "records/json_fields.hpp"
#include "records/quantities.hpp"

namespace course::pages {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kDrift = 0.1;  ///< of a ratio between runs on one card, clocks and drivers included

/// The two ends of `claimed` or `expected`; zeros where there are none.
expectation range_of(const json& row, const char* key) {
  const json& ends = member_of(row, key);
  if (!ends.is_array() || ends.size() != 2 || !ends[0].is_number() || !ends[1].is_number()) return {};
  return {ends[0].get<double>(), ends[1].get<double>()};
}

/// Unread files and those of another schema are null.
json record_in(const fs::path& file) {
  auto record = json::parse(read_file(file).value_or(""), nullptr, false);
  return text_of(record, "schema") == "course.claims/1" && member_of(record, "claims").is_array()
             ? std::move(record)
             : json();
}

std::string shown(const json& quantity) {
  return fmt::format("{}: {}", text_of(quantity, "what"),
                     claim_quantity(number_of(quantity, "value"), text_of(quantity, "unit")));
}

}  // namespace

std::vector<fs::path> claims_records(const build_folder& build) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(build.source_dir() / "results", error)) {
    const fs::path file = folder.path() / "claims.json";
    if (!record_in(file).is_null()) files.push_back(file);
  }
  // Folders are called <card>-<date>.
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<expectation> expected_ratio(const std::vector<fs::path>& records, const json& row,
                                          const std::string& device_name) {
  const bool counted = member_of(row, "counted") == true;
  for (const fs::path& file : records) {
    const json record = record_in(file);
    if (!member_of(record, "claims").is_array()) continue;
    if (!counted && text_of(member_of(record, "machine"), "device_name") != device_name) continue;
    for (const auto& one : record["claims"]) {
      const double first = number_of(one, "first_ratio");
      if (text_of(one, "claim") == text_of(row, "claim") && first > 0)
        return expectation{(1 - kDrift) * first, (1 + kDrift) * first};
    }
  }
  return std::nullopt;
}

std::string claim_quantity(double value, const std::string& unit) {
  if (unit.ends_with("/s")) return rate_text(value, unit.substr(0, unit.size() - 2));
  if (unit == "s") return seconds_text(value);
  return number_text(value) + " " + unit;
}

std::string reproduced_text(const json& row) {
  const auto claimed = range_of(row, "claimed");
  const double ratio = number_of(row, "ratio");
  return ratio < claimed.low ? "no, less" : ratio > claimed.high ? "no, more" : "yes";
}

std::string claims_block(const std::vector<fs::path>& records) {
  std::map<std::string, json> latest;  // by card
  for (const fs::path& file : records) {
    json record = record_in(file);
    if (record.is_null()) continue;
    json& shown_record = latest[text_of(record["machine"], "device_name")];
    // A later run of some claims leaves the others as they were.
    json rows = member_of(shown_record, "claims").is_array() ? shown_record["claims"] : json::array();
    for (const auto& row : record["claims"]) {
      const auto same = std::find_if(rows.begin(), rows.end(), [&](const json& one) {
        return text_of(one, "claim") == text_of(row, "claim");
      });
      if (same == rows.end()) {
        rows.push_back(row);
      } else {
        *same = row;
      }
    }
    record["claims"] = std::move(rows);
    shown_record = std::move(record);
  }
  if (latest.empty())
    return "Not recorded yet: `./course claims` on a GPU measures them and keeps the figures.\n";
  std::string text;
  for (const auto& [card, record] : latest) {
    table shown_claims(
        {"claim", "text", "baseline", "against it", "claimed>", "ratio>", "reproduced", "why"});
    for (const auto& row : record["claims"]) {
      const auto claimed = range_of(row, "claimed");
      shown_claims.add({text_of(row, "says"), text_of(row, "source"), shown(member_of(row, "baseline")),
                        shown(member_of(row, "value")),
                        fmt::format("{} to {}", number_text(claimed.low), number_text(claimed.high)),
                        claim_quantity(number_of(row, "ratio"), text_of(row, "unit")), reproduced_text(row),
                        text_of(row, "why")});
    }
    const json& machine = record["machine"];
    text += fmt::format(
        "{}{}\n*{}, CUDA {}, {}; recorded in `results/`, measured again by `./course claims`. Rows that are "
        "counted come from the simulated GPU, and hold for every card.*\n",
        text.empty() ? "" : "\n", shown_claims.text(), card, text_of(machine, "nvcc"),
        text_of(machine, "date"));
  }
  return text;
}

}  // namespace course::pages
