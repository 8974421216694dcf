/// @file
/// See verdict.hpp.
#include "records/verdict.hpp"

#include <algorithm>
#include <iterator>

namespace course {

std::string_view name_of(verdict which) {
  switch (which) {
    case verdict::pass:
      return "pass";
    case verdict::not_attempted:
      return "not_attempted";
    case verdict::missing:
      return "missing";
    case verdict::compile_error:
      return "compile_error";
    case verdict::wrong_result:
      return "wrong_result";
    case verdict::out_of_bounds:
      return "out_of_bounds";
    case verdict::race:
      return "race";
    case verdict::crashed:
      return "crashed";
    case verdict::timeout:
      return "timeout";
    case verdict::wasteful:
      return "wasteful";
    case verdict::too_slow:
      return "too_slow";
    case verdict::inconclusive:
      return "inconclusive";
    case verdict::unsupported_device:
      return "unsupported_device";
    case verdict::unsupported_feature:
      return "unsupported_feature";
    case verdict::harness_error:
      return "harness_error";
  }
  return "harness_error";
}

bool is_cause(std::string_view word) {
  return word.empty() || std::find(std::begin(kCauses), std::end(kCauses), word) != std::end(kCauses);
}

bool counts_as_skipped(verdict which) {
  return which == verdict::missing || which == verdict::unsupported_device || which == verdict::inconclusive;
}

}  // namespace course
