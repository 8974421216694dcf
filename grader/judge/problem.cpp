/// @file
/// See problem.hpp.
#include "judge/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace course {

std::string to_string(const shape& what, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < what.dimensions(); ++i) {
    if (!text.empty()) text += ", ";
    text += i < names.size() ? fmt::format("{}={}", names[i], what[i]) : std::to_string(what[i]);
  }
  return text;
}

argument detail::encode_number(scalar type, double value) {
  return {type == scalar::f32 ? "f32" : "f64", fmt::format("{:.17g}", value)};
}

double problem::bytes_of(bool (buffer::*wanted)() const) const {
  std::size_t bytes = 0;
  for (const auto& one : buffers_) {
    const bool counts = one.options.place != place::pageable && one.role != buffer_role::figures;
    if (counts && (one.*wanted)()) bytes += one.bytes();
  }
  return static_cast<double>(bytes);
}

void problem::note_call(call made) {
  if (made.phase != call_phase::timed) {
    // What was made once is undone once, so an answer of such a call counts like a common buffer.
    bool any = false, all_common = true;
    for (const auto& one : made.arguments) {
      if (one.kind != "buffer" && one.kind != "answer") continue;
      const auto index = std::strtoull(one.value.c_str(), nullptr, 10);
      any = true;
      all_common = all_common && (one.kind == "buffer" ? buffers_[index].options.common : calls_[index].once);
    }
    made.once = any && all_common;
  }
  calls_.push_back(std::move(made));
}

bool problem::repeats_before() const {
  return std::any_of(calls_.begin(), calls_.end(), [&](const call& one) {
    if (one.phase == call_phase::timed) return false;
    return std::any_of(one.arguments.begin(), one.arguments.end(), [&](const argument& given) {
      if (given.kind != "buffer") return false;
      const auto& taken = buffers_[std::strtoull(given.value.c_str(), nullptr, 10)];
      return one.phase == call_phase::before ? taken.is_read() && !taken.options.fixed : taken.is_written();
    });
  });
}

bool problem::is_single_use() const {
  const bool in_out = std::any_of(buffers_.begin(), buffers_.end(),
                                  [](const buffer& one) { return one.role == buffer_role::in_out; });
  // What a run has moved to the device is there for the next one.
  const bool managed = std::any_of(buffers_.begin(), buffers_.end(),
                                   [](const buffer& one) { return one.options.place == place::managed; });
  return in_out || managed || std::any_of(calls_.begin(), calls_.end(), [&](const call& one) {
           return one.phase == call_phase::after &&
                  std::any_of(one.arguments.begin(), one.arguments.end(), [&](const argument& given) {
                    return given.kind == "buffer" &&
                           buffers_[std::strtoull(given.value.c_str(), nullptr, 10)].is_written();
                  });
         });
}

bool problem::wants_error() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const call& one) { return one.wanted_status != 0; });
}

bool problem::asks_reference() const {
  return std::any_of(expectations_.begin(), expectations_.end(),
                     [](const expectation& one) { return one.expected == reference_answer(); });
}

bool problem::gives_to_host() const {
  return std::any_of(buffers_.begin(), buffers_.end(), [](const buffer& one) {
    return one.is_written() && one.options.place != place::device;
  });
}

std::size_t problem::output_elements() const {
  std::size_t sum = 0;
  for (const auto& one : buffers_)
    sum += one.is_written() && one.role != buffer_role::figures ? one.count : 0;
  return sum;
}

std::size_t problem::buffer_bytes() const {
  std::size_t sum = 0;
  for (const auto& one : buffers_) sum += one.bytes();
  return sum;
}

}  // namespace course
