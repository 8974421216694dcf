/// @file
/// Reading JSON that somebody else wrote: a field may be missing or of another type, and reading never throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace course {

/// The member @p key of @p from; null where @p from is no object or has none.
const nlohmann::json& member_of(const nlohmann::json& from, const char* key);

/// The number called @p key; nullopt where there is none.
std::optional<double> number_or_none(const nlohmann::json& from, const char* key);

/// The number called @p key; 0 where there is none.
double number_of(const nlohmann::json& from, const char* key);

/// The text called @p key; empty where there is none.
std::string text_of(const nlohmann::json& from, const char* key);

}  // namespace course
