/// @file
/// The JSON form, key by key as schema.md shows it.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "simgpu/report/report.hpp"

namespace simgpu::report {
namespace {

using Json = nlohmann::ordered_json;  // keys in the order in which they are written

Json triple(const observe::Dim3& dim) {
  return Json::array({dim.x, dim.y, dim.z});
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json device_json(const DeviceReport& device) {
  return {{"name", device.name},
          {"sm_count", device.sm_count},
          {"slice", device.slice},
          {"clock_hz", device.clock_hz},
          {"l2_bytes", device.l2_bytes},
          {"dram_bytes_per_second", device.dram_bytes_per_second},
          {"copy_bytes_per_second", device.copy_bytes_per_second}};
}

Json timing_json(const TimingReport& timing) {
  return {{"seconds", timing.seconds},
          {"bound_by", timing.bound_by},
          {"launch_seconds", timing.launch_seconds},
          {"dram_seconds", timing.dram_seconds},
          {"l2_seconds", timing.l2_seconds},
          {"l1tex_seconds", timing.l1tex_seconds},
          {"issue_seconds", timing.issue_seconds},
          {"latency_seconds", timing.latency_seconds},
          {"occupancy", timing.occupancy},
          {"resident_blocks_per_sm", timing.resident_blocks_per_sm},
          {"occupancy_limiter", timing.occupancy_limiter}};
}

Json site_json(const SiteReport& site) {
  return {{"file", site.file},
          {"line", site.line},
          {"instruction", site.instruction},
          {"memory", name_of(site.memory)},
          {"kind", name_of(site.kind)},
          {"requests", site.requests},
          {"lanes", site.lanes},
          {"bytes_requested", site.bytes_requested},
          {"sectors", site.sectors},
          {"ideal_sectors", site.ideal_sectors},
          {"wavefronts", site.wavefronts},
          {"ideal_wavefronts", site.ideal_wavefronts}};
}

Json launch_json(const LaunchReport& launch) {
  Json counters = Json::object();
  for (const auto& [name, value] : launch.counters) counters[name] = value;
  std::vector<const SiteReport*> sorted;
  for (const SiteReport& site : launch.sites) sorted.push_back(&site);
  // Stable, so that equal keys (an unrolled loop's copies) keep the order of the code.
  std::stable_sort(sorted.begin(), sorted.end(), [](const SiteReport* a, const SiteReport* b) {
    return std::tie(a->file, a->line, a->instruction) < std::tie(b->file, b->line, b->instruction);
  });
  Json sites = Json::array();
  for (const SiteReport* site : sorted) sites.push_back(site_json(*site));
  return {{"kernel", demangle(launch.mangled)},
          {"mangled", launch.mangled},
          {"grid", triple(launch.grid)},
          {"block", triple(launch.block)},
          {"static_shared_bytes", launch.static_shared_bytes},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"registers", or_null(launch.registers)},
          {"spill_bytes", or_null(launch.spill_bytes)},
          {"local_bytes", launch.local_bytes},
          {"ok", launch.ok},
          {"warp_instructions", launch.warp_instructions},
          {"counters", std::move(counters)},
          {"timing", timing_json(launch.timing)},
          {"sites", std::move(sites)}};
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
  root["schema"] = "simgpu.report/1";
  root["device"] = device_json(report.device);
  root["launches"] = Json::array();
  for (const LaunchReport& launch : report.launches) root["launches"].push_back(launch_json(launch));
  root["findings"] = Json::array();
  for (const observe::Finding& finding : report.findings) root["findings"].push_back(finding_json(finding));
  root["api"] = Json::array();
  for (const ApiCall& call : report.api) root["api"].push_back({{"name", call.name}, {"calls", call.calls}});
  root["copies"] = {{"host_to_device_bytes", report.copies.host_to_device_bytes},
                    {"device_to_host_bytes", report.copies.device_to_host_bytes},
                    {"device_to_device_bytes", report.copies.device_to_device_bytes}};
  root["allocations"] = {{"live_count", report.allocations.live_count},
                         {"live_bytes", report.allocations.live_bytes}};
  root["unsupported"] = report.unsupported;
  root["elapsed_seconds"] = report.elapsed_seconds;
  root["timeline"] = timeline_json(report.timeline);
  return root.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace simgpu::report
