/// @file
/// JSON that is text from the beginning. A judge asks for three reports of every case, and a tree of values, with a string for each of
/// a few hundred keys, took longer to build, to copy and to free than a small launch took to simulate. Written as nlohmann::json would
/// write it without indentation, to the byte. Private to this room.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace simgpu::report {

/// A value, an array or an object. Keys stand in the order in which they are added, and nobody looks whether one comes twice.
class Json {
 public:
  struct Member;

  Json(std::nullptr_t) : text_("null") {}
  Json(std::same_as<bool> auto value) : text_(value ? "true" : "false") {}
  Json(double value);
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value) : text_(std::to_string(value)) {}
  /// What is no UTF-8 is replaced.
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  Json(std::initializer_list<Member> members);

  static Json array() { return Json(Kind::array); }
  static Json array(std::initializer_list<Json> values);
  static Json object() { return Json(Kind::object); }

  /// At the end of an array.
  void push_back(const Json& value);
  /// At the end of an object. @p key is plain ASCII, without quotes and backslashes.
  void add(std::string_view key, const Json& value);
  /// @return everything, without spaces and line breaks.
  std::string text() const;

 private:
  enum class Kind { value, array, object };
  explicit Json(Kind kind) : kind_(kind), text_(1, kind == Kind::array ? '[' : '{') {}
  void append(const Json& value);
  void comma();

  Kind kind_ = Kind::value;
  std::string text_;  // of an array and of an object without the bracket at its end
};

struct Json::Member {
  std::string_view key;
  Json value;
};

}  // namespace simgpu::report
