/// @file
/// See gate_check.hpp.
#include "judge/gate_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "judge/explain.hpp"
#include "records/quantities.hpp"

namespace course {
namespace {

struct checked {
  gate_result shown;
  std::optional<judgement> missed;
  double share = 1;  // of what a pass gate asks for: with several benchmarks the worst is told
};

gate_result shown_of(const gate& which, const benchmark& of) {
  gate_result shown;
  shown.name = which.measures->name;
  shown.benchmark = of.name;
  shown.kind = name_of(which.means);
  shown.unit = which.measures->unit;
  shown.wanted = to_string(which.within);
  const bool from_below = which.within.least > -std::numeric_limits<double>::infinity();
  shown.relation = from_below ? ">=" : "<=";
  shown.threshold = from_below ? which.within.least : which.within.most;
  return shown;
}

// Speed against a pass gate or a limit mark.
checked check_speed(const gate& which, const benchmark& of, const benchmark_run& run,
                    std::vector<std::string>& remarks) {
  checked found{shown_of(which, of), {}};
  auto& shown = found.shown;
  if (!run.measured) {
    shown.counted = false;
    shown.note = "not timed here";
    return found;
  }
  const auto& m = *run.measured;
  const double threshold = which.within.least;
  shown.value = m.ratio.ratio;
  shown.modelled = m.modelled;
  shown.unit = "of the " + m.baseline;
  shown.met = which.within.holds(m.ratio.ratio);
  if (threshold > 0) found.share = m.ratio.ratio / threshold;
  if (which.means == consequence::limit) return found;
  const auto where = of.name.empty() ? std::string() : of.name + ": ";
  const auto slow = [&] {
    const auto why = explain(run.report, run.asked);
    found.missed.emplace();
    found.missed->outcome = verdict::too_slow;
    found.missed->cause = why.cause;
    found.missed->at = why.at;
    found.missed->headline = fmt::format("{}{} of the {}'s speed, {} are needed: {}", where,
                                         whole_percent_text_beside(m.ratio.ratio, threshold), m.baseline,
                                         whole_percent_text(threshold), why.sentence);
    found.missed->details = why.more;
  };
  if (m.modelled) {
    if (!m.decides && m.ratio.ratio >= threshold * m.refuses) {
      shown.met = true;
      shown.note = "the simulated GPU's clock cannot judge this one: confirm on a GPU";
    } else if (!m.decides) {
      slow();
      found.missed->can_wait = true;  // a counter that is missed says more than a coarse clock
    } else if (m.ratio.ratio < threshold * (1 - kModelError)) {
      slow();
    } else if (m.ratio.ratio < threshold) {
      shown.met = true;
      shown.note = fmt::format("within the model's error of {:.0f} %: confirm on a GPU", 100 * kModelError);
      remarks.push_back("The modelled time lies within the model's error of the gate: confirm on a GPU.");
    }
    return found;
  }
  const auto decided = statistics::decide(m.ratio, threshold);
  if (!decided) {
    shown.met = false;
    shown.note = "inside the interval";
    found.missed.emplace();
    found.missed->outcome = verdict::inconclusive;
    found.missed->cause = cause::noise;
    found.missed->headline =
        fmt::format("{}too close to call on this machine: {:.3f} to {:.3f} of the {}, and the gate is {:.2f}",
                    where, m.ratio.low, m.ratio.high, m.baseline, threshold);
  } else if (!*decided) {
    slow();
  }
  return found;
}

checked check_count(const gate& which, const benchmark& of, const benchmark_run& run,
                    std::string_view exercise) {
  checked found{shown_of(which, of), {}};
  auto& shown = found.shown;
  const auto& metric = *which.measures;
  reading seen{.counted = false};
  if (run.counted) seen = metric.evaluate({run.report, run.before, run.asked, exercise, run.sizes});
  shown.value = seen.value;
  shown.counted = seen.counted;
  shown.note = metric.from == origin::compiler ? "as ptxas says" : "counted on the simulated GPU";
  shown.met = seen.counted && which.within.holds(seen.value);
  const bool hopeless = !run.counted || (!seen.counted && metric.of_nothing == when_nothing::inconclusive);
  if (!seen.counted && !hopeless) {
    shown.met = metric.of_nothing == when_nothing::met;
    shown.note = "nothing of the kind happened";
  }
  if (shown.met) return found;
  const auto where = of.name.empty() ? std::string() : of.name + ": ";
  found.missed.emplace();
  if (hopeless) {
    shown.note = "could not be counted";
    found.missed->outcome = verdict::inconclusive;
    found.missed->cause = cause::not_evaluated;
    found.missed->headline = fmt::format(
        "{}right, but {} could not be counted here, and the verdict hangs on it", where, metric.explains);
    return found;
  }
  found.missed->outcome = verdict::wasteful;
  found.missed->cause = seen.cause.empty() ? cause::off_the_idea : seen.cause;
  found.missed->at = seen.at;
  const auto what = !seen.counted           ? fmt::format("there is nothing to count: {}", metric.explains)
                    : seen.sentence.empty() ? fmt::format("{} {} where {} is asked ({})", metric.name,
                                                          number_text_beside(shown.value, shown.threshold),
                                                          shown.wanted, metric.explains)
                                            : seen.sentence;
  found.missed->reason = where + what;
  found.missed->headline = "right, but wasteful: " + found.missed->reason;
  if (!which.lesson.empty()) found.missed->details.emplace_back(which.lesson);
  return found;
}

checked check_one(const gate& which, const benchmark& of, const benchmark_run& run, std::string_view exercise,
                  std::vector<std::string>& remarks) {
  return which.measures == &metrics::speed ? check_speed(which, of, run, remarks)
                                           : check_count(which, of, run, exercise);
}

bool has_no_teeth(const gate& which, std::string_view exercise,
                  const std::vector<toothless_gate>& without_teeth) {
  return std::any_of(without_teeth.begin(), without_teeth.end(), [&](const toothless_gate& one) {
    return one.exercise == exercise && one.benchmark == which.on && one.at_least == which.within.least;
  });
}

// What decides first: slow, then wasteful, then not to be decided.
int rank(const judgement& one) {
  return one.can_wait ? 3 : one.outcome == verdict::too_slow ? 0 : one.outcome == verdict::wasteful ? 1 : 2;
}

}  // namespace

std::optional<judgement> check_gates(const exercise& what, const std::vector<gate>& gates,
                                     const std::vector<benchmark_run>& runs, std::string_view exercise,
                                     result& into, const std::vector<toothless_gate>& without_teeth) {
  std::optional<judgement> worst, wasteful;
  std::size_t marks = 0, marks_met = 0;
  double share = 1;  // of the worst
  for (const auto& which : gates) {
    for (std::size_t index = 0; index < runs.size(); ++index) {
      const auto& of = what.benchmarks[index];
      if (!which.on.empty() && which.on != of.name) continue;
      auto found = check_one(which, of, runs[index], exercise, into.details);
      for (const auto& other : which.or_else) {
        if (found.shown.met) break;
        auto instead = check_one(other, of, runs[index], exercise, into.details);
        if (instead.shown.met) found = std::move(instead);
      }
      if (which.means == consequence::pass && found.shown.counted && !found.shown.modelled &&
          has_no_teeth(which, exercise, without_teeth)) {
        found.shown.note = "no teeth on this card: slow programs clear it, so it does not count";
        found.shown.met = found.shown.toothless = true;
        found.missed.reset();
      }
      into.gates.push_back(found.shown);
      if (which.means == consequence::limit) {
        ++marks;
        marks_met += found.shown.met;
        continue;
      }
      if (!found.missed) continue;
      if (found.missed->outcome == verdict::wasteful && !wasteful) wasteful = found.missed;
      const int place = rank(*found.missed);
      const bool slower = place == 0 && worst && rank(*worst) == 0 && found.share < share;
      if (worst && place >= rank(*worst) && !slower) continue;
      worst = std::move(found.missed);
      share = found.share;
    }
  }
  into.at_the_limit = marks > 0 && marks == marks_met;
  // Too slow is said first, but an idea gate knows the reason better.
  if (worst && worst->outcome == verdict::too_slow && wasteful) {
    if (worst->headline.find(wasteful->reason) == std::string::npos)
      worst->details.insert(worst->details.begin(), "also " + wasteful->reason);
    if (worst->cause == cause::unknown_bottleneck) {
      worst->cause = wasteful->cause;
      worst->at = wasteful->at;
    }
  }
  return worst;
}

}  // namespace course
