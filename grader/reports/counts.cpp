/// @file
/// Implementation of counts.hpp.
#include "reports/counts.hpp"

#include "reports/fields.hpp"

namespace course::reports {
namespace {

using nlohmann::json;

run_counts read_run(const json& from) {
  run_counts run;
  take(from, "benchmark", run.benchmark);
  take(from, "size", run.size);
  take(from, "slice", run.slice);
  const json& roof = member_of(from, "roof");
  take(roof, "kind", run.roof);
  take(roof, "memory_bytes_per_second", run.memory_bytes_per_second);
  take(roof, "copy_bytes_per_second", run.copy_bytes_per_second);
  for (const json& row : rows(from, "totals")) {
    total one;
    take(row, "name", one.name);
    take(row, "unit", one.unit);
    take(row, "counted", one.counted);
    if (const json& fewest = member_of(row, "fewest"); fewest.is_number()) one.fewest = fewest.get<double>();
    run.totals.push_back(std::move(one));
  }
  for (const json& row : rows(from, "lines")) {
    line_counts one;
    take(row, "file", one.file);
    take(row, "line", one.line);
    take(row, "memory", one.memory);
    take(row, "kind", one.kind);
    take(row, "requests", one.requests);
    take(row, "lanes", one.lanes);
    take(row, "bytes", one.bytes);
    take(row, "sectors", one.sectors);
    take(row, "fewest_sectors", one.fewest_sectors);
    take(row, "wavefronts", one.wavefronts);
    take(row, "fewest_wavefronts", one.fewest_wavefronts);
    run.lines.push_back(std::move(one));
  }
  for (const json& row : rows(from, "kernels")) {
    kernel_counts one;
    take(row, "kernel", one.kernel);
    take(row, "bound_by", one.bound_by);
    take(row, "occupancy_limiter", one.occupancy_limiter);
    take(row, "blocks", one.blocks);
    take(row, "threads", one.threads);
    take(row, "launches", one.launches);
    take(row, "seconds", one.seconds);
    take(row, "occupancy", one.occupancy);
    run.kernels.push_back(std::move(one));
  }
  const json& timeline = member_of(from, "timeline");
  for (const json& row : rows(timeline, "operations")) {
    operation one;
    take(row, "engine", one.engine);
    take(row, "name", one.name);
    take(row, "device", one.device);
    take(row, "stream", one.stream);
    take(row, "bytes", one.bytes);
    take(row, "begin_seconds", one.begin_seconds);
    take(row, "end_seconds", one.end_seconds);
    run.operations.push_back(std::move(one));
  }
  take(timeline, "omitted", run.operations_omitted);
  for (const json& row : rows(from, "metrics")) {
    metric_value one;
    take(row, "name", one.name);
    take(row, "unit", one.unit);
    take(row, "value", one.value);
    run.metrics.push_back(std::move(one));
  }
  return run;
}

}  // namespace

std::vector<run_counts> read_counts(const json& from) {
  std::vector<run_counts> runs;
  if (!from.is_array()) return runs;
  for (const json& one : from) {
    if (one.is_object()) runs.push_back(read_run(one));
  }
  return runs;
}

std::optional<double> times_the_fewest(const total& of) {
  if (!of.fewest || !(*of.fewest > 0)) return std::nullopt;
  return of.counted / *of.fewest;
}

}  // namespace course::reports
