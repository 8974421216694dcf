/// @file
/// See result.hpp.
#include "judge/result.hpp"

#include <fmt/format.h>

#include <cmath>

#include "records/files.hpp"

namespace course {
namespace {

using ordered = nlohmann::ordered_json;
namespace fs = std::filesystem;

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
                     {"kind", one.kind},
                     {"value", one.value},
                     {"threshold", one.threshold},
                     {"relation", one.relation},
                     {"unit", one.unit},
                     {"met", one.met},
                     {"modelled", one.modelled},
                     {"note", one.note}});
  }
  ordered file{{"schema", "course.result/1"},
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
               {"seed", fmt::format("{:#018x}", what.seed)},
               {"started_at", what.started_at},
               {"duration_seconds", what.duration_seconds},
               {"location", {{"file", what.at.file}, {"line", what.at.line}}},
               {"details", what.details},
               {"cases", std::move(cases)},
               {"gates", std::move(gates)}};
  const auto& m = what.measured;
  if (m.student_seconds > 0) {
    file["measurement"] = {
        {"student_seconds", m.student_seconds},
        {"reference_seconds", m.reference_seconds},
        {"bytes_moved", m.bytes_moved},
        {"student_bytes_per_second", m.bytes_moved / m.student_seconds},
        {"reference_bytes_per_second", m.reference_seconds > 0 ? m.bytes_moved / m.reference_seconds : 0.0},
        {"ratio", m.ratio.ratio},
        {"ratio_low", m.ratio.low},
        {"ratio_high", m.ratio.high},
        {"pairs", m.ratio.pairs},
        {"blocks", m.ratio.blocks},
        {"share_of_peak", m.share_of_peak},
        {"slice", m.slice}};
  }
  file["versions"] = {{"course", what.course_version}, {"cuda", what.cuda_version}, {"driver", what.driver}};
  file["run"] = what.run;
  file["findings"] = what.findings;
  return file;
}

}  // namespace

void set_verdict(result& to, verdict outcome, std::string_view cause, std::string headline) {
  to.outcome = outcome;
  to.cause = cause;
  to.headline = std::move(headline);
}

bool write_result(const result& what, const fs::path& results) {
  try {
    write_file_atomically(
        results / what.tree_id / what.chapter / fmt::format("{}.{}.json", what.exercise, what.kind),
        to_json(what).dump(2, ' ', false, ordered::error_handler_t::replace) + '\n');
    return true;
  } catch (const environment_error&) {
    return false;
  }
}

std::string rate_text(double bytes_per_second) {
  const double gigabytes = bytes_per_second * 1e-9;
  return gigabytes >= 100 ? fmt::format("{:.0f} GB/s", gigabytes) : fmt::format("{:.3g} GB/s", gigabytes);
}

std::string to_text(const result& what) {
  std::string text = fmt::format("\n{} {}: {}{}{}\n", what.exercise, what.kind, name_of(what.outcome),
                                 what.cause.empty() ? "" : " (" + what.cause + ")",
                                 what.at_the_limit ? ", at the limit" : "");
  if (!what.headline.empty()) text += "  " + what.headline + "\n";
  if (what.at.line) text += fmt::format("  at {}:{}\n", what.at.file, what.at.line);
  for (const auto& line : what.details) text += "  " + line + "\n";
  if (!what.gates.empty()) {
    text += fmt::format("\n  {:<34} {:>12} {:>14}  {}\n", "gate", "measured", "required", "");
    for (const auto& gate : what.gates) {
      const auto wanted = fmt::format("{} {:.4g}", gate.relation, gate.threshold);
      const auto state = gate.met ? "met" : gate.kind == "limit" ? "not reached (not required)" : "MISSED";
      text += fmt::format("  {:<34} {:>12.4g} {:>14}  {}{}  [{}{}]{}\n", gate.name, gate.value, wanted, state,
                          "", gate.unit, gate.modelled ? ", modelled" : "",
                          gate.note.empty() ? "" : "  " + gate.note);
    }
  }
  if (const auto& m = what.measured; m.student_seconds > 0) {
    const double student = m.slice * m.bytes_moved / m.student_seconds,
                 reference = m.slice * m.bytes_moved / m.reference_seconds;
    text += fmt::format("\n  {}: yours {}, reference {}, ratio {:.3f}",
                        m.modelled ? "modelled, scaled to a whole card" : "measured", rate_text(student),
                        rate_text(reference), m.ratio.ratio);
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
