/// @file
/// Implementation of html.hpp.
#include "reports/html.hpp"

#include <fmt/format.h>

#include "reports/layout.hpp"

namespace course::reports {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string element(std::string_view name, std::string_view text, std::string_view attributes) {
  return fmt::format("<{0}{1}{2}>{3}</{0}>", name, attributes.empty() ? "" : " ", attributes, escaped(text));
}

std::string heading_cell(std::string_view text, std::string_view scope) {
  return fmt::format("<th scope=\"{}\">{}</th>", scope, escaped(text));
}

}  // namespace course::reports
