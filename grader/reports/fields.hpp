/// @file
/// Reading JSON that another program wrote: a field that is missing, or of another type than expected, leaves the value as it was, so that a
/// report shows what there is. Private to this room.
#pragma once

#include <nlohmann/json.hpp>

namespace course::reports {

template <class T>
void take(const nlohmann::json& object, const char* key, T& value) {
  if (!object.is_object()) return;
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  try {
    value = found->get<T>();
  } catch (const nlohmann::json::exception&) {
    // another type than expected: as good as missing
  }
}

/// A member, or an empty object.
inline const nlohmann::json& member(const nlohmann::json& object, const char* key) {
  static const nlohmann::json kNothing = nlohmann::json::object();
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

/// The objects of a list; none where it is no list.
inline std::vector<nlohmann::json> rows(const nlohmann::json& object, const char* key) {
  std::vector<nlohmann::json> found;
  const nlohmann::json& list = member(object, key);
  if (!list.is_array()) return found;
  for (const auto& row : list) {
    if (row.is_object()) found.push_back(row);
  }
  return found;
}

}  // namespace course::reports
