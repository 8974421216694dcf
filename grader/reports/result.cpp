/// @file
/// Implementation of result.hpp. Fields that are missing keep their defaults: a report shows what there is.
#include "reports/result.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "records/files.hpp"

namespace course::reports {
namespace {

using nlohmann::json;

template <class T>
void take(const json& object, const char* key, T& value) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  try {
    value = found->get<T>();
  } catch (const json::exception&) {
    // another type than expected: as good as missing
  }
}

const json& member(const json& object, const char* key) {
  static const json kNothing = json::object();
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
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
  take(object, "device", r.device);
  take(object, "device_name", r.device_name);
  take(object, "modelled", r.modelled);
  take(object, "seed", r.seed);
  take(object, "started_at", r.started_at);
  take(object, "duration_seconds", r.duration_seconds);
  take(object, "run", r.run);
  take(object, "details", r.details);
  if (const json& location = member(object, "location"); location.is_object()) {
    take(location, "file", r.location.file);
    take(location, "line", r.location.line);
  }
  for (const json& row : member(object, "cases")) {
    if (!row.is_object()) continue;
    case_row c;
    take(row, "name", c.name);
    take(row, "device", c.device);
    take(row, "status", c.status);
    take(row, "message", c.message);
    r.cases.push_back(std::move(c));
  }
  if (const json& printed = member(object, "printed"); printed.is_object()) {
    take(printed, "case", r.printed.where);
    take(printed, "first_lines", r.printed.first_lines);
    take(printed, "lines", r.printed.lines);
    take(printed, "bytes", r.printed.bytes);
  }
  for (const json& row : member(object, "gates")) {
    if (!row.is_object()) continue;
    gate g;
    take(row, "name", g.name);
    take(row, "kind", g.kind);
    take(row, "value", g.value);
    take(row, "threshold", g.threshold);
    take(row, "relation", g.relation);
    take(row, "unit", g.unit);
    take(row, "counted", g.counted);
    take(row, "met", g.met);
    take(row, "modelled", g.modelled);
    take(row, "note", g.note);
    r.gates.push_back(std::move(g));
  }
  if (const json& m = member(object, "measurement"); m.is_object() && !m.empty()) {
    measurement measured;
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
    r.measured = measured;
  }
  if (const json& versions = member(object, "versions"); versions.is_object()) {
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
