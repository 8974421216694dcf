/// @file
/// See json_box.hpp.
#include "protocol/json_box.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace course::protocol {

using nlohmann::json;

json_box::json_box() = default;
json_box::json_box(json value) : value_(std::make_unique<json>(std::move(value))) {}
json_box::json_box(const json_box& other)
    : value_(other.value_ ? std::make_unique<json>(*other.value_) : nullptr) {}
json_box::json_box(json_box&& other) noexcept = default;
json_box::~json_box() = default;

json_box& json_box::operator=(const json_box& other) {
  if (this != &other) value_ = other.value_ ? std::make_unique<json>(*other.value_) : nullptr;
  return *this;
}

json_box& json_box::operator=(json_box&& other) noexcept = default;

json_box json_box::list() {
  return json_box(json::array());
}

const json& json_box::get() const {
  static const json nothing;
  return value_ ? *value_ : nothing;
}

json& json_box::operator*() {
  if (!value_) value_ = std::make_unique<json>();
  return *value_;
}

}  // namespace course::protocol
