/// @file
/// See bandwidth.hpp. The part for the simulated GPU.
#include "judge/bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "judge/plan.hpp"
#include "judge/timed_sets.hpp"
#include "protocol/names.hpp"
#include "records/json_fields.hpp"
#include "records/quantities.hpp"

namespace course {
namespace {

using nlohmann::json;
namespace op = protocol::op;

constexpr double kTimedPatience = 120;
// The timed run has at most thirty million; a slow program may take more, an endless one must not take for ever.
constexpr std::uint64_t kTimedWarpInstructionLimit = 600'000'000;

// Seconds of the device's clock beside the caller's stream that count as work left on another one: below, they are a launch or a wait.
double shortest_excess(double timed_seconds) {
  return std::max(20e-6, 0.25 * timed_seconds);
}

judgement unjoined(double seconds) {
  judgement found;
  found.outcome = verdict::wrong_result;
  found.cause = cause::unjoined_stream;
  found.headline = fmt::format(
      "work goes on for {:.0f} us on another stream after `stream` is done: record an event there "
      "(cudaEventRecord) and let `stream` "
      "wait for it (cudaStreamWaitEvent)",
      1e6 * seconds);
  return found;
}

// True if something ran on another stream than the caller's, which is the first that a worker makes.
bool uses_another_stream(const device_report& report) {
  constexpr double kCallers = 1;
  return std::any_of(report.operations().begin(), report.operations().end(),
                     [](const device_operation& one) { return one.stream != kCallers; });
}

// What the calls returned as sizes, by call; statuses and handles are no sizes, and say nothing here.
std::vector<std::uint64_t> sizes_in(const json& body) {
  std::vector<std::uint64_t> sizes;
  for (const auto& one : member_of(body, "answers"))
    sizes.push_back(one.is_number_unsigned() ? one.get<std::uint64_t>() : 0);
  return sizes;
}

}  // namespace

double pass_threshold(const exercise& what, const benchmark& of) {
  for (const auto& gate : what.gates) {
    if (gate.means == consequence::pass && gate.measures == &metrics::speed &&
        (gate.on.empty() || gate.on == of.name))
      return gate.within.least;
  }
  return 0;
}

std::optional<judgement> beyond_roof(const benchmark& of, const problem& asked, double seconds,
                                     double dram_bytes_per_second, double link_bytes_per_second) {
  const double roof = of.roof == roof_kind::dram   ? dram_bytes_per_second
                      : of.roof == roof_kind::link ? 2 * link_bytes_per_second
                                                   : 0;
  if (!(roof > 0) || !(seconds > 0) || asked.bytes_moved() / seconds <= kRoofSlack * roof)
    return std::nullopt;
  judgement found;
  found.outcome = verdict::wrong_result;
  found.cause = cause::faster_than_roof;
  found.headline = fmt::format(
      "{} would be faster than this device's {} can be ({}): not believed. Is all of the work inside the "
      "timed call?",
      rate_text(asked.bytes_moved() / seconds), of.roof == roof_kind::link ? "host link" : "memory",
      rate_text(roof));
  return found;
}

std::optional<judgement> model_on_sim(const exercise& what, const benchmark& of, contestant& student,
                                      contestant* baseline, std::uint64_t seed, benchmark_run& into,
                                      result& notes) {
  into.asked = ask(what, of, of.on_sim, student.device().known);
  const auto& asked = into.asked;
  const auto size = to_string(of.on_sim, what.size_names);
  const auto name = of.name.empty() ? size : fmt::format("{}, {}", of.name, size);
  timed_sets sets(asked, 1, name, seed);
  // Both work at the same time: they are two processes, and modelled time does not depend on what else the machine does.
  std::vector<contestant*> all{&student};
  const bool is_own_baseline = baseline == &student;
  if (baseline && !is_own_baseline) all.push_back(baseline);
  const auto blame = [&](judgement found, const contestant* who) -> judgement {
    if (who != &student && who)
      return harness_trouble(fmt::format("the reference fails: {}", found.headline));
    if (who == &student) notes.cases.push_back({name + " (timed)", "sim", found.outcome, found.headline});
    return found;
  };
  const json simulator{{"checks", false},
                       {"order", "forward"},
                       {"warp_instruction_limit", kTimedWarpInstructionLimit},
                       {"timing", true},
                       {"fail", json::array()}};
  if (auto found = sets.prepare(all, simulator, kTimedPatience)) return blame(*found, sets.at_fault());
  if (auto found = sets.poke(all, kTimedPatience)) return blame(*found, sets.at_fault());
  const char* const clock = of.clock == clock_kind::end_to_end ? "end_to_end" : "events";
  for (auto* one : all) {
    one->send({{"op", op::kSample}, {"first_set", 0}, {"launches", 1}, {"clock", clock}, {"hold", true}},
              std::chrono::duration<double>(kTimedPatience));
  }
  std::vector<double> seconds, unseen;  // by the clock that counts; modelled time that passed beside it
  for (auto* one : all) {
    const auto answer = one->wait();
    if (!answer.ok())
      return blame(
          diagnose_silence(answer, one->worker(), fmt::format("in the timed run ({})", name), kTimedPatience),
          one);
    auto report = report_in(answer.body);
    auto found = diagnose_call(answer.body, report, asked);
    if (!found && !report.present()) {
      found.emplace();
      found->outcome = verdict::crashed;
      found->cause = cause::protocol_violation;
      found->headline = "the simulated GPU's report did not arrive: the program interferes with the grader";
    }
    if (!found) {
      found = sets.verify_whole(*one, 0, kTimedPatience, answer.body, report);
      if (found && !sets.at_fault()) return found;
    }
    if (!found) found = diagnose_work(report, asked);
    if (!found && one == &student) found = diagnose_default_stream(report, asked);
    if (found) return blame(*found, one);
    const double device_seconds = report.modelled_seconds();
    seconds.push_back(of.clock == clock_kind::end_to_end ? device_seconds
                                                         : number_of(answer.body, "event_seconds"));
    unseen.push_back(std::max(0.0, device_seconds - seconds.back()));
    if (one == &student) {
      into.report = std::move(report);
      into.before = report_in(answer.body, "report_before");
      into.sizes = sizes_in(answer.body);
      into.counted = true;
    }
  }
  if (is_own_baseline && !seconds.empty()) {
    seconds.push_back(seconds.front());
    unseen.push_back(unseen.front());
  }
  // Beside a real device the reference does not run here. A program that stays in the caller's stream leaves nothing on another one.
  if (!baseline && of.clock == clock_kind::events && !asked.wants_error() &&
      uses_another_stream(into.report) && unseen[0] > shortest_excess(seconds[0]))
    return blame(unjoined(unseen[0]), &student);
  if (baseline && !asked.wants_error()) {
    if (!(seconds[1] > 0)) return harness_trouble("the simulated GPU gives no modelled time");
    // The device's clock between two reports also holds what ran on other streams than ours, or after the second event.
    if (const double excess = unseen[0] - unseen[1]; excess > shortest_excess(seconds[0]))
      return blame(unjoined(excess), &student);
    if (!(seconds[0] > 0)) return blame(unjoined(unseen[0]), &student);
    if (auto found = beyond_roof(of, asked, seconds[0], into.report.dram_bytes_per_second(), 0))
      return blame(*found, &student);
    measurement m;
    m.benchmark = of.name;
    m.size = size;
    m.baseline = of.baseline == baseline_kind::plain ? "plain" : "reference";
    m.modelled = true;
    m.decides = of.modelled_time_decides;
    m.refuses = of.modelled_time_refuses;
    m.student_seconds = seconds[0];
    m.baseline_seconds = seconds[1];
    m.amount = asked.amount();
    m.unit = asked.unit();
    m.slice = into.report.slice();
    m.ratio.ratio = seconds[1] / seconds[0];
    m.ratio.low = m.ratio.ratio * (1 - kModelError);
    m.ratio.high = m.ratio.ratio * (1 + kModelError);
    m.ratio.pairs = 1;
    m.ratio.blocks = 1;
    if (into.report.dram_bytes_per_second() > 0 && of.roof == roof_kind::dram)
      m.share_of_peak = asked.bytes_moved() / seconds[0] / into.report.dram_bytes_per_second();
    into.measured = std::move(m);
  }
  notes.cases.push_back({name + " (timed)", "sim", verdict::pass, ""});
  return std::nullopt;
}

}  // namespace course
