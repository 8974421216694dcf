/// @file
/// `course calibrate`: the ladder of each exercise (starter, plain, reference, slow and wasteful variants) on the card at hand, as JSON.
/// `course bench`: the references against the copy ceiling and against libraries, in one run. Both measure with the judges.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/calibrate.hpp"
#include "cli/measured_variants.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "records/json_fields.hpp"
#include "records/quantities.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ordered = nlohmann::ordered_json;

/// "4.17 TB/s", scaled to a whole card where a slice was simulated.
std::string rate(const json& m, const char* key) {
  const double slice = number_of(m, "slice");
  return rate_text(number_of(m, key) * (slice > 0 ? slice : 1), m.value("unit", "B"));
}

void print_row(const std::string& variant, const json& result) {
  const auto verdict = result.value("verdict", "");
  const auto measurements = result.value("measurements", json::array());
  if (measurements.empty()) fmt::print("  {:<34} {:>8} {:>14}  {}\n", variant, "-", "-", verdict);
  for (const auto& m : measurements) {
    const auto benchmark = m.value("benchmark", "");
    fmt::print("  {:<34} {:>8.3f} {:>14}  {}{}\n",
               benchmark.empty() ? variant : fmt::format("{}, {}", variant, benchmark), number_of(m, "ratio"),
               rate(m, "student_per_second"), verdict, m.value("modelled", false) ? " (modelled)" : "");
  }
  std::fflush(stdout);
}

ordered row_of(const std::string& variant, const json& result) {
  return {{"variant", variant},
          {"source_sha256", result.value("source_sha256", "")},
          {"verdict", result.value("verdict", "")},
          {"cause", result.value("cause", "")},
          {"gates", result.value("gates", json::array())},
          {"measurements", result.value("measurements", json::array())}};
}

}  // namespace

int calibrate(const build_folder& build, const calibrate_options& options) {
  bool complete = true;
  for (const exercise_id& exercise : select_exercises(build, options.words)) {
    if (exercise.is_drill()) continue;
    fmt::print("{}\n  {:<34} {:>8} {:>14}  {}\n", exercise.name, "variant", "ratio", "rate", "verdict");
    ordered rows = ordered::array();
    json machine;
    for (const measured_variant& variant : ladder_of(build, exercise)) {
      const json result = measure_variant(build, exercise, variant, options.device);
      complete &= !result.is_null();
      if (result.is_null()) continue;
      print_row(variant.name, result);
      rows.push_back(row_of(variant.name, result));
      machine = machine_record(build, result);
    }
    if (rows.empty()) continue;
    const fs::path folder =
        options.folder.empty()
            ? build.source_dir() / "results" / (card_slug(machine.value("device_name", "")) + "-" + today())
            : fs::path(options.folder);
    const fs::path file = folder / (exercise.name + ".json");
    const ordered record{{"schema", "course.calibration/1"},
                         {"chapter", exercise.chapter},
                         {"exercise", exercise.name},
                         {"machine", machine},
                         {"command", "course calibrate " + exercise.name +
                                         (options.device == "auto" ? "" : " --device " + options.device)},
                         {"variants", rows}};
    write_file_atomically(file, record.dump(1) + "\n");
    fmt::print("  -> {}\n", file.string());
  }
  return complete ? 0 : 1;
}

int bench(const build_folder& build, const calibrate_options& options) {
  bool complete = true;
  const exercise_id* const ceiling = build.find("fixture_exercises", "copy_ceiling");
  ordered rows = ordered::array();
  json machine;
  double best_copy = 0;
  fmt::print("{:<22} {:<34} {:>14} {:>10} {:>12}\n", "exercise", "program", "rate", "of copy",
             "of reference");
  const auto measure = [&](const exercise_id& exercise, const measured_variant& variant) {
    const json result = measure_variant(build, exercise, variant, options.device);
    complete &= !result.is_null();
    if (result.is_null()) return;
    machine = machine_record(build, result);
    ordered row = row_of(variant.name, result);
    row["exercise"] = exercise.name;
    for (auto& m : row["measurements"]) {
      const double per_second = number_of(m, "student_per_second");
      if (&exercise == ceiling) best_copy = std::max(best_copy, per_second);
      const bool bytes = m.value("unit", "B") == "B";
      if (best_copy > 0 && bytes) m["share_of_copy"] = per_second / best_copy;
      const auto benchmark = m.value("benchmark", "");
      fmt::print("{:<22} {:<34} {:>14} {:>10} {:>12.3f}\n", exercise.name,
                 benchmark.empty() ? variant.name : variant.name + ", " + benchmark,
                 rate(m, "student_per_second"),
                 best_copy > 0 && bytes ? fmt::format("{:.3f}", per_second / best_copy) : "-",
                 number_of(m, "ratio"));
      std::fflush(stdout);
    }
    rows.push_back(std::move(row));
  };
  // The ceiling first, so that all later rows are shares of it, and once more at the end: a card's clock drifts.
  if (ceiling) {
    for (const measured_variant& variant : references_of(build, *ceiling)) measure(*ceiling, variant);
  }
  for (const exercise_id& exercise : select_exercises(build, options.words)) {
    if (exercise.is_drill()) continue;
    for (const measured_variant& variant : references_of(build, exercise)) measure(exercise, variant);
  }
  if (rows.empty()) return 1;
  const fs::path folder =
      options.folder.empty()
          ? build.source_dir() / "results" / (card_slug(machine.value("device_name", "")) + "-" + today())
          : fs::path(options.folder);
  const ordered record{
      {"schema", "course.bench/1"}, {"machine", machine}, {"command", "course bench"}, {"programs", rows}};
  write_file_atomically(folder / "bench.json", record.dump(1) + "\n");
  fmt::print("-> {}\n", (folder / "bench.json").string());
  return complete ? 0 : 1;
}

}  // namespace course::cli
