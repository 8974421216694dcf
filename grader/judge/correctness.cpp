/// @file
/// See correctness.hpp.
#include "judge/correctness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace course {
namespace {

using nlohmann::json;

constexpr double kPatienceOnSim = 20, kPatienceOnGpu = 20;  // seconds for one case
// Beside buffers on a real device, where no hardware watches a buffer's end: what a block of stray threads
// would hit first.
constexpr std::size_t kGuardBytes = 64 * 1024;
// Checked cases stay below two million; what needs four times that does not end.
constexpr std::uint64_t kWarpInstructionLimit = 8'000'000;

// One call with fresh data: what is asked for besides.
struct attempt {
  const char* label;       // for the sentence
  const char* order;       // of blocks and warps
  std::string_view blame;  // the cause of a mismatch that only this attempt shows
};

constexpr attempt kFirst{"", "forward", cause::none};
constexpr attempt kSecond{", second call with new data", "forward", cause::wrong_on_second_call};
constexpr attempt kReversed{", blocks and warps in reverse order", "reversed", cause::order_dependent};

std::size_t block_threads(const device_report& report) {
  return report.launches().empty() ? 0 : report.launches().back().block;
}

std::optional<judgement> run_attempt(contestant& who, const problem& asked, std::uint64_t seed,
                                     const attempt& how, const std::string& case_name, bool first_case) {
  const bool sim = who.device().simulated;
  const case_data data(asked, {sim ? 0 : kGuardBytes}, seed);
  json simulator;
  if (sim)
    simulator = {{"checks", true},
                 {"order", how.order},
                 {"warp_instruction_limit", kWarpInstructionLimit},
                 {"timing", false}};
  const double patience = sim ? kPatienceOnSim : kPatienceOnGpu;
  const auto answer = who.run_case(data, simulator, patience);
  if (!answer.ok())
    return diagnose_silence(answer, who.worker(), fmt::format("in case {}{}", case_name, how.label),
                            patience);

  const auto text = answer.body.find("report");
  const device_report report(text != answer.body.end() && text->is_string() ? text->get<std::string>()
                                                                            : std::string());
  if (auto found = diagnose_call(answer.body, report)) {
    const auto addresses = answer.body.find("addresses");
    if (found->outcome == verdict::out_of_bounds && found->address != 0 && addresses != answer.body.end()) {
      if (auto sentence = element_at(asked, *addresses, found->address); !sentence.empty())
        found->details.insert(found->details.begin(), sentence);
    }
    return found;
  }
  const auto copied = answer.body.find("copied_back");
  if (copied == answer.body.end() || *copied != true) {
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::runtime_error;
    found.headline = "the device no longer gives back the buffers after the call";
    return found;
  }
  if (const auto damaged = data.find_damage(who.worker().arena())) return diagnose_damage(*damaged);
  for (std::size_t index = 0; index < asked.expectations().size(); ++index) {
    const auto output = asked.expectations()[index].output;
    mismatches wrong(data.geometry(output, block_threads(report)));
    data.compare(index, who.worker().arena(), wrong);
    if (wrong.none()) continue;
    const auto& name = asked.buffers()[output].name;
    auto found = diagnose_mismatch(wrong, name, first_case && report.present() && nothing_tried(report));
    if (found.outcome == verdict::wrong_result && !how.blame.empty()) {
      if (how.blame == cause::order_dependent) found.outcome = verdict::race;
      found.cause = how.blame;
    }
    return found;
  }
  return diagnose_work(report, asked);
}

}  // namespace

bool nothing_tried(const device_report& report) {
  constexpr std::string_view kTouches[] = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                           "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                           "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                                           "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
                                           "smsp__inst_executed_op_shared_ld.sum",
                                           "smsp__inst_executed_op_shared_st.sum"};
  return std::all_of(std::begin(kTouches), std::end(kTouches),
                     [&](std::string_view name) { return report.counter(name) == 0; });
}

// An empty problem says little about a program that does nothing yet: the first real case goes first.
static std::vector<std::size_t> running_order(const exercise& what) {
  std::vector<std::size_t> order(what.cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto real = std::find_if(order.begin(), order.end(), [&](std::size_t index) {
    const auto asked = what.asks(what.cases[index]);
    return asked.input_bytes() > 0 && asked.output_bytes() > 0;
  });
  if (real != order.end()) std::rotate(order.begin(), real, real + 1);
  return order;
}

// The largest case of at most this input: one in which a program that does anything at all does something.
static std::size_t roomy_case(const exercise& what) {
  constexpr std::size_t kMostBytes = 64 * 1024;
  std::size_t best = 0, best_bytes = 0;
  for (std::size_t index = 0; index < what.cases.size(); ++index) {
    const auto bytes = what.asks(what.cases[index]).input_bytes();
    if (bytes > best_bytes && bytes <= kMostBytes) best = index, best_bytes = bytes;
  }
  return best;
}

std::optional<judgement> run_cases(const exercise& what, contestant& who, std::uint64_t seed, result& into,
                                   const std::function<std::optional<judgement>(contestant&)>& start_another) {
  const bool sim = who.device().simulated;
  bool first_case = true;
  for (const auto index : running_order(what)) {
    const auto asked = what.asks(what.cases[index]);
    const auto name = to_string(what.cases[index], what.size_names);
    std::vector<attempt> attempts{kFirst, kSecond};
    if (sim) attempts.push_back(kReversed);
    for (std::size_t call = 0; call < attempts.size(); ++call) {
      const auto data_seed = mix(seed ^ (index * 8 + call + 1));
      auto found = run_attempt(who, asked, data_seed, attempts[call], name, first_case && call == 0);
      if (!found) continue;
      auto shown = name;
      if (found->outcome == verdict::not_attempted) {
        // A tiny case may leave a real attempt with nothing to do: only a program idle in a roomy one has not begun.
        const auto roomy = roomy_case(what);
        const auto larger = to_string(what.cases[roomy], what.size_names);
        auto again = run_attempt(who, what.asks(what.cases[roomy]), data_seed, kFirst, larger, true);
        if (!again) {
          found->outcome = verdict::wrong_result;
          found->cause = cause::output_unwritten;
          found->headline = "nothing is written, although a larger case is right";
        } else if (again->outcome != verdict::not_attempted) {
          found = again;
          shown = larger;
        }
      }
      if (found->cause == attempts[call].blame && call > 0) {
        contestant another;
        if (!start_another(another)) {
          if (auto alone = run_attempt(another, asked, data_seed, kFirst, name, false)) {
            found = alone;
            call = 0;  // for the sentence: the data decide, not what was called before
          }
          another.worker().finish();
        }
      }
      if (found->outcome != verdict::not_attempted)
        found->headline = fmt::format("{}{}: {}", shown, attempts[call].label, found->headline);
      into.cases.push_back({shown, sim ? "sim" : "gpu", found->outcome, found->headline});
      return found;
    }
    first_case = false;
    into.cases.push_back({name, sim ? "sim" : "gpu", verdict::pass, ""});
  }
  return std::nullopt;
}

}  // namespace course
