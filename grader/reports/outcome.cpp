/// @file
/// Implementation of outcome.hpp.
#include "reports/outcome.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "records/verdict.hpp"

namespace course::reports {

const result* outcome::decisive() const {
  if (correctness && correctness->verdict != "pass") return &*correctness;
  if (bandwidth) return &*bandwidth;
  return correctness ? &*correctness : nullptr;
}

const printed_output& outcome::printed() const {
  static const printed_output kNothing;
  const result* of = decisive();
  if (of && of->printed.where.empty() && correctness) of = &*correctness;
  return of ? of->printed : kNothing;
}

outcome join_results(const exercise_id& exercise, const std::vector<result>& results,
                     const std::string& run) {
  outcome joined;
  joined.exercise = exercise;
  for (const result& r : results) {
    if (r.chapter != exercise.chapter || r.exercise != exercise.name || (!run.empty() && r.run != run))
      continue;
    (r.kind == "bandwidth" ? joined.bandwidth : joined.correctness) = r;
  }
  // A bandwidth result that is older than the correctness result beside it belongs to an earlier state of the
  // file.
  if (joined.correctness && joined.bandwidth && joined.bandwidth->started_at < joined.correctness->started_at)
    joined.bandwidth.reset();
  if (const result* decisive = joined.decisive()) {
    joined.verdict = decisive->verdict;
    joined.cause = decisive->cause;
    joined.headline = decisive->headline;
    joined.location = decisive->location;
    joined.at_the_limit = decisive->at_the_limit;
    // A drill's answers are all there is of it.
    joined.complete = decisive->kind == "bandwidth" || decisive->verdict != "pass" || exercise.is_drill();
  }
  return joined;
}

const gate* telling_gate(const result& r) {
  // Speeds of several benchmarks have one gate each: the worst tells, as in the verdict's sentence.
  const auto is_speed = [](const gate& g) {
    return g.kind == "pass" && g.name == "speed" && g.threshold > 0;
  };
  const auto worse = [&](const gate& g, const gate& than) {
    return is_speed(g) && is_speed(than) && g.value / g.threshold < than.value / than.threshold;
  };
  const gate *missed = nullptr, *met = nullptr;
  for (const gate& g : r.gates) {
    if (g.kind == "limit") continue;
    if (!g.met) {
      if (!missed || worse(g, *missed)) missed = &g;
    } else if (!met || (g.kind == "pass" && (met->kind != "pass" || worse(g, *met)))) {
      met = &g;
    }
  }
  return missed ? missed : met;
}

const measurement* telling_measurement(const result& r) {
  const gate* const shown = telling_gate(r);
  if (shown && shown->name == "speed") {
    for (const measurement& m : r.measurements)
      if (m.benchmark == shown->benchmark && m.ratio > 0) return &m;
  }
  return r.measured && r.measured->ratio > 0 ? &*r.measured : nullptr;
}

bool refuse_modelled_speed(outcome& graded) {
  const bool decided_by_speed =
      graded.verdict == name_of(verdict::pass) || graded.verdict == name_of(verdict::too_slow);
  if (!decided_by_speed || !graded.bandwidth) return false;
  const auto& gates = graded.bandwidth->gates;
  const bool modelled = std::any_of(gates.begin(), gates.end(), [](const gate& one) {
    return one.name == "speed" && one.kind == "pass" && one.modelled;
  });
  if (!modelled) return false;
  graded.verdict = name_of(verdict::inconclusive);
  graded.cause = cause::modelled_speed;
  graded.headline =
      "Its speed was modelled by the simulated GPU, and --require-measured wants it measured: grade it on a "
      "machine with a GPU.";
  graded.location = {};
  graded.at_the_limit = false;
  return true;
}

namespace {

/// Why an exercise has no bandwidth result of this grading.
std::string why_no_bandwidth(const outcome& o) {
  if (!o.correctness) return "the judge left no result";
  if (o.correctness->verdict != "pass")
    return "speed is graded once the answer is right, and correctness is " + o.correctness->verdict;
  return "it was not part of this grading";
}

nlohmann::json part_json(const std::optional<result>& part, const std::string& why_none) {
  if (!part) return {{"verdict", nullptr}, {"reason", why_none}};
  nlohmann::json entry = {{"verdict", part->verdict},
                          {"device", part->device},
                          {"modelled", part->modelled},
                          {"file", part->path.string()}};
  if (part->measured) entry["ratio"] = part->measured->ratio;
  return entry;
}

}  // namespace

nlohmann::json grade_summary(const std::vector<outcome>& outcomes, const tree& graded) {
  using nlohmann::json;
  json rows = json::array();
  std::map<std::string, int> counts;
  for (const outcome& o : outcomes) {
    ++counts[o.verdict];
    json row = {{"chapter", o.exercise.chapter},  {"label", o.exercise.label}, {"exercise", o.exercise.name},
                {"verdict", o.verdict},           {"cause", o.cause},          {"headline", o.headline},
                {"at_the_limit", o.at_the_limit}, {"results", json::object()}};
    if (o.location.line > 0) row["location"] = {{"file", o.location.file}, {"line", o.location.line}};
    row["results"]["correctness"] = part_json(o.correctness, "the judge left no result");
    if (!o.exercise.is_drill()) row["results"]["bandwidth"] = part_json(o.bandwidth, why_no_bandwidth(o));
    rows.push_back(std::move(row));
  }
  return {{"schema", "course.grade/1"},
          {"tree", graded.path.string()},
          {"tree_id", graded.id},
          {"counts", counts},
          {"exercises", rows}};
}

}  // namespace course::reports
