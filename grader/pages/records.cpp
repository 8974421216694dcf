/// @file
/// See records.hpp.
#include "pages/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "build/variant_source.hpp"
#include "pages/markdown.hpp"
#include "records/files.hpp"
#include "records/json_fields.hpp"
#include "records/sha256.hpp"
#include "reports/text.hpp"

namespace course::pages {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string table_text(const json& one, const std::string& name) {
  std::vector<std::string> heads;
  const auto columns = one.value("columns", json::array()), rows = one.value("rows", json::array());
  if (columns.empty() || rows.empty())
    throw environment_error(fmt::format("the measured table {} has no columns or no rows.", name));
  for (const auto& column : columns) {
    const auto unit = text_of(column, "unit"), shown = text_of(column, "shown_as");
    const auto printed = shown.empty() ? unit : shown;
    const bool numeric = column.contains("digits") || !unit.empty();
    heads.push_back(text_of(column, "head") + (printed.empty() ? "" : ", " + printed) + (numeric ? ">" : ""));
  }
  table shown(heads);
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const auto& column : columns) {
      const auto value = row.find(text_of(column, "key"));
      if (value == row.end() || value->is_null()) {
        cells.emplace_back("-");
      } else if (value->is_number()) {
        const double scale = scale_of(text_of(column, "unit"), text_of(column, "shown_as"));
        cells.push_back(column.contains("digits")
                            ? fixed(value->get<double>() / scale, column["digits"].get<int>())
                            : number(value->get<double>() / scale));
      } else {
        cells.push_back(value->is_string() ? value->get<std::string>() : value->dump());
      }
    }
    shown.add(cells);
  }
  std::vector<std::string> conditions;
  for (const char* key : {"device", "driver", "toolkit", "date"}) {
    const auto text = text_of(one, key);
    if (text.empty()) continue;
    conditions.push_back((std::string_view(key) == "driver"                                      ? "driver "
                          : std::string_view(key) == "toolkit" && text.find("CUDA") == text.npos ? "CUDA "
                                                                                                 : "") +
                         text);
  }
  std::string foot = fmt::format("{}", fmt::join(conditions, ", "));
  if (const auto command = text_of(one, "command"); !command.empty())
    foot += (foot.empty() ? "" : ". ") + command;
  if (!foot.empty() && !foot.ends_with('.')) foot += ".";
  return shown.text() + (foot.empty() ? "" : "\n*" + foot + "*\n");
}

/// Name of the program that a row is about; empty if it is not one of this exercise's ladder.
std::string variant_of(const json& row, const exercise_id& exercise) {
  auto name = text_of(row, "variant");
  // "chapter1.top_k_registers.wrong.slow_four_walks", "measured.chapter1_registers.top_k_registers.reference", "starter"
  for (const auto& prefix : {exercise.test_prefix() + ".", "measured." + exercise.judge() + "."})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  if (name.starts_with("wrong.")) name.erase(0, 6);
  return name == "solution" ? "reference" : name;
}

fs::path file_of(const build_folder& build, const exercise_id& exercise, const std::string& variant) {
  const fs::path solution = build.solution_folder(exercise);
  if (variant == "starter") return build.exercise_folder(exercise) / (exercise.name + ".cu");
  if (variant == "reference") return solution / (exercise.name + ".cu");
  if (variant == "plain") return solution / "plain.cu";
  if (variant.starts_with("library.")) return solution / "library" / (variant.substr(8) + ".cu");
  std::error_code error;
  const fs::path patch = solution / "wrong" / (variant + ".patch");
  return fs::exists(patch, error) ? patch : solution / "wrong" / (variant + ".cu");
}

/// Rank in the table where speeds are alike.
std::string shown_name(const std::string& variant, const exercise_id& exercise) {
  if (variant == "starter") return "the starter";
  if (variant == "plain") return "`plain.cu`";
  if (variant == "reference") return fmt::format("`{}.cu`, the reference", exercise.name);
  if (variant.starts_with("library.")) return fmt::format("`library/{}.cu`", variant.substr(8));
  return fmt::format("`wrong/{}`", variant);
}

}  // namespace

std::string measured_block(const std::vector<fs::path>& files, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& file : files) {
    const auto text = read_file(file);
    if (!text) continue;
    const auto all = json::parse(*text, nullptr, false);
    if (!all.is_object() || text_of(all, "schema") != "course.measured/1" || !all.contains("tables"))
      throw environment_error(fmt::format("{} is not of the schema course.measured/1.", file.string()));
    const auto found = all["tables"].find(name);
    if (found != all["tables"].end()) return table_text(*found, name);
    for (const auto& [other, ignored] : all["tables"].items()) known.push_back(other);
  }
  throw environment_error(
      known.empty() ? fmt::format("there is no {} with a measured table {}.", files.front().string(), name)
                    : fmt::format("measured.json has no table {}; it has {}.", name, in_words(known)));
}

std::vector<fs::path> measured_records(const build_folder& build) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(build.source_dir() / "results", error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() != ".json") continue;
    const auto text = read_file(at->path()).value_or("");
    // Records of runs are large: only those of this schema are read as JSON.
    if (text.substr(0, 80).find("course.measured/1") != std::string::npos) files.push_back(at->path());
  }
  std::sort(files.rbegin(), files.rend());
  return files;
}

