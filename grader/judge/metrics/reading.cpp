/// @file
/// See reading.hpp.
#include "judge/metrics/reading.hpp"

#include <utility>

#include "judge/explain.hpp"
#include "judge/problem.hpp"
#include "records/quantities.hpp"

namespace course::metrics {

reading over(double value, double needed) {
  if (!(needed > 0)) return kNothing;
  return {.value = value / needed};
}

reading with(reading found, std::string_view why, std::string sentence, location at) {
  found.cause = why;
  found.sentence = std::move(sentence);
  found.at = std::move(at);
  return found;
}

reading with_waste(reading found, const evidence& seen, std::string_view kind) {
  auto why = explain_waste(seen.report, seen.asked, kind);
  return with(std::move(found), kind, std::move(why.sentence), why.at);
}

double read_of(const evidence& seen) {
  return seen.asked.bytes_read();
}
double written_of(const evidence& seen) {
  return seen.asked.bytes_written();
}
double outputs_of(const evidence& seen) {
  return static_cast<double>(seen.asked.output_elements());
}
double counted(const evidence& seen, std::string_view name) {
  return seen.report.counter(name);
}

double shared_bytes_of(const evidence& seen, std::string_view kind) {
  double bytes = 0;
  for (const auto& launch : seen.report.launches()) {
    for (const auto& site : launch.sites) {
      if (site.memory == "shared" && site.kind == kind) bytes += site.bytes_requested;
    }
  }
  return bytes;
}

reading off(reading found, std::string sentence) {
  return with(std::move(found), cause::off_the_idea, std::move(sentence));
}

std::string share_text(double value) {
  return number_text(value) + " of what the task asks for";
}

}  // namespace course::metrics
