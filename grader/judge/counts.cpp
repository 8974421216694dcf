/// @file
/// See counts.hpp.
#include "judge/counts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "judge/explain.hpp"

namespace course {
namespace {

using nlohmann::json;

constexpr double kSector = 32, kWavefront = 128;  // bytes
constexpr double kWidestRequest = 512;            // bytes: 32 lanes with 16 each

/// Takes totals one by one; rows that say nothing are left out.
class total_list {
 public:
  void add(const char* name, const char* unit, double counted, std::optional<double> fewest) {
    if (counted == 0 && fewest.value_or(0) == 0) return;
    rows_.push_back(
        {{"name", name}, {"unit", unit}, {"counted", counted}, {"fewest", fewest ? json(*fewest) : json()}});
  }
  json rows() && { return std::move(rows_); }

 private:
  json rows_ = json::array();
};

json totals_of(const problem& asked, const device_report& report) {
  const auto sum = [&](std::string_view memory, std::string_view kind, auto field) {
    double total = 0;
    for (const auto& launch : report.launches()) {
      for (const auto& site : launch.sites) {
        if (site.memory == memory && (kind.empty() || site.kind == kind)) total += site.*field;
      }
    }
    return total;
  };
  const bool by_copies = contains(asked.roads(), road::copies);
  std::optional<double> read, written, read_sectors, written_sectors, loads, stores;
  if (contains(asked.roads(), road::kernels)) {
    read = asked.bytes_read(), written = asked.bytes_written();
    read_sectors = *read / kSector, written_sectors = *written / kSector;
    loads = *read / kWidestRequest, stores = *written / kWidestRequest;
    for (auto* one : {&read_sectors, &written_sectors, &loads, &stores}) *one = std::ceil(**one);
  }
  total_list totals;
  totals.add("bytes copied to the device", "B", report.copied_bytes("host_to_device"),
             by_copies ? std::optional(asked.bytes_read()) : std::nullopt);
  totals.add("bytes copied to the host", "B", report.copied_bytes("device_to_host"),
             by_copies ? std::optional(asked.bytes_written()) : std::nullopt);
  totals.add("bytes over the memory bus", "B",
             report.counter("dram__bytes_read.sum") + report.counter("dram__bytes_write.sum"),
             read ? std::optional(*read + *written) : std::nullopt);
  totals.add("bytes loaded", "B", report.bytes_loaded_by_kernels(), read);
  totals.add("sectors loaded", "sectors", report.sectors_loaded_by_kernels(), read_sectors);
  totals.add("load requests", "requests", sum("global", "load", &access_site::requests), loads);
  totals.add("bytes stored", "B", report.bytes_stored_by_kernels(), written);
  totals.add("sectors stored", "sectors", sum("global", "store", &access_site::sectors), written_sectors);
  totals.add("store requests", "requests", sum("global", "store", &access_site::requests), stores);
  totals.add(
      "atomic requests", "requests",
      sum("global", "atomic", &access_site::requests) + sum("global", "reduction", &access_site::requests),
      {});
  for (const char* const kind : {"load", "store"}) {
    totals.add(
        kind == std::string_view("load") ? "wavefronts of shared loads" : "wavefronts of shared stores",
        "wavefronts", sum("shared", kind, &access_site::wavefronts),
        sum("shared", kind, &access_site::ideal_wavefronts));
  }
  totals.add("sectors of local memory", "sectors", sum("local", "", &access_site::sectors), 0);
  return std::move(totals).rows();
}

json lines_of(const device_report& report, std::size_t& omitted) {
  auto sites = sites_by_line(report);
  const auto cost = [](const access_site& one) {
    return kSector * one.sectors + kWavefront * one.wavefronts;
  };
  std::stable_sort(sites.begin(), sites.end(),
                   [&](const access_site& a, const access_site& b) { return cost(a) > cost(b); });
  omitted = sites.size() > kMostLines ? sites.size() - kMostLines : 0;
  sites.resize(sites.size() - omitted);
  std::stable_sort(sites.begin(), sites.end(), [](const access_site& a, const access_site& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  json lines = json::array();
  for (const auto& one : sites) {
    lines.push_back({{"file", one.file},
                     {"line", one.line},
                     {"memory", one.memory},
                     {"kind", one.kind},
                     {"requests", one.requests},
                     {"lanes", one.lanes},
                     {"bytes", one.bytes_requested},
                     {"sectors", one.sectors},
                     {"fewest_sectors", one.ideal_sectors},
                     {"wavefronts", one.wavefronts},
                     {"fewest_wavefronts", one.ideal_wavefronts}});
  }
  return lines;
}

// Launches of one kernel with one shape, added up.
json kernels_of(const device_report& report) {
  std::map<std::tuple<std::string, std::size_t, std::size_t>, std::size_t> places;
  json kernels = json::array();
  for (const auto& one : report.launches()) {
    const auto [at, fresh] = places.try_emplace({one.kernel, one.grid, one.block}, kernels.size());
    if (fresh) {
      kernels.push_back({{"kernel", one.kernel},
                         {"blocks", one.grid},
                         {"threads", one.block},
                         {"launches", 0},
                         {"seconds", 0.0},
                         {"bound_by", one.bound_by},
                         {"occupancy", one.occupancy},
                         {"occupancy_limiter", one.occupancy_limiter},
                         {"registers", one.registers ? json(*one.registers) : json()},
                         {"shared_bytes", one.shared_bytes}});
      if (kernels.size() > kMostLines) break;
    }
    auto& kernel = kernels[at->second];
    kernel["launches"] = kernel["launches"].get<int>() + 1;
    kernel["seconds"] = kernel["seconds"].get<double>() + one.seconds;
  }
  return kernels;
}

json timeline_of(const device_report& report) {
  json operations = json::array();
  for (const auto& one : report.operations()) {
    operations.push_back({{"engine", one.engine},
                          {"name", one.name},
                          {"device", one.device},
                          {"stream", one.stream},
                          {"bytes", one.bytes},
                          {"begin_seconds", one.begin_seconds},
                          {"end_seconds", one.end_seconds}});
  }
  return {{"operations", std::move(operations)}, {"omitted", report.operations_omitted()}};
}

}  // namespace

json counts_json(const exercise& what, const benchmark& of, const benchmark_run& run,
                 std::string_view exercise) {
  const auto& report = run.report;
  json metrics = json::array();
  for (const metric* one : all_metrics()) {
    if (one == &metrics::speed) continue;
    const auto seen = one->evaluate({report, run.before, run.asked, exercise, run.sizes});
    if (seen.counted) metrics.push_back({{"name", one->name}, {"value", seen.value}, {"unit", one->unit}});
  }
  std::size_t omitted = 0;
  auto lines = lines_of(report, omitted);
  return {{"benchmark", of.name},
          {"size", to_string(of.on_sim, what.size_names)},
          {"device_name", report.device_name()},
          {"slice", report.slice()},
          {"needed", {{"read_bytes", run.asked.bytes_read()}, {"written_bytes", run.asked.bytes_written()}}},
          {"roof",
           {{"kind", of.roof == roof_kind::dram   ? "memory"
                     : of.roof == roof_kind::link ? "link"
                                                  : ""},
            {"memory_bytes_per_second", report.dram_bytes_per_second()},
            {"copy_bytes_per_second", report.copy_bytes_per_second()}}},
          {"totals", totals_of(run.asked, report)},
          {"lines", std::move(lines)},
          {"lines_omitted", omitted},
          {"kernels", kernels_of(report)},
          {"timeline", timeline_of(report)},
          {"metrics", std::move(metrics)}};
}

double bus_per_needed(const json& counts, std::string_view benchmark) {
  for (const auto& one : counts) {
    if (one.value("benchmark", "") != benchmark) continue;
    for (const auto& total : one.at("totals")) {
      const auto fewest = total.find("fewest");
      if (total.value("name", "") == "bytes over the memory bus" && fewest->is_number() && *fewest > 0.0)
        return total.value("counted", 0.0) / fewest->get<double>();
    }
  }
  return 0;
}

}  // namespace course