std::vector<recorded_speed> recorded_speeds(const build_folder& build, const exercise_id& exercise,
                                            int* changed, recorded_on where) {
  std::vector<recorded_speed> all;
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(build.source_dir() / "results", error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".json") files.push_back(at->path());
  std::sort(files.begin(), files.end());
  std::map<std::string, std::string> hashes;
  for (const auto& file : files) {
    const auto record = json::parse(read_file(file).value_or(""), nullptr, false);
    if (!record.is_object()) continue;
    const auto machine = record.value("machine", json::object());
    if ((text_of(machine, "device") == "sim") != (where == recorded_on::simulator)) continue;
    const auto rows =
        record.contains("programs") ? record["programs"] : record.value("variants", json::array());
    for (const auto& row : rows) {
      const auto of =
          text_of(row, "exercise").empty() ? text_of(record, "exercise") : text_of(row, "exercise");
      if (of != exercise.name) continue;
      const auto variant = variant_of(row, exercise);
      if (variant.find("hand_in.") != std::string::npos) continue;
      const auto measurements = row.value("measurements", json::array());
      if (measurements.empty()) continue;
      const auto gates = row.value("gates", json::array());
      const bool misses_idea = std::any_of(gates.begin(), gates.end(), [](const json& gate) {
        return text_of(gate, "kind") == "idea" && !gate.value("met", true);
      });
      if (const auto then = text_of(row, "source_sha256"); !then.empty()) {
        auto& now = hashes[variant];
        if (now.empty()) {
          const auto source = file_of(build, exercise, variant);
          now = fs::exists(source, error)
                    ? sha256_hex(variant_source(source, build.solution_folder(exercise) / "plain.cu"))
                    : "gone";
        }
        if (now != then) {
          if (changed) ++*changed;
          continue;
        }
      }
      for (const auto& one : measurements) {
        const auto versions = machine.value("versions", json::object());
        const auto driver =
            text_of(machine, "driver").empty() ? text_of(versions, "driver") : text_of(machine, "driver");
        all.push_back({text_of(machine, "device_name"), text_of(machine, "date"), driver,
                       text_of(machine, "nvcc"),
                       fs::relative(file, build.source_dir(), error).generic_string(), variant,
                       text_of(one, "benchmark"), text_of(row, "verdict"),
                       text_of(one, "unit").empty() ? "B" : text_of(one, "unit"), number_of(one, "ratio"),
                       number_of(one, "student_per_second"), number_of(one, "share_of_copy"), misses_idea});
      }
    }
  }
  return all;
}

std::string ladder_block(const build_folder& build, const exercise_id& exercise) {
  int changed = 0;
  const auto speeds = recorded_speeds(build, exercise, &changed);
  const std::string how = fmt::format("`./course calibrate {}` on a GPU", exercise.name);
  std::string text;
  std::set<std::string> days;
  for (const auto& one : speeds) days.insert(one.card + "\n" + one.date);
  for (const auto& day : days) {
    std::vector<std::string> benchmarks;
    // The latest row of a variant and benchmark counts: bench.json comes before variants.json, and its share of the copy is kept.
    std::map<std::string, std::map<std::string, recorded_speed>> rows;
    recorded_speed any;
    for (const auto& one : speeds) {
      if (one.card + "\n" + one.date != day) continue;
      if (std::find(benchmarks.begin(), benchmarks.end(), one.benchmark) == benchmarks.end())
        benchmarks.push_back(one.benchmark);
      auto& row = rows[one.variant][one.benchmark];
      // One run has both figures: what bench recorded is kept whole.
      if (row.share_of_copy == 0) row = one;
      if (any.driver.size() < one.driver.size()) any = one;
    }
    std::vector<std::string> order;
    for (const auto& [variant, ignored] : rows) order.push_back(variant);
    std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
      return rows[a].begin()->second.ratio < rows[b].begin()->second.ratio;
    });
    std::vector<std::string> heads{"program"};
    // What runs at the host link's pace has nothing to do with a copy within the device.
    const bool copies =
        std::any_of(speeds.begin(), speeds.end(), [](const auto& one) { return one.share_of_copy > 0.1; });
    for (const auto& name : benchmarks) {
      const auto of = name.empty() ? "" : "`" + name + "`, ";
      heads.push_back(of + "share of the reference>");
      heads.push_back(of + "speed>");
      if (copies) heads.push_back(of + "share of a copy>");
    }
    table ladder(heads);
    for (const auto& variant : order) {
      std::vector<std::string> cells{shown_name(variant, exercise)};
      for (const auto& name : benchmarks) {
        const auto found = rows[variant].find(name);
        const bool there = found != rows[variant].end();
        cells.push_back(there ? fixed(found->second.ratio, 2) : "-");
        cells.push_back(there ? rate_text(found->second.per_second, found->second.unit) : "-");
        if (copies)
          cells.push_back(there && found->second.share_of_copy > 0 ? fixed(found->second.share_of_copy, 2)
                                                                   : "-");
      }
      ladder.add(cells);
    }
    text += (text.empty() ? "" : "\n") + ladder.text() +
            fmt::format("\n*{}, driver {}, CUDA {}, {}; recorded in `results/`, measured again by {}.*\n",
                        any.card, any.driver, any.toolkit, any.date, how);
  }
  if (changed > 0)
    text += fmt::format("{}*{} recorded {} of programs that have changed since, and left out.*\n",
                        text.empty() ? "" : "\n", changed, changed == 1 ? "figure is" : "figures are");
  if (speeds.empty())
    text += fmt::format("{}No speed of these programs is recorded yet: {} does it.\n",
                        text.empty() ? "" : "\n", how);
  return text;
}

}  // namespace course::pages
