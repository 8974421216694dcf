/// @file
/// See result.hpp.
#include "judge/result.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "judge/counts.hpp"
#include "records/attempts.hpp"
#include "records/files.hpp"
#include "records/quantities.hpp"

namespace course {
namespace {

using ordered = nlohmann::ordered_json;
namespace fs = std::filesystem;

ordered to_json(const measurement& m) {
  ordered samples = ordered::array();
  for (const auto& one : m.samples)
    samples.push_back(
        {{"student_seconds", one.student_seconds}, {"baseline_seconds", one.reference_seconds}});
  const bool bytes = m.unit == "B";
  return {
      {"benchmark", m.benchmark},
      {"size", m.size},
      {"baseline", m.baseline},
      {"student_seconds", m.student_seconds},
      {"reference_seconds", m.baseline_seconds},
      {"amount", m.amount},
      {"unit", m.unit},
      {"bytes_moved", bytes ? m.amount : 0.0},
      {"student_per_second", m.student_seconds > 0 ? m.amount / m.student_seconds : 0.0},
      {"reference_per_second", m.baseline_seconds > 0 ? m.amount / m.baseline_seconds : 0.0},
      {"student_bytes_per_second", bytes && m.student_seconds > 0 ? m.amount / m.student_seconds : 0.0},
      {"reference_bytes_per_second", bytes && m.baseline_seconds > 0 ? m.amount / m.baseline_seconds : 0.0},
      {"ratio", m.ratio.ratio},
      {"ratio_low", m.ratio.low},
      {"ratio_high", m.ratio.high},
      {"pairs", m.ratio.pairs},
      {"blocks", m.ratio.blocks},
      {"share_of_peak", m.share_of_peak},
      {"modelled", m.modelled},
      {"decides", m.decides},
      {"slice", m.slice},
      {"samples", std::move(samples)},
      {"stage_seconds", m.stages}};
}

ordered to_json(const result& what) {
  ordered cases = ordered::array();
  for (const auto& one : what.cases) {
    cases.push_back({{"name", one.name},
                     {"device", one.device},
                     {"status", name_of(one.status)},
                     {"message", one.message}});
  }
  ordered gates = ordered::array();
  for (const auto& one : what.gates) {
    gates.push_back({{"name", one.name},
                     {"benchmark", one.benchmark},
                     {"kind", one.kind},
                     {"value", one.value},
                     {"counted", one.counted},
                     {"threshold", one.threshold},
                     {"wanted", one.wanted},
                     {"relation", one.relation},
                     {"unit", one.unit},
                     {"met", one.met},
                     {"modelled", one.modelled},
                     {"note", one.note}});
  }
  ordered file{{"schema", "course.result/2"},
               {"chapter", what.chapter},
               {"label", what.chapter.substr(0, what.chapter.find('_'))},
               {"exercise", what.exercise},
               {"kind", what.kind},
               {"verdict", name_of(what.outcome)},
               {"cause", what.cause},
               {"headline", what.headline},
               {"at_the_limit", what.at_the_limit},
               {"tree", what.tree},
               {"tree_id", what.tree_id},
               {"source", what.source},
               {"source_sha256", what.source_sha256},
               {"device", what.device},
               {"device_name", what.device_name},
               {"modelled", what.modelled},
               {"seed", what.seed ? fmt::format("{:#018x}", what.seed) : std::string()},
               {"started_at", what.started_at},
               {"duration_seconds", what.duration_seconds},
               {"location", {{"file", what.at.file}, {"line", what.at.line}}},
               {"details", what.details},
               {"hardening", what.hardening},
               {"device_hardening", what.device_hardening},
               {"cases", std::move(cases)},
               {"gates", std::move(gates)}};
  if (!what.printed.where.empty()) {
    file["printed"] = {{"case", what.printed.where},
                       {"first_lines", what.printed.first},
                       {"lines", what.printed.lines},
                       {"bytes", what.printed.bytes}};
  }
  auto measurements = ordered::array();
  for (const auto& m : what.measured) measurements.push_back(to_json(m));
  // The one that decides stands out for simple readers: the slowest, against its baseline.
  const measurement* slowest = nullptr;
  for (const auto& m : what.measured) {
    if (m.student_seconds > 0 && (!slowest || m.ratio.ratio < slowest->ratio.ratio)) slowest = &m;
  }
  if (slowest) file["measurement"] = to_json(*slowest);
  file["measurements"] = std::move(measurements);
  file["versions"] = {{"course", what.course_version}, {"cuda", what.cuda_version}, {"driver", what.driver}};
  file["run"] = what.run;
  file["findings"] = *what.findings;
  file["counts"] = *what.counts;
  return file;
}

}  // namespace

void set_verdict(result& to, verdict outcome, std::string_view cause, std::string headline) {
  to.outcome = outcome;
  to.cause = cause;
  to.headline = std::move(headline);
}

std::string write_result(const result& what, const fs::path& results) {
  try {
    write_file_atomically(
        results / what.tree_id / what.chapter / fmt::format("{}.{}.json", what.exercise, what.kind),
        to_json(what).dump(2, ' ', false, ordered::error_handler_t::replace) + '\n');
    return {};
  } catch (const environment_error& problem) {
    return problem.what();
  }
}

void remember(const result& what, const fs::path& results) {
  attempt line;
  line.started_at = what.started_at;
  line.kind = what.kind;
  line.verdict = name_of(what.outcome);
  line.cause = what.cause;
  line.at_the_limit = what.at_the_limit;
  line.file = what.at.file;
  line.line = static_cast<int>(what.at.line);
  line.device = what.device;
  line.device_name = what.device_name;
  line.modelled = what.modelled;
  line.source_sha256 = what.source_sha256;
  for (const auto& m : what.measured) {
    if (!(m.student_seconds > 0)) continue;
    line.speeds.push_back({m.benchmark, m.slice * m.amount / m.student_seconds, m.unit, m.ratio.ratio,
                           bus_per_needed(what.counts, m.benchmark)});
  }
  append_attempt(attempts_file(results, what.tree_id, what.chapter, what.exercise), line);
}

std::string to_text(const result& what) {
  std::string text = fmt::format("\n{} {}: {}{}{}\n", what.exercise, what.kind, name_of(what.outcome),
                                 what.cause.empty() ? "" : " (" + what.cause + ")",
                                 what.at_the_limit ? ", at the limit" : "");
  if (!what.headline.empty()) text += "  " + what.headline + "\n";
  if (what.at.line) text += fmt::format("  at {}:{}\n", what.at.file, what.at.line);
  for (const auto& line : what.details) text += "  " + line + "\n";
  if (!what.printed.where.empty()) {
    text += fmt::format("  printed in case {}, the first {} of {} lines ({} bytes):\n", what.printed.where,
                        what.printed.first.size(), what.printed.lines, what.printed.bytes);
    for (const auto& line : what.printed.first) text += "  | " + line + "\n";
  }
  if (!what.gates.empty()) {
    text += fmt::format("\n  {:<34} {:>12} {:>14}  {}\n", "gate", "found", "wanted", "");
    for (const auto& gate : what.gates) {
      const auto state = gate.met               ? "met"
                         : !gate.counted        ? "NOT COUNTED"
                         : gate.kind == "limit" ? "not reached (not required)"
                                                : "MISSED";
      const auto name =
          gate.benchmark.empty() ? gate.name : fmt::format("{} ({})", gate.name, gate.benchmark);
      text += fmt::format("  {:<34} {:>12} {:>14}  {}  [{}{}]{}\n", name,
                          gate.counted ? number_text_beside(gate.value, gate.threshold) : "-", gate.wanted,
                          state, gate.unit, gate.modelled ? ", modelled" : "",
                          gate.note.empty() ? "" : "  " + gate.note);
    }
  }
  for (const auto& m : what.measured) {
    if (!(m.student_seconds > 0)) continue;
    const double student = m.slice * m.amount / m.student_seconds,
                 baseline = m.baseline_seconds > 0 ? m.slice * m.amount / m.baseline_seconds : 0;
    text +=
        fmt::format("\n  {}{}: yours {}, {} {}, ratio {}", m.benchmark.empty() ? "" : m.benchmark + ", ",
                    m.modelled ? "modelled, scaled to a whole card" : "measured", rate_text(student, m.unit),
                    m.baseline, rate_text(baseline, m.unit), number_text(m.ratio.ratio));
    if (!m.modelled)
      text += fmt::format(" (95 % interval {:.3f} to {:.3f}, {} pairs)", m.ratio.low, m.ratio.high,
                          m.ratio.pairs);
    if (m.share_of_peak > 0) text += fmt::format(", {:.0f} % of the memory's peak", 100 * m.share_of_peak);
    text += "\n";
  }
  text += fmt::format("\n  tree {} ({}), device {}{}, seed {:#x}\n", what.tree_id,
                      what.source.empty() ? what.tree : what.source, what.device,
                      what.device_name.empty() ? "" : " (" + what.device_name + ")", what.seed);
  return text;
}

}  // namespace course
