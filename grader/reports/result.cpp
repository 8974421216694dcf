/// @file
/// Implementation of result.hpp. Fields that are missing keep their defaults: a report shows what there is.
#include "reports/result.hpp"

#include <algorithm>

#include "records/files.hpp"
#include "reports/fields.hpp"

namespace course::reports {
using nlohmann::json;

namespace {

measurement read_measurement(const json& m) {
  measurement measured;
  take(m, "benchmark", measured.benchmark);
  take(m, "size", measured.size);
  take(m, "baseline", measured.baseline);
  take(m, "unit", measured.unit);
  take(m, "student_per_second", measured.student_per_second);
  take(m, "reference_per_second", measured.reference_per_second);
  take(m, "student_seconds", measured.student_seconds);
  take(m, "reference_seconds", measured.reference_seconds);
  take(m, "bytes_moved", measured.bytes_moved);
  take(m, "student_bytes_per_second", measured.student_bytes_per_second);
  take(m, "reference_bytes_per_second", measured.reference_bytes_per_second);
  take(m, "ratio", measured.ratio);
  take(m, "ratio_low", measured.ratio_low);
  take(m, "ratio_high", measured.ratio_high);
  take(m, "pairs", measured.pairs);
  take(m, "share_of_peak", measured.share_of_peak);
  take(m, "slice", measured.slice);
  return measured;
}

}  // namespace

std::string place::text() const {
  if (file.empty() || line <= 0) return file;
  return file + ":" + std::to_string(line);
}

std::optional<result> read_result(const std::filesystem::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  const json object = json::parse(*text, nullptr, false);
  if (!object.is_object() || object.value("schema", json()) != "course.result/2") return std::nullopt;
  result r;
  r.path = file;
  take(object, "chapter", r.chapter);
  take(object, "label", r.label);
  take(object, "exercise", r.exercise);
  take(object, "kind", r.kind);
  take(object, "verdict", r.verdict);
  take(object, "cause", r.cause);
  take(object, "headline", r.headline);
  take(object, "at_the_limit", r.at_the_limit);
  take(object, "tree", r.tree);
  take(object, "tree_id", r.tree_id);
  take(object, "source", r.source);
  take(object, "source_sha256", r.source_sha256);
  take(object, "device", r.device);
  take(object, "device_name", r.device_name);
  take(object, "modelled", r.modelled);
  take(object, "seed", r.seed);
  take(object, "started_at", r.started_at);
  take(object, "duration_seconds", r.duration_seconds);
  take(object, "run", r.run);
  take(object, "details", r.details);
  if (const json& location = member_of(object, "location"); location.is_object()) {
    take(location, "file", r.location.file);
    take(location, "line", r.location.line);
  }
  for (const json& row : rows(object, "cases")) {
    case_row c;
    take(row, "name", c.name);
    take(row, "device", c.device);
    take(row, "status", c.status);
    take(row, "message", c.message);
    r.cases.push_back(std::move(c));
  }
  for (const json& row : rows(object, "gates")) {
    gate g;
    take(row, "name", g.name);
    take(row, "benchmark", g.benchmark);
    take(row, "kind", g.kind);
    take(row, "value", g.value);
    take(row, "counted", g.counted);
    take(row, "wanted", g.wanted);
    take(row, "threshold", g.threshold);
    take(row, "relation", g.relation);
    take(row, "unit", g.unit);
    take(row, "counted", g.counted);
    take(row, "met", g.met);
    take(row, "modelled", g.modelled);
    take(row, "note", g.note);
    r.gates.push_back(std::move(g));
  }
  if (const json& m = member_of(object, "measurement"); m.is_object() && !m.empty())
    r.measured = read_measurement(m);
  for (const json& m : rows(object, "measurements")) r.measurements.push_back(read_measurement(m));
  if (r.measurements.empty() && r.measured) r.measurements.push_back(*r.measured);
  for (const json& row : rows(object, "findings")) {
    finding f;
    take(row, "kind", f.kind);
    take(row, "severity", f.severity);
    take(row, "message", f.message);
    take(row, "file", f.file);
    f.file = std::filesystem::path(f.file).filename().string();
    take(row, "line", f.line);
    take(row, "other_line", f.other_line);
    r.findings.push_back(std::move(f));
  }
  if (const json& printed = member_of(object, "printed"); printed.is_object()) {
    take(printed, "case", r.printed.where);
    take(printed, "first_lines", r.printed.first_lines);
    take(printed, "lines", r.printed.lines);
    take(printed, "bytes", r.printed.bytes);
  }
  r.counts = read_counts(member_of(object, "counts"));
  if (const json& versions = member_of(object, "versions"); versions.is_object()) {
    take(versions, "course", r.version_course);
    take(versions, "cuda", r.version_cuda);
    take(versions, "driver", r.version_driver);
  }
  return r;
}

std::vector<result> read_results(const std::filesystem::path& results_of_tree) {
  std::vector<result> results;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(results_of_tree, error)) {
    if (entry.path().extension() != ".json") continue;
    if (auto r = read_result(entry.path())) results.push_back(std::move(*r));
  }
  std::sort(results.begin(), results.end(), [](const result& a, const result& b) {
    return std::tie(a.chapter, a.exercise, b.kind) <
           std::tie(b.chapter, b.exercise, a.kind);  // correctness before bandwidth
  });
  return results;
}

}  // namespace course::reports
