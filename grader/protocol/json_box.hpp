/// @file
/// A JSON value as a member of a struct whose header is read by many: nlohmann/json.hpp costs a second a file to read, so headers name
/// only its types (json_fwd.hpp), and the value lies behind a pointer. Copies are deep; an empty box is JSON's null.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>

namespace course::protocol {

/// See the file's head.
class json_box {
 public:
  json_box();
  json_box(std::nullptr_t) : json_box() {}  // NOLINT(google-explicit-constructor): as JSON's own type has it
  json_box(nlohmann::json value);           // NOLINT(google-explicit-constructor): it stands for the value
  json_box(const json_box& other);
  json_box(json_box&& other) noexcept;
  json_box& operator=(const json_box& other);
  json_box& operator=(json_box&& other) noexcept;
  ~json_box();

  /// An empty list.
  static json_box list();

  const nlohmann::json& get() const;
  operator const nlohmann::json&() const { return get(); }  // NOLINT(google-explicit-constructor): as above
  const nlohmann::json& operator*() const { return get(); }
  const nlohmann::json* operator->() const { return &get(); }
  nlohmann::json& operator*();
  nlohmann::json* operator->() { return &**this; }

 private:
  std::unique_ptr<nlohmann::json> value_;
};

}  // namespace course::protocol
