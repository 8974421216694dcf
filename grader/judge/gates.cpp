/// @file
/// See gates.hpp.
#include "judge/gates.hpp"

#include <fmt/format.h>

#include <cmath>

namespace course {

std::string to_string(const range& what) {
  const bool from = std::isfinite(what.least), to = std::isfinite(what.most);
  if (from && to)
    return what.least == what.most ? fmt::format("= {:.4g}", what.least)
                                   : fmt::format("{:.4g} to {:.4g}", what.least, what.most);
  if (from) return fmt::format(">= {:.4g}", what.least);
  if (to) return fmt::format("<= {:.4g}", what.most);
  return "any";
}

std::string_view name_of(consequence which) {
  switch (which) {
    case consequence::pass:
      return "pass";
    case consequence::limit:
      return "limit";
    case consequence::idea:
      break;
  }
  return "idea";
}

}  // namespace course
