/// @file
/// What the course's source texts claim, as `course claims` measured it (schema course.claims/1, results/<card>-<date>/claims.json).
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course::pages {

/// What a claim's ratio is expected to be on a card.
struct expectation {
  double low = 0, high = 0;
};

/// Ten per cent on either side of the ratio that was first recorded: for what is measured on the card called @p device_name, for what is
/// counted on any. nullopt where nothing is recorded.
/// @param records files of that schema, the earliest first
/// @param row of `course-claims measure`
std::optional<expectation> expected_ratio(const std::vector<std::filesystem::path>& records,
                                          const nlohmann::json& row, const std::string& device_name);

/// Files of that schema in results/*/, the earliest first.
std::vector<std::filesystem::path> claims_records(const build_folder& build);

/// "8.59 TFLOP/s", "23 cycles", "17.1 times".
std::string claim_quantity(double value, const std::string& unit);

/// "yes", "no, less", "no, more": whether the ratio lies in the range that the text states.
std::string reproduced_text(const nlohmann::json& row);

/// A table of the latest record of each card; a sentence where nothing is recorded.
/// @param records files of that schema, the earliest first
std::string claims_block(const std::vector<std::filesystem::path>& records);

}  // namespace course::pages
