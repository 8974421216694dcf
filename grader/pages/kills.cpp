/// @file
/// See kills.hpp.
#include "pages/kills.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "build/variant_source.hpp"
#include "pages/markdown.hpp"
#include "pages/records.hpp"
#include "pages/task_tables.hpp"
#include "records/files.hpp"
#include "records/no_teeth.hpp"

namespace course::pages {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// "race|deadlock cause" of "// expect: race|deadlock cause" as "`race` or `deadlock`, `cause`".
std::string verdicts_text(const std::string& first_line) {
  const auto at = first_line.find("expect:");
  if (at == std::string::npos) return "";
  std::istringstream in(first_line.substr(at + 7));
  std::string text;
  for (std::string word; in >> word;) {
    std::string alternatives;
    std::istringstream parts(word);
    for (std::string one; std::getline(parts, one, '|');)
      alternatives += (alternatives.empty() ? "`" : " or `") + one + "`";
    text += (text.empty() ? "" : ", ") + alternatives;
  }
  return text;
}

std::string first_line_of(const fs::path& file) {
  const auto text = read_file(file).value_or("");
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::string kills_block(const build_folder& build) {
  std::string text;
  std::string chapter;
  table kills({"exercise", "wrong program", "verdict that it must get"});
  double programs = 0;
  for (const auto& exercise : build.config().exercises) {
    const fs::path folder = build.solution_folder(exercise) / "wrong";
    std::vector<fs::path> files = variants_in(folder);
    if (exercise.is_drill()) {
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
      std::sort(files.begin(), files.end());
    }
    for (const auto& file : files) {
      kills.add({exercise.name, "`" + file.stem().string() + "`", verdicts_text(first_line_of(file))});
      ++programs;
    }
  }
  return fmt::format("{} programs, each a mistake that a reader could make or a way round the idea:\n\n{}",
                     number(programs), kills.text());
}

std::string margins_block(const build_folder& build) {
  table rows(
      {"exercise", "gate", "wanted>", "nearest above", "clears it by>", "nearest below", "misses it by>"});
  for (const auto& exercise : build.config().exercises) {
    if (exercise.is_drill()) continue;
    const auto description = description_of(build, exercise);
    const auto speeds = recorded_speeds(build, exercise);
    for (const auto& gate : description.at("gates")) {
      if (gate.value("metric", "") != "speed" || !gate["at_least"].is_number()) continue;
      const double wanted = gate["at_least"].get<double>();
      const auto only = gate.value("benchmark", "");
      // A program must be fast enough in every benchmark, so its slowest one counts.
      std::map<std::string, double> slowest;
      for (const auto& one : speeds) {
        if ((!only.empty() && one.benchmark != only) || one.variant.starts_with("library.")) continue;
        const auto [at, fresh] = slowest.try_emplace(one.variant, one.ratio);
        if (!fresh) at->second = std::min(at->second, one.ratio);
      }
      std::string above = "-", below = "-";
      double least_above = INFINITY, most_below = -INFINITY;
      for (const auto& [variant, ratio] : slowest) {
        if (ratio >= wanted && ratio < least_above)
          least_above = ratio, above = fmt::format("`{}`, {}", variant, fixed(ratio, 2));
        if (ratio < wanted && ratio > most_below)
          most_below = ratio, below = fmt::format("`{}`, {}", variant, fixed(ratio, 2));
      }
      rows.add({exercise.name + (only.empty() ? "" : ", `" + only + "`"), gate.value("kind", ""),
                fixed(wanted, 2), above,
                std::isfinite(least_above) ? fmt::format("{:.0f} %", (least_above / wanted - 1) * 100) : "-",
                below,
                std::isfinite(most_below) ? fmt::format("{:.0f} %", (1 - most_below / wanted) * 100) : "-"});
    }
  }
  std::string text = rows.text();
  std::map<std::string, std::vector<std::string>> by_card;
  for (const auto& one : read_no_teeth(build.source_dir()))
    by_card[one.card].push_back(one.exercise + (one.benchmark.empty() ? "" : ", `" + one.benchmark + "`"));
  for (const auto& [card, gates] : by_card)
    text += fmt::format("\nNo teeth on {}: the pass gate{} of {}.\n", card, gates.size() == 1 ? "" : "s",
                        in_words(gates));
  return text;
}

}  // namespace course::pages
