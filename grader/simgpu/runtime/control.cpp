/// @file
/// The simulator's own door: include/simgpu/simgpu.h.
#include <simgpu/simgpu.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/runtime/state.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

/// @return the calls that are to fail, or nothing if @p json is no list of them.
std::optional<std::vector<PlannedFailure>> failures(const nlohmann::json& json) {
  if (!json.is_array()) return std::nullopt;
  std::vector<PlannedFailure> all;
  for (const auto& each : json) {
    if (!each.is_object()) return std::nullopt;
    PlannedFailure failure;
    for (const auto& [key, value] : each.items()) {
      if (key == "call" && value.is_string()) {
        failure.call = value.get<std::string>();
      } else if (key == "nth" && value.is_number_unsigned() && value.get<std::uint64_t>() > 0) {
        failure.nth = value.get<std::uint64_t>();
      } else if (key == "error" && value.is_number_unsigned() && value.get<std::uint64_t>() > 0) {
        failure.error = static_cast<cudaError_t>(value.get<int>());
      } else {
        return std::nullopt;
      }
    }
    if (failure.call.empty()) return std::nullopt;
    all.push_back(std::move(failure));
  }
  return all;
}

/// @return whether @p json could be read as a configuration; @p config and @p devices are changed only then.
bool read(const nlohmann::json& json, Config& config, std::optional<int>& devices) {
  if (!json.is_object()) return false;
  Config wish = config;
  for (const auto& [key, value] : json.items()) {
    if (key == "checks" && value.is_boolean()) {
      wish.settings.checks = device::Checks::all(value.get<bool>());
    } else if (key == "checks" && value.is_string()) {
      const auto checks = device::checks_of(value.get<std::string>());
      if (!checks) return false;
      wish.settings.checks = *checks;
    } else if (key == "keep_going" && value.is_boolean()) {
      wish.settings.keep_going = value.get<bool>();
    } else if (key == "timing" && value.is_boolean()) {
      wish.settings.timing = value.get<bool>();
    } else if (key == "warp_instruction_limit" && value.is_number() && value.get<double>() >= 0) {
      // A number like 4e9 is a float to JSON; both spellings are meant.
      wish.settings.warp_instruction_limit = value.is_number_integer()
                                                 ? value.get<std::uint64_t>()
                                                 : static_cast<std::uint64_t>(value.get<double>());
    } else if (key == "fail") {
      auto planned = failures(value);
      if (!planned) return false;
      wish.failures = std::move(*planned);
    } else if (key == "devices" && value.is_number_unsigned() && value.get<std::uint64_t>() <= 16) {
      devices = value.get<int>();
    } else if (key == "order" && value == "forward") {
      wish.settings.order = exec::Order::forward;
    } else if (key == "order" && value == "reversed") {
      wish.settings.order = exec::Order::reversed;
    } else {
      return false;
    }
  }
  config = std::move(wish);
  return true;
}

}  // namespace

extern "C" {

int simgpu_configure(const char* text) {
  if (text == nullptr) return -1;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.say_nothing();
  Config config{runtime.failures, runtime.connection.settings()};
  std::optional<int> devices;
  if (json.is_discarded() || !read(json, config, devices)) return -1;
  if (devices && !runtime.set_device_count(*devices)) return -1;
  runtime.failures = std::move(config.failures);
  runtime.connection.configure(config.settings);
  return 0;
}

long long simgpu_allocation_of(const void* pointer) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  const memory::Allocation* allocation = runtime.memory.find(reinterpret_cast<std::uint64_t>(pointer));
  return allocation != nullptr && allocation->live ? static_cast<long long>(allocation->id) : -1;
}

const char* simgpu_take_report(void) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.say_nothing();
  static auto* const text = new std::string;  // must outlive static destructors
  *text = runtime.connection.take_report(runtime.take_part());
  return text->c_str();
}

}  // extern "C"
