/// @file
/// See problem.hpp.
#include "judge/problem.hpp"

#include <fmt/format.h>

namespace course {

std::string to_string(const shape& what, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < what.dimensions(); ++i) {
    if (!text.empty()) text += ", ";
    text += i < names.size() ? fmt::format("{}={}", names[i], what[i]) : std::to_string(what[i]);
  }
  return text;
}

argument detail::encode_number(element type, double value) {
  return {type == element::f32 ? "f32" : "f64", fmt::format("{:.17g}", value)};
}

}  // namespace course
