/// @file
/// See margins.hpp.
#include "pages/margins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "pages/task_tables.hpp"

namespace course::pages {
namespace {

constexpr double kPlainClears = 0.08, kSlowMisses = 0.08;
constexpr double kErrorBand = 0.12;  ///< of the modelled clock

/// Slow programs are those that were made to be: their names say so (CONTRIBUTING.md), and starters that are.
bool made_slow(const std::string& variant) {
  return variant == "starter" || variant.starts_with("slow_") || variant.starts_with("wasteful_");
}

}  // namespace

std::vector<gap> gaps_of(const std::string& exercise, const speed_gate& gate,
                         const std::vector<recorded_speed>& speeds, double slow_enough) {
  struct program {
    double slowest = INFINITY;
    bool wasteful = false;
  };
  std::map<std::string, std::map<std::string, program>> cards;
  for (const recorded_speed& one : speeds) {
    if (!gate.benchmark.empty() && one.benchmark != gate.benchmark) continue;
    program& p = cards[one.card][one.variant];
    p.slowest = std::min(p.slowest, one.ratio);
    p.wasteful |= one.verdict == "wasteful" || one.misses_idea;
  }
  std::vector<gap> all;
  for (const auto& [card, programs] : cards) {
    gap found{card, true, {}};
    const std::string where =
        fmt::format("{}{}, {}", exercise, gate.benchmark.empty() ? "" : ", " + gate.benchmark, card);
    if (const auto plain = programs.find("plain"); plain != programs.end()) {
      const double clears = plain->second.slowest / gate.at_least - 1;
      if (clears < kPlainClears)
        found.complaints.push_back(
            fmt::format("{}: plain reaches {:.2f} and must clear the pass gate of {:.2f} by {:.0f} %.", where,
                        plain->second.slowest, gate.at_least, 100 * kPlainClears));
    }
    bool any_slow = false, any_below = false;
    for (const auto& [name, p] : programs) {
      if (!made_slow(name)) continue;
      any_slow = true;
      any_below |= p.slowest < gate.at_least;
      if (p.wasteful || p.slowest <= (1 - slow_enough) * gate.at_least) continue;
      found.complaints.push_back(fmt::format(
          "{}: {} reaches {:.2f}: it must miss the pass gate of {:.2f} by {:.0f} %, or an idea gate.", where,
          name, p.slowest, gate.at_least, 100 * slow_enough));
    }
    found.has_teeth = !any_slow || any_below;
    all.push_back(std::move(found));
  }
  return all;
}

void check_gaps(const build_folder& build, std::vector<std::string>& sentences,
                std::vector<toothless_gate>& toothless) {
  for (const exercise_id& exercise : build.config().exercises) {
    if (exercise.is_drill()) continue;
    const auto description = description_of(build, exercise);
    for (const auto& gate : description.at("gates")) {
      if (gate.value("metric", "") != "speed" || gate.value("kind", "") != "pass" ||
          !gate["at_least"].is_number())
        continue;
      const speed_gate asked{gate.value("benchmark", ""), gate["at_least"].get<double>()};
      for (const auto& [where, band] :
           {std::pair{recorded_on::card, kSlowMisses}, {recorded_on::simulator, kErrorBand}}) {
        for (gap& found :
             gaps_of(exercise.name, asked, recorded_speeds(build, exercise, nullptr, where), band)) {
          sentences.insert(sentences.end(), found.complaints.begin(), found.complaints.end());
          if (!found.has_teeth)
            toothless.push_back({found.card, exercise.name, asked.benchmark, asked.at_least});
        }
      }
    }
  }
}

}  // namespace course::pages
