/// @file
/// The JSON form in parts, so that no file holds all keys: json.cpp puts them together. Private to this room.
#pragma once

#include <fmt/format.h>

#include <optional>

#include "simgpu/report/json_text.hpp"
#include "simgpu/report/report.hpp"

namespace simgpu::report {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// One launch, with its sites and buffers.
Json launch_json(const LaunchReport& launch);
/// "0x1000", or null.
inline Json address_json(const std::optional<std::uint64_t>& address) {
  return address ? Json(fmt::format("{:#x}", *address)) : Json(nullptr);
}
inline Json triple(const observe::Dim3& dim) {
  return Json::array({dim.x, dim.y, dim.z});
}

/// What the program asked of the API: adds "api" to "live" to @p root.
void add_calls(const Report& report, Json& root);

}  // namespace simgpu::report
