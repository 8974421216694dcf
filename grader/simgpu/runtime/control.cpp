/// @file
/// The simulator's own door: include/simgpu/simgpu.h.
#include <simgpu/simgpu.h>

#include <nlohmann/json.hpp>
#include <string>

#include "simgpu/report/report.hpp"
#include "simgpu/runtime/state.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

/// @return whether @p json could be read as a configuration; @p config is changed only then.
bool read(const nlohmann::json& json, Config& config) {
  if (!json.is_object()) return false;
  Config wish = config;
  for (const auto& [key, value] : json.items()) {
    if (key == "checks" && value.is_boolean()) {
      wish.checks = value.get<bool>();
    } else if (key == "timing" && value.is_boolean()) {
      wish.timing = value.get<bool>();
    } else if (key == "warp_instruction_limit" && value.is_number() && value.get<double>() >= 0) {
      // A number like 4e9 is a float to JSON; both spellings are meant.
      wish.warp_instruction_limit = value.is_number_integer()
                                        ? value.get<std::uint64_t>()
                                        : static_cast<std::uint64_t>(value.get<double>());
    } else if (key == "order" && value == "forward") {
      wish.order = exec::Order::forward;
    } else if (key == "order" && value == "reversed") {
      wish.order = exec::Order::reversed;
    } else {
      return false;
    }
  }
  config = wish;
  return true;
}

}  // namespace

extern "C" {

int simgpu_configure(const char* text) {
  if (text == nullptr) return -1;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.reports_elsewhere = true;
  return !json.is_discarded() && read(json, runtime.config) ? 0 : -1;
}

const char* simgpu_take_report(void) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.reports_elsewhere = true;
  static auto* const text = new std::string;  // must outlive static destructors
  *text = report::to_json(runtime.take_report());
  return text->c_str();
}

}  // extern "C"
