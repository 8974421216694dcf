/// @file
/// Implementation of gate_text.hpp.
#include "reports/gate_text.hpp"

#include <fmt/format.h>

#include "records/quantities.hpp"

namespace course::reports {

std::string value_text(const gate& g) {
  return g.counted ? number_text_beside(g.value, g.threshold) : "-";
}

std::string wanted_text(const gate& g) {
  return g.wanted.empty() ? fmt::format("{} {}", g.relation, number_text(g.threshold)) : g.wanted;
}

bool left_to_a_gpu(const gate& g) {
  return g.met && g.modelled && g.kind == "pass" && g.value < g.threshold;
}

std::string met_text(const gate& g) {
  return left_to_a_gpu(g) ? "not judged here" : g.met ? "yes" : g.kind == "limit" ? "not yet" : "no";
}

std::string gate_text(const gate& g) {
  if (left_to_a_gpu(g))
    return fmt::format("{} {}, wanted {}: confirm on a GPU", g.name, value_text(g), wanted_text(g));
  return fmt::format("{} {}{} {}", g.name, value_text(g), g.met ? "" : ", not", wanted_text(g));
}

std::string name_text(const gate& g) {
  return g.benchmark.empty() ? g.name : fmt::format("{} ({})", g.name, g.benchmark);
}

std::string remark_text(const gate& g) {
  return g.note == "counted on the simulated GPU" || g.note == "as ptxas says" ? "" : g.note;
}

std::string lacking_to_limit(const outcome& o) {
  std::string lacking;
  for (const auto& part : {o.correctness, o.bandwidth}) {
    if (!part) continue;
    for (const gate& g : part->gates) {
      if (g.kind != "limit" || g.met) continue;
      const bool is_speed = g.unit == "ratio" || g.unit.starts_with("of the ");
      const std::string unit = g.unit == "ratio" ? " of the reference's"
                               : is_speed        ? " " + g.unit + "'s"
                               : g.unit.empty()  ? ""
                                                 : " " + g.unit;
      const std::string one =
          fmt::format("{}{}: {}{}, wanted {}", g.benchmark.empty() ? "" : g.benchmark + " ",
                      is_speed ? "speed" : g.name, value_text(g), unit, wanted_text(g));
      if (lacking.find(one) == std::string::npos) lacking += (lacking.empty() ? "" : "; ") + one;
    }
  }
  return lacking;
}

}  // namespace course::reports
