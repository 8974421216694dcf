/// @file
/// See device_report.hpp.
#include "judge/device_report.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace course {
namespace {

using nlohmann::json;

const json& member(const json& from, const char* key) {
  static const json kNothing;
  if (!from.is_object()) return kNothing;
  const auto found = from.find(key);
  return found == from.end() ? kNothing : *found;
}

double number(const json& from, const char* key) {
  const auto& value = member(from, key);
  return value.is_number() ? value.get<double>() : 0;
}

std::string text(const json& from, const char* key) {
  const auto& value = member(from, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// A report names files as the compiler saw them; a student knows the file by its last part.
std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::size_t volume(const json& dimensions) {
  std::size_t product = dimensions.is_array() && !dimensions.empty() ? 1 : 0;
  if (dimensions.is_array()) {
    for (const auto& one : dimensions) product *= one.is_number() ? one.get<std::size_t>() : 0;
  }
  return product;
}

access_site read_site(const json& from) {
  access_site site;
  site.file = file_name(text(from, "file"));
  site.line = static_cast<unsigned>(number(from, "line"));
  site.instruction = text(from, "instruction");
  site.memory = text(from, "memory");
  site.kind = text(from, "kind");
  site.requests = number(from, "requests");
  site.lanes = number(from, "lanes");
  site.bytes_requested = number(from, "bytes_requested");
  site.sectors = number(from, "sectors");
  site.ideal_sectors = number(from, "ideal_sectors");
  site.wavefronts = number(from, "wavefronts");
  site.ideal_wavefronts = number(from, "ideal_wavefronts");
  return site;
}

kernel_launch read_launch(const json& from) {
  kernel_launch launch;
  launch.kernel = text(from, "kernel");
  launch.kernel = launch.kernel.substr(0, launch.kernel.find('('));  // its arguments say nothing to a reader
  launch.grid = volume(member(from, "grid"));
  launch.block = volume(member(from, "block"));
  launch.ok = !member(from, "ok").is_boolean() || member(from, "ok").get<bool>();
  launch.registers = number(from, "registers");
  launch.spill_bytes = number(from, "spill_bytes");
  launch.counters = member(from, "counters");
  const auto& timing = member(from, "timing");
  launch.seconds = number(timing, "seconds");
  launch.occupancy = number(timing, "occupancy");
  launch.resident_blocks = number(timing, "resident_blocks_per_sm");
  launch.bound_by = text(timing, "bound_by");
  launch.occupancy_limiter = text(timing, "occupancy_limiter");
  const auto& sites = member(from, "sites");
  if (sites.is_array()) {
    for (const auto& site : sites) launch.sites.push_back(read_site(site));
  }
  return launch;
}

}  // namespace

device_report::device_report(const std::string& source) {
  if (source.empty()) return;
  const auto report = json::parse(source, nullptr, false);
  if (!report.is_object() || text(report, "schema") != "simgpu.report/1") return;
  present_ = true;
  const auto& device = member(report, "device");
  device_name_ = text(device, "name");
  dram_bytes_per_second_ = number(device, "dram_bytes_per_second");
  copy_bytes_per_second_ = number(device, "copy_bytes_per_second");
  slice_ = std::max(1.0, number(device, "slice"));
  elapsed_seconds_ = number(report, "elapsed_seconds");
  device_to_host_bytes_ = number(member(report, "copies"), "device_to_host_bytes");
  live_bytes_ = number(member(report, "allocations"), "live_bytes");
  if (const auto& launches = member(report, "launches"); launches.is_array()) {
    for (const auto& launch : launches) launches_.push_back(read_launch(launch));
  }
  if (const auto& findings = member(report, "findings"); findings.is_array()) {
    findings_json_ = findings;
    for (const auto& one : findings) {
      findings_.push_back({text(one, "kind"),
                           text(one, "severity"),
                           text(one, "message"),
                           text(one, "instruction"),
                           {file_name(text(one, "file")), static_cast<unsigned>(number(one, "line"))},
                           std::strtoull(text(one, "address").c_str(), nullptr, 16)});
    }
  }
  if (const auto& names = member(report, "unsupported"); names.is_array()) {
    for (const auto& name : names) {
      if (name.is_string()) unsupported_.push_back(name.get<std::string>());
    }
  }
}

double device_report::counter(std::string_view name) const {
  double sum = 0;
  for (const auto& launch : launches_) sum += number(launch.counters, std::string(name).c_str());
  return sum;
}

const device_finding* device_report::error(std::string_view kind) const {
  for (const auto& finding : findings_) {
    if (finding.is_error() && finding.kind == kind) return &finding;
  }
  return nullptr;
}

std::size_t device_report::blocks() const {
  std::size_t sum = 0;
  for (const auto& launch : launches_) sum += launch.grid;
  return sum;
}

}  // namespace course
