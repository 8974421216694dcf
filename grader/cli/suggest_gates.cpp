/// @file
/// `course suggest-gates`: a pass gate and a limit mark from recorded runs, with the programs that decide and their margins.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/commands.hpp"
#include "cli/selection.hpp"
#include "pages/margins.hpp"
#include "pages/records.hpp"
#include "records/files.hpp"
#include "records/no_teeth.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

/// Plain clears a pass gate by this much, a slow program misses it by this much.
constexpr double kMargin = 0.08;
/// A limit mark is at most this share of the reference, so that noise does not hide it.
constexpr double kHighestLimit = 0.97;

/// A program's slowest benchmark.
struct rung {
  std::string variant, verdict, benchmark;
  double ratio = INFINITY;
};

double floored(double value) {
  return std::floor(value * 100 + 1e-9) / 100;
}

void suggest(const std::string& card, const std::vector<rung>& rungs) {
  fmt::print("{}\n", card);
  std::vector<std::vector<std::string>> rows{{"program", "share of reference", "verdict then"}};
  for (const rung& one : rungs)
    rows.push_back({one.variant + (one.benchmark.empty() ? "" : ", " + one.benchmark),
                    fmt::format("{:.3f}", one.ratio), one.verdict});
  fmt::print("{}", reports::render_table(
                       rows, [](std::size_t, std::size_t, const std::string& cell) { return cell; }));
  const auto plain =
      std::find_if(rungs.begin(), rungs.end(), [](const rung& one) { return one.variant == "plain"; });
  if (plain == rungs.end()) {
    fmt::print("  No gate can be proposed: plain.cu is not recorded.\n");
    return;
  }
  const double highest = plain->ratio / (1 + kMargin);
  // The fastest program that a gate below plain can still refuse; faster ones are for idea gates.
  const rung* slow = nullptr;
  std::vector<const rung*> for_ideas;
  for (const rung& one : rungs) {
    if (one.variant == "plain" || one.variant == "reference" || one.variant.starts_with("library.")) continue;
    if (one.ratio > highest * (1 - kMargin)) {
      for_ideas.push_back(&one);
    } else if (!slow || one.ratio > slow->ratio) {
      slow = &one;
    }
  }
  const double lowest = slow ? slow->ratio / (1 - kMargin) : 0;
  const double gate = slow ? std::clamp(std::round(std::sqrt(lowest * highest) * 100) / 100, lowest, highest)
                           : floored(highest);
  fmt::print("  pass   at_least({:.2f})   plain clears it by {:.0f} %", gate,
             (plain->ratio / gate - 1) * 100);
  if (slow) {
    fmt::print(", {} misses it by {:.0f} %: {} decides from below\n", slow->variant,
               (1 - slow->ratio / gate) * 100, slow->variant);
  } else {
    fmt::print("; no slow program is recorded below it, so plain alone decides\n");
  }
  if (plain->ratio >= kHighestLimit) {
    fmt::print(
        "  limit  at_least({:.2f})   plain reaches it too: this card has nothing to gain beyond plain\n",
        kHighestLimit);
  } else {
    // Between plain and the reference, and out of plain's reach.
    const double limit = std::min(
        kHighestLimit, std::max(floored(std::sqrt(plain->ratio * kHighestLimit)), plain->ratio * 1.02));
    fmt::print("  limit  at_least({:.2f})   plain lacks {:.0f} %\n", limit, (1 - plain->ratio / limit) * 100);
  }
  for (const rung* one : for_ideas)
    fmt::print("  {} reaches {:.2f}: no pass gate refuses it, an idea gate must{}\n", one->variant,
               one->ratio, one->verdict == "wasteful" ? " (and did)" : "");
}

}  // namespace

int check_margins(const build_folder& build, bool write) {
  std::vector<std::string> sentences;
  std::vector<toothless_gate> toothless;
  pages::check_gaps(build, sentences, toothless);
  for (const auto& one : toothless)
    fmt::print("{}{}: the pass gate of {:.2f} has no teeth on {}: every slow program clears it\n",
               one.exercise, one.benchmark.empty() ? "" : ", " + one.benchmark, one.at_least, one.card);
  const auto file = no_teeth_file(build.source_dir());
  if (write) {
    write_file_atomically(file, no_teeth_text(toothless));
  } else if (read_no_teeth(build.source_dir()) != toothless) {
    sentences.push_back(
        fmt::format("{} is not what the records say: `course check-margins --write` writes it.",
                    file.lexically_relative(build.source_dir()).string()));
  }
  for (const auto& sentence : sentences) fmt::print("{}\n", sentence);
  if (sentences.empty()) fmt::print("All recorded programs keep their distance from the pass gates.\n");
  return sentences.empty() ? 0 : 1;
}

int suggest_gates(const build_folder& build, const std::string& word) {
  const exercise_id exercise = select_one(build, word);
  if (exercise.is_drill())
    throw environment_error(fmt::format("{} is a drill: it has no gates.", exercise.name));
  int changed = 0;
  const auto speeds = pages::recorded_speeds(build, exercise, &changed);
  std::map<std::string, std::map<std::string, rung>> cards;
  for (const auto& one : speeds) {
    rung& slowest = cards[fmt::format("{}, {}", one.card, one.date)][one.variant];
    if (one.ratio < slowest.ratio) slowest = {one.variant, one.verdict, one.benchmark, one.ratio};
  }
  for (const auto& [card, programs] : cards) {
    std::vector<rung> rungs;
    for (const auto& [variant, one] : programs) rungs.push_back(one);
    std::sort(rungs.begin(), rungs.end(), [](const rung& a, const rung& b) { return a.ratio < b.ratio; });
    suggest(card, rungs);
  }
  if (changed > 0)
    fmt::print("{} recorded figures are of programs that have changed since, and count for nothing.\n",
               changed);
  if (cards.empty()) {
    fmt::print(
        "No run of {0} is recorded: `./course calibrate {0}` on a GPU records its ladder in results/.\n",
        exercise.name);
    return 1;
  }
  return 0;
}

}  // namespace course::cli
