/// @file
/// See json_fields.hpp.
#include "records/json_fields.hpp"

#include <nlohmann/json.hpp>

namespace course {

using nlohmann::json;

const json& member_of(const json& from, const char* key) {
  static const json kNothing;
  if (!from.is_object()) return kNothing;
  const auto found = from.find(key);
  return found == from.end() ? kNothing : *found;
}

std::optional<double> number_or_none(const json& from, const char* key) {
  const auto& value = member_of(from, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

double number_of(const json& from, const char* key) {
  return number_or_none(from, key).value_or(0);
}

std::string text_of(const json& from, const char* key) {
  const auto& value = member_of(from, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace course
