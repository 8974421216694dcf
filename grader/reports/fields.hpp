/// @file
/// Reading JSON that another program wrote: a field that is missing, or of another type than expected, leaves the value as it was, so that a
/// report shows what there is. Private to this room.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "records/json_fields.hpp"

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

/// The objects of a list; none where it is no list.
inline std::vector<nlohmann::json> rows(const nlohmann::json& object, const char* key) {
  std::vector<nlohmann::json> found;
  const nlohmann::json& list = member_of(object, key);
  if (!list.is_array()) return found;
  for (const auto& row : list) {
    if (row.is_object()) found.push_back(row);
  }
  return found;
}

}  // namespace course::reports
