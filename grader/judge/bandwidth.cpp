/// @file
/// See bandwidth.hpp. The part for the simulated GPU, and the gates.
#include "judge/bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/correctness.hpp"
#include "judge/explain.hpp"
#include "protocol/names.hpp"

namespace course {
namespace {

using nlohmann::json;
namespace op = protocol::op;

constexpr double kPatience = 120;
// The timed run has at most thirty million; a slow program may take more, an endless one must not take for
// ever.
constexpr std::uint64_t kWarpInstructionLimit = 600'000'000;

std::string report_text(const json& body) {
  const auto text = body.find("report");
  return text != body.end() && text->is_string() ? text->get<std::string>() : std::string();
}

double number(const json& body, const char* key) {
  const auto value = body.find(key);
  return value != body.end() && value->is_number() ? value->get<double>() : 0;
}

judgement harness_trouble(std::string sentence) {
  judgement found;
  found.outcome = verdict::harness_error;
  found.headline = std::move(sentence);
  return found;
}

bool send_preparation(contestant& who, const case_data& data) {
  json request{{"op", op::kPrepareTiming}, {"sets", 1}, {"padding", 0}};
  request["simulator"] = {{"checks", false},
                          {"order", "forward"},
                          {"warp_instruction_limit", kWarpInstructionLimit},
                          {"timing", true}};
  if (!data.send_to(who.worker().arena(), request)) return false;
  who.worker().send(std::move(request), std::chrono::duration<double>(kPatience));
  return true;
}

// Fetches the outputs of set 0 and compares them whole.
std::optional<judgement> check_outputs(contestant& who, const case_data& data, std::size_t block_threads,
                                       const std::string& name) {
  const auto& asked = data.asked();
  for (std::size_t index = 0; index < asked.expectations().size(); ++index) {
    const auto output = asked.expectations()[index].output;
    const auto bytes = asked.buffers()[output].bytes();
    if (bytes == 0) continue;
    if (!who.worker().arena().grow(bytes))
      return harness_trouble("there is not enough memory to check the output");
    const json read{{"set", 0},
                    {"buffer", output},
                    {"offset", data.pointer_offset(output)},
                    {"bytes", bytes},
                    {"arena", 0}};
    const auto answer = who.worker().ask(
        {{"op", op::kFetch}, {"arena_bytes", who.worker().arena().size()}, {"reads", json::array({read})}},
        std::chrono::duration<double>(kPatience));
    if (!answer.ok()) return diagnose_silence(answer, who.worker(), "after the timed run", kPatience);
    mismatches wrong(data.geometry(output, block_threads));
    data.compare_part(index, who.worker().arena().data(), 0, asked.buffers()[output].count, wrong);
    if (wrong.none()) continue;
    auto found = diagnose_mismatch(wrong, asked.buffers()[output].name, false);
    found.cause = found.cause == cause::mismatch ? std::string(cause::wrong_at_timed_size) : found.cause;
    found.headline =
        fmt::format("right at the small sizes, wrong at the timed one ({}): {}", name, found.headline);
    return found;
  }
  return std::nullopt;
}

gate_result gate_of(const char* name, const char* kind, double value, double threshold, bool modelled) {
  return {name, kind, ">=", "of the reference", "", value, threshold, value >= threshold, modelled};
}

}  // namespace

std::optional<judgement> model_on_sim(const exercise& what, contestant& student, contestant* reference,
                                      std::uint64_t seed, result& into, device_report& report) {
  const auto asked = what.asks(what.timed_on_sim);
  const auto name = to_string(what.timed_on_sim, what.size_names);
  const case_data data(asked, {0}, seed);
  // Both work at the same time: they are two processes, and modelled time does not depend on what else the
  // machine does.
  std::vector<contestant*> all{&student};
  if (reference) all.push_back(reference);
  std::vector<double> seconds, unseen;  // by events; modelled time that passed beside them
  for (auto* one : all) {
    if (!send_preparation(*one, data)) return harness_trouble("there is not enough memory for the timed run");
  }
  for (auto* one : all) {
    const auto answer = one->worker().wait();
    if (!answer.ok())
      return diagnose_silence(answer, one->worker(), "while the timed run was prepared", kPatience);
  }
  for (auto* one : all) {
    one->worker().send({{"op", op::kSample}, {"first_set", 0}, {"launches", 1}},
                       std::chrono::duration<double>(kPatience));
  }
  for (auto* one : all) {
    const auto answer = one->worker().wait();
    const bool is_student = one == &student;
    std::optional<judgement> found;
    device_report seen;
    if (!answer.ok()) {
      found = diagnose_silence(answer, one->worker(), fmt::format("in the timed run ({})", name), kPatience);
    } else {
      seen = device_report(report_text(answer.body));
      found = diagnose_call(answer.body, seen);
      if (!found) {
        const std::size_t threads = seen.launches().empty() ? 0 : seen.launches().back().block;
        found = check_outputs(*one, data, threads, name);
      }
      seconds.push_back(number(answer.body, "event_seconds"));
      unseen.push_back(std::max(0.0, seen.modelled_seconds() - seconds.back()));
    }
    if (found && !is_student) return harness_trouble(fmt::format("the reference fails: {}", found->headline));
    if (found) {
      into.cases.push_back({name + " (timed)", "sim", found->outcome, found->headline});
      return found;
    }
    if (is_student) {
      report = std::move(seen);
      if (auto idle = diagnose_work(report, asked)) {
        into.cases.push_back({name + " (timed)", "sim", idle->outcome, idle->headline});
        return idle;
      }
    }
  }
  into.cases.push_back({name + " (timed)", "sim", verdict::pass, ""});
  if (reference) {
    if (!(seconds[0] > 0) || !(seconds[1] > 0))
      return harness_trouble("the simulated GPU gives no modelled time");
    // The device's clock between two reports also holds what ran on other streams than ours, or after the
    // second event. If the student's share of that is larger than the reference's, the events do not tell
    // everything.
    if (const double excess = unseen[0] - unseen[1]; excess > std::max(20e-6, 0.25 * seconds[0])) {
      into.details.push_back(
          fmt::format("The events tell {:.0f} us less than the device's clock, so the clock counts. Does "
                      "work run on another stream?",
                      1e6 * excess));
      seconds[0] += excess;
    }
    auto& m = into.measured;
    m.modelled = true;
    m.student_seconds = seconds[0];
    m.reference_seconds = seconds[1];
    m.bytes_moved = static_cast<double>(asked.bytes_moved());
    m.slice = report.slice();
    m.ratio.ratio = seconds[1] / seconds[0];
    m.ratio.low = m.ratio.ratio * (1 - kModelError);
    m.ratio.high = m.ratio.ratio * (1 + kModelError);
    m.ratio.pairs = 1;
    m.ratio.blocks = 1;
    if (report.dram_bytes_per_second() > 0)
      m.share_of_peak = m.bytes_moved / seconds[0] / report.dram_bytes_per_second();
  }
  return std::nullopt;
}

std::optional<judgement> judge_ideas(const exercise& what, const problem& asked, const device_report& report,
                                     result& into) {
  std::optional<judgement> missed;
  for (const auto& gate : what.gates.ideas) {
    gate_result shown;
    shown.name = gate.name;
    shown.kind = "idea";
    shown.relation = "<=";
    shown.unit = gate.measures.unit;
    shown.value = gate.measures.evaluate(report, asked);
    shown.threshold = gate.at_most;
    shown.met = shown.value <= gate.at_most;
    shown.note = "counted on the simulated GPU";
    into.gates.push_back(shown);
    if (shown.met || missed) continue;
    const auto why = explain_gate(report, asked, gate);
    missed.emplace();
    missed->outcome = verdict::wasteful;
    missed->cause = why.cause;
    missed->at = why.at;
    missed->headline = fmt::format("right, but wasteful: {}", why.sentence);
    missed->details = why.more;
  }
  return missed;
}

std::optional<judgement> judge_speed(const exercise& what, const problem& asked, const device_report& report,
                                     result& into) {
  const auto& m = into.measured;
  const double gate = what.gates.pass.at_least.value, limit = what.gates.limit.at_least.value;
  auto pass = gate_of("bandwidth_of_reference", "pass", m.ratio.ratio, gate, m.modelled);
  auto mark = gate_of("limit_mark", "limit", m.ratio.ratio, limit, m.modelled);
  std::optional<judgement> found;
  const auto slow = [&] {
    const auto why = explain(report, asked);
    found.emplace();
    found->outcome = verdict::too_slow;
    found->cause = why.cause;
    found->at = why.at;
    found->headline = fmt::format("{:.0f} % of the reference's bandwidth, {:.0f} % are needed: {}",
                                  100 * m.ratio.ratio, 100 * gate, why.sentence);
    found->details = why.more;
  };
  if (m.modelled) {
    if (m.ratio.ratio < gate * (1 - kModelError)) {
      slow();
    } else if (m.ratio.ratio < gate) {
      pass.met = true;
      pass.note = fmt::format("within the model's error of {:.0f} %: confirm on a GPU", 100 * kModelError);
      into.details.push_back(
          "The modelled time lies within the model's error of the gate: confirm on a GPU.");
    }
  } else if (gate > 0) {
    const auto decided = statistics::decide(m.ratio, gate);
    if (!decided) {
      pass.met = false;
      pass.note = "inside the interval";
      found.emplace();
      found->outcome = verdict::inconclusive;
      found->cause = cause::noise;
      found->headline = fmt::format(
          "too close to call on this machine: {:.3f} to {:.3f} of the reference, and the gate is {:.2f}",
          m.ratio.low, m.ratio.high, gate);
    } else if (!*decided) {
      slow();
    }
  }
  into.gates.push_back(pass);
  if (limit > 0) {
    into.gates.push_back(mark);
    into.at_the_limit = mark.met;
  }
  return found;
}

}  // namespace course
