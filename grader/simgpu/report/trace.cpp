/// @file
/// The timeline for a trace viewer.
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "simgpu/report/report.hpp"

namespace simgpu::report {

std::string to_trace(const Report& report) {
  using Json = nlohmann::ordered_json;
  constexpr double kMicroseconds = 1e6;
  Json events = Json::array();
  std::set<std::pair<std::uint32_t, std::uint64_t>> streams;
  for (const OperationReport& op : report.timeline.operations) streams.emplace(op.device, op.stream);
  std::set<std::uint32_t> named;
  for (const auto& [device, stream] : streams) {
    if (named.insert(device).second) {
      events.push_back({{"ph", "M"},
                        {"name", "process_name"},
                        {"pid", device},
                        {"args", {{"name", report.device.name + ", device " + std::to_string(device)}}}});
    }
    const std::string name = stream == 0 ? "default stream" : "stream " + std::to_string(stream);
    events.push_back(
        {{"ph", "M"}, {"name", "thread_name"}, {"pid", device}, {"tid", stream}, {"args", {{"name", name}}}});
  }
  for (const OperationReport& op : report.timeline.operations) {
    Json event = {{"ph", "X"},
                  {"name", demangle(op.name)},
                  {"cat", op.engine},
                  {"pid", op.device},
                  {"tid", op.stream},
                  {"ts", op.begin_seconds * kMicroseconds},
                  {"dur", (op.end_seconds - op.begin_seconds) * kMicroseconds}};
    if (op.bytes != 0) event["args"] = {{"bytes", op.bytes}};
    events.push_back(std::move(event));
  }
  const Json root = {{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}};
  return root.dump(1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace simgpu::report
