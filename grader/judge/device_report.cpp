/// @file
/// See device_report.hpp.
#include "judge/device_report.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "records/json_fields.hpp"

namespace course {
namespace {

using nlohmann::json;

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
  site.file = file_name(text_of(from, "file"));
  site.line = static_cast<unsigned>(number_of(from, "line"));
  site.instruction = text_of(from, "instruction");
  site.memory = text_of(from, "memory");
  site.kind = text_of(from, "kind");
  site.requests = number_of(from, "requests");
  site.lanes = number_of(from, "lanes");
  site.bytes_requested = number_of(from, "bytes_requested");
  site.sectors = number_of(from, "sectors");
  site.ideal_sectors = number_of(from, "ideal_sectors");
  site.wavefronts = number_of(from, "wavefronts");
  site.ideal_wavefronts = number_of(from, "ideal_wavefronts");
  site.l1_hit_sectors = number_of(from, "l1_hit_sectors");
  site.l2_hit_sectors = number_of(from, "l2_hit_sectors");
  site.hinted_bytes = number_of(from, "hinted_bytes");
  return site;
}

buffer_traffic read_buffer(const json& from) {
  buffer_traffic buffer;
  buffer.memory = text_of(from, "memory");
  buffer.allocation = number_of(from, "allocation");
  buffer.bytes = number_of(from, "bytes");
  buffer.loaded_bytes = number_of(from, "loaded_bytes");
  buffer.loaded_sectors = number_of(from, "loaded_sectors");
  buffer.stored_bytes = number_of(from, "stored_bytes");
  buffer.stored_sectors = number_of(from, "stored_sectors");
  buffer.atomic_lanes = number_of(member_of(from, "atomic"), "lanes");
  buffer.hinted_bytes = number_of(from, "hinted_bytes");
  buffer.fetched_bytes = number_of(from, "texture_bytes");
  return buffer;
}

kernel_launch read_launch(const json& from) {
  kernel_launch launch;
  launch.kernel = kernel_name(text_of(from, "kernel"));
  launch.grid = volume(member_of(from, "grid"));
  launch.block = volume(member_of(from, "block"));
  launch.warp_instructions = number_of(from, "warp_instructions");
  launch.ok = !member_of(from, "ok").is_boolean() || member_of(from, "ok").get<bool>();
  launch.registers = number_or_none(from, "registers");
  launch.spill_bytes = number_or_none(from, "spill_bytes");
  launch.stack_frame_bytes = number_or_none(from, "stack_frame_bytes");
  launch.shared_bytes = number_of(from, "static_shared_bytes") + number_of(from, "dynamic_shared_bytes");
  launch.counters = member_of(from, "counters");
  const auto& timing = member_of(from, "timing");
  launch.seconds = number_of(timing, "seconds");
  launch.occupancy = number_of(timing, "occupancy");
  launch.resident_blocks = number_of(timing, "resident_blocks_per_sm");
  launch.bound_by = text_of(timing, "bound_by");
  launch.occupancy_limiter = text_of(timing, "occupancy_limiter");
  const auto& sites = member_of(from, "sites");
  if (sites.is_array()) {
    for (const auto& site : sites) launch.sites.push_back(read_site(site));
  }
  if (const auto& buffers = member_of(from, "buffers"); buffers.is_array()) {
    for (const auto& buffer : buffers) launch.buffers.push_back(read_buffer(buffer));
  }
  return launch;
}

// The time line names kernels by their symbols, launches by both names.
std::vector<device_operation> read_operations(const json& timeline, const json& launches, double& omitted) {
  std::map<std::string, std::string> names;
  if (launches.is_array()) {
    for (const auto& one : launches) names[text_of(one, "mangled")] = kernel_name(text_of(one, "kernel"));
  }
  std::vector<device_operation> read;
  omitted = number_of(timeline, "omitted");
  const auto& operations = member_of(timeline, "operations");
  if (!operations.is_array()) return read;
  for (const auto& from : operations) {
    if (read.size() == kMostOperations) {
      omitted += static_cast<double>(operations.size() - kMostOperations);
      break;
    }
    const auto name = text_of(from, "name");
    const auto known = names.find(name);
    read.push_back({text_of(from, "engine"), known == names.end() ? name : known->second,
                    static_cast<unsigned>(number_of(from, "device")), number_of(from, "stream"),
                    number_of(from, "bytes"), number_of(from, "begin_seconds"),
                    number_of(from, "end_seconds")});
  }
  return read;
}

}  // namespace

device_report::device_report(const std::string& source) {
  if (source.empty()) return;
  auto report = json::parse(source, nullptr, false);
  if (!report.is_object() || text_of(report, "schema") != kSchema) return;
  present_ = true;
  const auto& device = member_of(report, "device");
  device_name_ = text_of(device, "name");
  dram_bytes_per_second_ = number_of(device, "dram_bytes_per_second");
  copy_bytes_per_second_ = number_of(device, "copy_bytes_per_second");
  slice_ = std::max(1.0, number_of(device, "slice"));
  elapsed_seconds_ = number_of(report, "elapsed_seconds");
  if (const auto& launches = member_of(report, "launches"); launches.is_array()) {
    for (const auto& launch : launches) launches_.push_back(read_launch(launch));
  }
  operations_ =
      read_operations(member_of(report, "timeline"), member_of(report, "launches"), operations_omitted_);
  if (const auto& findings = member_of(report, "findings"); findings.is_array()) {
    findings_json_ = findings;
    for (const auto& one : findings) {
      findings_.push_back({text_of(one, "kind"),
                           text_of(one, "severity"),
                           text_of(one, "message"),
                           text_of(one, "instruction"),
                           {file_name(text_of(one, "file")), static_cast<unsigned>(number_of(one, "line"))},
                           std::strtoull(text_of(one, "address").c_str(), nullptr, 16),
                           std::strtoull(text_of(one, "allocation_base").c_str(), nullptr, 16)});
    }
  }
  if (const auto& names = member_of(report, "unsupported"); names.is_array()) {
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
  return number_of(counters, std::string(name).c_str());
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
    return member_of(one.counters, std::string(name).c_str()).is_number();
  });
}

std::optional<double> device_report::figure(std::initializer_list<const char*> path) const {
  const json* at = &json_.get();
  for (const char* const key : path) at = &member_of(*at, key);
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

std::vector<copy_group> device_report::copy_groups() const {
  const auto& list = member_of(member_of(json_, "copies"), "groups");
  std::vector<copy_group> all;
  if (!list.is_array()) return all;
  for (const auto& one : list)
    all.push_back(
        {text_of(one, "from"), text_of(one, "to"), number_of(one, "copies"), number_of(one, "bytes")});
  return all;
}

double device_report::calls_of(std::string_view function) const {
  const auto& list = member_of(json_, "api");
  if (!list.is_array()) return 0;
  for (const auto& one : list) {
    if (text_of(one, "name") == function) return number_of(one, "calls");
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
