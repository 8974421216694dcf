/// @file
/// The JSON form, key by key as schema.md shows it.
#include "simgpu/report/json_parts.hpp"

namespace simgpu::report {
namespace {

Json device_json(const DeviceReport& device) {
  return {{"name", device.name},
          {"sm_count", device.sm_count},
          {"slice", device.slice},
          {"clock_hz", device.clock_hz},
          {"l2_bytes", device.l2_bytes},
          {"dram_bytes_per_second", device.dram_bytes_per_second},
          {"copy_bytes_per_second", device.copy_bytes_per_second}};
}

Json finding_json(const observe::Finding& finding) {
  return {{"kind", observe::name_of(finding.kind)},
          {"severity", finding.warning ? "warning" : "error"},
          {"kernel", demangle(finding.kernel)},
          {"file", finding.file},
          {"line", finding.line},
          {"instruction", finding.instruction},
          {"memory", name_of(finding.memory)},
          {"block", triple(finding.block)},
          {"thread", triple(finding.thread)},
          {"address", fmt::format("{:#x}", finding.address)},
          {"allocation_base", fmt::format("{:#x}", finding.allocation)},
          {"other_line", finding.other_line},
          {"other_block", triple(finding.other_block)},
          {"other_thread", triple(finding.other_thread)},
          {"occurrences", finding.occurrences},
          {"message", finding.message}};
}

Json timeline_json(const TimelineReport& timeline) {
  Json operations = Json::array();
  for (const OperationReport& op : timeline.operations) {
    operations.push_back({{"device", op.device},
                          {"stream", op.stream},
                          {"engine", op.engine},
                          {"name", op.name},
                          {"bytes", op.bytes},
                          {"begin_seconds", op.begin_seconds},
                          {"end_seconds", op.end_seconds}});
  }
  return {{"operations", std::move(operations)}, {"omitted", timeline.omitted}};
}

}  // namespace

std::string to_json(const Report& report, int indent) {
  Json root;
  root["schema"] = "simgpu.report/2";
  root["device"] = device_json(report.device);
  root["device_count"] = report.device_count;
  root["launches"] = Json::array();
  for (const LaunchReport& launch : report.launches) root["launches"].push_back(launch_json(launch));
  root["kernel_launches"] = report.launches.size();
  root["findings"] = Json::array();
  for (const observe::Finding& finding : report.findings) root["findings"].push_back(finding_json(finding));
  add_calls(report, root);
  root["unsupported"] = report.unsupported;
  root["elapsed_seconds"] = report.elapsed_seconds;
  root["timeline"] = timeline_json(report.timeline);
  const OverlapReport overlap = overlap_of(report.timeline);
  root["overlap"] = {{"copy_seconds", overlap.copy_seconds},
                     {"overlapped_seconds", overlap.overlapped_seconds}};
  return root.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace simgpu::report
