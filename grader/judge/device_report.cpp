/// @file
/// See device_report.hpp.
#include "judge/device_report.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "protocol/fields.hpp"

namespace course {
namespace {

using nlohmann::json;
using protocol::member, protocol::number, protocol::number_or_none, protocol::text;

constexpr std::string_view kSchema = "simgpu.report/2";

// A report names files as the compiler saw them; a student knows the file by its last part.
std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// A kernel's arguments say nothing to a reader.
std::string kernel_name(const std::string& demangled) {
  return demangled.substr(0, demangled.find('('));
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
  site.l1_hit_sectors = number(from, "l1_hit_sectors");
  site.l2_hit_sectors = number(from, "l2_hit_sectors");
  site.hinted_bytes = number(from, "hinted_bytes");
  return site;
}

buffer_traffic read_buffer(const json& from) {
  buffer_traffic buffer;
  buffer.memory = text(from, "memory");
  buffer.loaded_bytes = number(from, "loaded_bytes");
  buffer.loaded_sectors = number(from, "loaded_sectors");
  buffer.stored_bytes = number(from, "stored_bytes");
  buffer.stored_sectors = number(from, "stored_sectors");
  buffer.atomic_lanes = number(member(from, "atomic"), "lanes");
  buffer.hinted_bytes = number(from, "hinted_bytes");
  return buffer;
}

kernel_launch read_launch(const json& from) {
  kernel_launch launch;
  launch.kernel = kernel_name(text(from, "kernel"));
  launch.grid = volume(member(from, "grid"));
  launch.block = volume(member(from, "block"));
  launch.ok = !member(from, "ok").is_boolean() || member(from, "ok").get<bool>();
  launch.registers = number_or_none(from, "registers");
  launch.spill_bytes = number_or_none(from, "spill_bytes");
  launch.stack_frame_bytes = number_or_none(from, "stack_frame_bytes");
  launch.shared_bytes = number(from, "static_shared_bytes") + number(from, "dynamic_shared_bytes");
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
  if (const auto& buffers = member(from, "buffers"); buffers.is_array()) {
    for (const auto& buffer : buffers) launch.buffers.push_back(read_buffer(buffer));
  }
  return launch;
}

// The time line names kernels by their symbols, launches by both names.
std::vector<device_operation> read_operations(const json& timeline, const json& launches, double& omitted) {
  std::map<std::string, std::string> names;
  if (launches.is_array()) {
    for (const auto& one : launches) names[text(one, "mangled")] = kernel_name(text(one, "kernel"));
  }
  std::vector<device_operation> read;
  omitted = number(timeline, "omitted");
  const auto& operations = member(timeline, "operations");
  if (!operations.is_array()) return read;
  for (const auto& from : operations) {
    if (read.size() == kMostOperations) {
      omitted += static_cast<double>(operations.size() - kMostOperations);
      break;
    }
    const auto name = text(from, "name");
    const auto known = names.find(name);
    read.push_back({text(from, "engine"), known == names.end() ? name : known->second,
                    static_cast<unsigned>(number(from, "device")), number(from, "stream"),
                    number(from, "bytes"), number(from, "begin_seconds"), number(from, "end_seconds")});
  }
  return read;
}

}  // namespace

device_report::device_report(const std::string& source) {
  if (source.empty()) return;
  auto report = json::parse(source, nullptr, false);
  if (!report.is_object() || text(report, "schema") != kSchema) return;
  present_ = true;
  const auto& device = member(report, "device");
  device_name_ = text(device, "name");
  dram_bytes_per_second_ = number(device, "dram_bytes_per_second");
  copy_bytes_per_second_ = number(device, "copy_bytes_per_second");
  slice_ = std::max(1.0, number(device, "slice"));
  elapsed_seconds_ = number(report, "elapsed_seconds");
  if (const auto& launches = member(report, "launches"); launches.is_array()) {
    for (const auto& launch : launches) launches_.push_back(read_launch(launch));
  }
  operations_ = read_operations(member(report, "timeline"), member(report, "launches"), operations_omitted_);
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
  for (const char* const typed : {"launches", "findings", "timeline"}) report.erase(typed);
  json_ = std::move(report);
}

access_site& access_site::operator+=(const access_site& other) {
  requests += other.requests;
  lanes += other.lanes;
  bytes_requested += other.bytes_requested;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  l1_hit_sectors += other.l1_hit_sectors;
  l2_hit_sectors += other.l2_hit_sectors;
  hinted_bytes += other.hinted_bytes;
  return *this;
}

double kernel_launch::counter(std::string_view name) const {
  return number(counters, std::string(name).c_str());
}

bool kernel_launch::touches_data() const {
  return counter("simgpu__blocks_touching_global.sum") > 0;
}

double device_report::counter(std::string_view name) const {
  double sum = 0;
  for (const auto& launch : launches_) sum += launch.counter(name);
  return sum;
}

bool device_report::knows(std::string_view name) const {
  return std::any_of(launches_.begin(), launches_.end(), [&](const kernel_launch& one) {
    return member(one.counters, std::string(name).c_str()).is_number();
  });
}

std::optional<double> device_report::figure(std::initializer_list<const char*> path) const {
  const json* at = &json_;
  for (const char* const key : path) at = &member(*at, key);
  return at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

double device_report::bytes_loaded_by_kernels() const {
  return counter("simgpu__global_bytes_requested_op_ld.sum") +
         counter("simgpu__texture_bytes_requested.sum") + counter("simgpu__bulk_bytes_load.sum");
}

double device_report::bytes_stored_by_kernels() const {
  return counter("simgpu__global_bytes_requested_op_st.sum") +
         4 * counter("simgpu__global_atomic_lanes.sum") +
         counter("simgpu__surface_bytes_requested_op_st.sum") + counter("simgpu__bulk_bytes_store.sum");
}

double device_report::sectors_loaded_by_kernels() const {
  return counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") + counter("simgpu__texture_sectors.sum") +
         counter("simgpu__bulk_bytes_load.sum") / 32;
}

double device_report::copied_bytes(std::string_view direction) const {
  return figure({"copies", (std::string(direction) + "_bytes").c_str()}).value_or(0);
}

double device_report::calls_of(std::string_view function) const {
  const auto& list = member(json_, "api");
  if (!list.is_array()) return 0;
  for (const auto& one : list) {
    if (text(one, "name") == function) return number(one, "calls");
  }
  return 0;
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
