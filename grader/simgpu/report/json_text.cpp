/// @file
/// See json_text.hpp.
#include "simgpu/report/json_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace simgpu::report {
namespace {

// Whole numbers below are written digit by digit, ".0" behind them; above, nlohmann::json begins to write exponents.
constexpr double kWhole = 1e15;

bool is_plain(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

}  // namespace

Json::Json(double value) {
  if (value >= 0 && value < kWhole && value == std::floor(value) && !std::signbit(value)) {
    text_ = std::to_string(static_cast<std::uint64_t>(value)) + ".0";
  } else {
    text_ = nlohmann::json(value).dump();
  }
}

Json::Json(std::string_view value) {
  if (std::all_of(value.begin(), value.end(), is_plain)) {
    text_.reserve(value.size() + 2);
    text_ += '"';
    text_ += value;
    text_ += '"';
  } else {
    text_ = nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}

Json::Json(std::initializer_list<Member> members) : Json(Kind::object) {
  for (const Member& member : members) add(member.key, member.value);
}

Json Json::array(std::initializer_list<Json> values) {
  Json all = array();
  for (const Json& value : values) all.push_back(value);
  return all;
}

void Json::comma() {
  if (text_.size() > 1) text_ += ',';
}

void Json::append(const Json& value) {
  text_ += value.text_;
  if (value.kind_ != Kind::value) text_ += value.kind_ == Kind::array ? ']' : '}';
}

void Json::push_back(const Json& value) {
  comma();
  append(value);
}

void Json::add(std::string_view key, const Json& value) {
  comma();
  text_ += '"';
  text_ += key;
  text_ += "\":";
  append(value);
}

std::string Json::text() const {
  std::string all = text_;
  if (kind_ != Kind::value) all += kind_ == Kind::array ? ']' : '}';
  return all;
}

}  // namespace simgpu::report
