/// @file
/// See gains.hpp.
#include "pages/gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pages/markdown.hpp"
#include "pages/records.hpp"

namespace course::pages {
namespace {

/// Times, as one reads them: 1.04, 2.6, 18, 402.
std::string times(double factor) {
  return factor < 10 ? fixed(factor, factor < 2 ? 2 : 1) : number(std::round(factor));
}

}  // namespace

std::string gains_block(const build_folder& build) {
  table rows(
      {"chapter>", "exercise", "plain: times the starter's speed>", "reference: times the starter's speed>"});
  std::map<std::string, std::string> conditions;  // card and toolkit -> latest date
  for (const auto& exercise : build.config().exercises) {
    if (exercise.is_drill()) continue;
    std::map<std::string, std::map<std::string, std::map<std::string, recorded_speed>>> cards;
    for (const auto& one : recorded_speeds(build, exercise)) {
      if (!(one.ratio > 0)) continue;
      auto& kept = cards[one.card][one.benchmark][one.variant];  // records come in the order of their dates
      kept = one;
    }
    for (const auto& [card, benchmarks] : cards) {
      double plain = 0, reference = 0;
      std::string date, toolkit;
      for (const auto& [benchmark, programs] : benchmarks) {
        const auto starter = programs.find("starter"), best = programs.find("reference"),
                   simple = programs.find("plain");
        if (starter == programs.end() || best == programs.end()) continue;
        const double gain = best->second.ratio / starter->second.ratio;
        if (reference > 0 && gain >= reference) continue;
        reference = gain;
        plain = simple == programs.end() ? 0 : simple->second.ratio / starter->second.ratio;
        date = best->second.date, toolkit = best->second.toolkit;
      }
      if (reference == 0) continue;
      rows.add({exercise.label.substr(7),
                fmt::format("[{0}](../../exercises/{1}/{0}/README.md)", exercise.name, exercise.chapter),
                plain > 0 ? times(plain) : "-", times(reference)});
      auto& latest = conditions[card + ", CUDA " + toolkit];
      latest = std::max(latest, date);
    }
  }
  std::string text = rows.text();
  for (const auto& [where, date] : conditions)
    text += fmt::format("\n*{}, {} and before; `./course calibrate EXERCISE`.*\n", where, date);
  return text;
}

}  // namespace course::pages
