/// @file
/// See measured_variants.hpp.
#include "cli/measured_variants.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <nlohmann/json.hpp>

#include "build/plugin_builder.hpp"
#include "build/process.hpp"
#include "build/variant_source.hpp"
#include "grading/judge_run.hpp"
#include "records/files.hpp"
#include "records/tree.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Longest that one judge may measure.
constexpr double kMeasuringTimeoutSeconds = 300;

}  // namespace

std::vector<measured_variant> ladder_of(const build_folder& build, const exercise_id& exercise) {
  const fs::path solution = build.solution_folder(exercise);
  std::vector<measured_variant> all{{"starter", build.exercise_folder(exercise) / (exercise.name + ".cu")},
                                    {"plain", solution / "plain.cu"},
                                    {"reference", solution / (exercise.name + ".cu")}};
  for (const fs::path& file : variants_in(solution / "wrong")) {
    const std::string first = read_file(file).value_or("").substr(0, 120);
    const std::string line = first.substr(0, first.find('\n'));
    if (line.find("too_slow") != std::string::npos || line.find("wasteful") != std::string::npos)
      all.push_back({file.stem().string(), file});
  }
  std::error_code error;
  std::erase_if(all, [&](const measured_variant& one) { return !fs::exists(one.source, error); });
  return all;
}

std::vector<measured_variant> references_of(const build_folder& build, const exercise_id& exercise) {
  const fs::path solution = build.solution_folder(exercise);
  std::vector<measured_variant> all{{"reference", solution / (exercise.name + ".cu")}};
  for (const fs::path& file : variants_in(solution / "library"))
    all.push_back({"library." + file.stem().string(), file});
  return all;
}

json measure_variant(const build_folder& build, const exercise_id& exercise, const measured_variant& variant,
                     const std::string& device) {
  const std::string text = variant_source(variant.source, build.solution_folder(exercise) / "plain.cu");
  const tree graded =
      tree_of_one(build, fmt::format("measured.{}.{}", exercise.judge(), variant.name), exercise, text);
  std::vector<tree> trees = baselines(build, graded, exercise);
  trees.insert(trees.begin(), graded);
  std::vector<plugin_record> made;
  for (const tree& one : trees) made.push_back(build_plugin(build, one, exercise));
  for (const plugin_record& one : made) {
    if (one.status == "ok") continue;
    fmt::print("  {}: {}\n", variant.name, one.message);
    return nullptr;
  }
  const process_result judge =
      run_judge(build, graded, exercise, "bandwidth", device, kMeasuringTimeoutSeconds);
  const auto result = read_file(result_file(build, graded, exercise, "bandwidth"));
  if (!judge.started || !result) {
    fmt::print("  {}: the judge left no result{}\n", variant.name,
               judge.timed_out ? ", it was stopped after its time was up" : "");
    return nullptr;
  }
  return json::parse(*result, nullptr, false);
}

json machine_record(const build_folder& build, const json& a_result) {
  json record{{"date", today()},
              {"device", a_result.value("device", "")},
              {"device_name", a_result.value("device_name", "")},
              {"versions", a_result.value("versions", json::object())},
              {"nvcc", build.config().nvcc_version}};
  process_request request;
  request.command = {"nvidia-smi", "--format=csv,noheader,nounits",
                     "--query-gpu=clocks.sm,clocks.mem,clocks.max.sm,temperature.gpu,power.draw,clocks_event_"
                     "reasons.active"};
  request.timeout_seconds = 20;
  if (const process_result smi = run_process(request); smi.ok())
    record["nvidia_smi"] = {
        {"fields", "sm MHz, memory MHz, sm at most MHz, degrees C, W, clock event reasons"},
        {"values", smi.output.substr(0, smi.output.find('\n'))}};
  return record;
}

std::string card_slug(const std::string& device_name) {
  std::string slug;
  for (const char c : device_name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter)) {
      slug += static_cast<char>(std::tolower(letter));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "unknown" : slug;
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace course::cli
