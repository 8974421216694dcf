/// @file
/// See gates.hpp.
#include "judge/gates.hpp"

#include <cmath>

#include "records/quantities.hpp"

namespace course {

std::string to_string(const range& what) {
  const bool from = std::isfinite(what.least), to = std::isfinite(what.most);
  if (from && to)
    return what.least == what.most ? "= " + number_text(what.least)
                                   : number_text(what.least) + " to " + number_text(what.most);
  if (from) return ">= " + number_text(what.least);
  if (to) return "<= " + number_text(what.most);
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
