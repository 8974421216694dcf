/// @file
/// See correctness.hpp.
#include "judge/correctness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "judge/plan.hpp"
#include "records/json_fields.hpp"

namespace course {
namespace {

using nlohmann::json;

constexpr std::size_t kPrintedShown = 10;               // lines
constexpr double kPatience = 20, kHiddenPatience = 60;  // seconds for one case
// Beside buffers on a real device, where no hardware watches a buffer's end: what a block of stray threads would hit first.
constexpr std::size_t kGuardBytes = 64 * 1024;
// Plain programs stay below two million in the checked cases, below eight in the hidden one. A sound one whose tiles are far larger
// than a narrow case has needed eight; what needs five times that does not end.
constexpr std::uint64_t kWarpInstructionLimit = 40'000'000, kHiddenWarpInstructionLimit = 160'000'000;

// One call with fresh data: what is asked for besides.
struct trial {
  const char* label;       // for the sentence
  const char* order;       // of blocks and warps
  std::string_view blame;  // the cause of a mismatch that only this attempt shows
};

// What the data of one call are drawn from.
struct seeds {
  std::uint64_t fill = 0;
  std::optional<std::uint64_t> kept = {};  // a few elements are those of the call with this seed
};

constexpr trial kFirst{"", "forward", cause::none};
constexpr trial kSecond{", second call with new data", "forward", cause::wrong_on_second_call};
constexpr trial kReversed{", blocks and warps in reverse order", "reversed", cause::order_dependent};

std::size_t threads_of_blocks(const device_report& report) {
  return report.launches().empty() ? 0 : report.launches().back().block;
}

judgement not_begun(const device_report& report) {
  judgement found;
  found.outcome = verdict::not_attempted;
  if (report.present() && report.launches().empty()) {
    found.headline = "your function launches no kernel yet, and nothing is written: start at the TODOs";
    return found;
  }
  found.headline = "nothing is written yet, and no kernel reads or writes memory: start at the TODOs";
  found.details = {
      "(A kernel whose result is never stored is removed by the compiler, so it looks like this, too.)"};
  return found;
}

constexpr int kMoreLooks = 2;  // at a figure that differs from the reference's

class cases_runner {
 public:
  cases_runner(const correctness_run& run, std::vector<case_result>& cases, printed_output& printed)
      : run_(run), cases_(cases), printed_(printed) {}
  std::optional<judgement> run();

 private:
  std::optional<judgement> attempt_once(contestant& who, const problem& asked, const seeds& from,
                                        const trial& how, const planned_case& which, bool first_case);
  std::optional<judgement> check_outputs(contestant& who, const case_data& data, const json& body,
                                         const device_report& report, const device_report& before,
                                         bool first_case);
  std::optional<judgement> ask_reference(case_data& data, const json& simulator, double patience);
  std::optional<judgement> run_one(const planned_case& which, std::size_t index, bool first_case);
  void note_printed(contestant& who, const std::string& case_name);

  const facts& known() const { return run_.student.device().known; }
  bool sim() const { return run_.student.simulated(); }

  const correctness_run& run_;
  std::vector<case_result>& cases_;
  printed_output& printed_;
  printed_output last_printed_;  // in the attempt that ran last
  device_report after_last_;     // what came after the timed calls of the latest attempt
  std::string left_;             // allocated by it and not freed
  std::string left_objects_;  // made by it and not destroyed, beside what was there after the attempt before
  std::vector<planned_case> plan_;
  contestant reference_;
  bool has_reference_ = false;
};

std::optional<judgement> cases_runner::ask_reference(case_data& data, const json& simulator,
                                                     double patience) {
  if (!has_reference_) {
    if (auto found = run_.start_reference(reference_))
      return harness_trouble("the reference cannot be run: " + found->headline);
    has_reference_ = true;
  }
  const auto answer = reference_.run_case(data, simulator, patience);
  if (!answer.ok()) return harness_trouble("the reference fails where its answer is asked for");
  data.take_reference(reference_.arena());
  return std::nullopt;
}

std::optional<judgement> cases_runner::check_outputs(contestant& who, const case_data& data, const json& body,
                                                     const device_report& report, const device_report& before,
                                                     bool first_case) {
  const auto& asked = data.asked();
  auto& arena = who.arena();
  if (const auto damaged = data.find_damage(arena)) return diagnose_damage(*damaged);

  // Nothing at all happened: every output, in-out buffer and figure is as the judge left it, and the program touched nothing.
  bool untouched = first_case && report.present() && nothing_tried(report, before);
  for (std::size_t index = 0; index < asked.buffers().size() && untouched; ++index)
    untouched = !asked.buffers()[index].is_written() || data.is_untouched(index, arena);
  for (std::size_t index = 0; index < asked.expectations().size(); ++index) {
    const auto output = asked.expectations()[index].output;
    auto geometry = data.geometry(output, threads_of_blocks(report));
    geometry.shares = !report.present() || shares_memory(report);
    mismatches wrong(geometry);
    data.compare(index, arena, wrong);
    if (wrong.none()) continue;
    auto found = untouched ? not_begun(report) : diagnose_mismatch(wrong, asked.buffers()[output].name);
    if (untouched) return found;
    add_warnings(found, before);  // a call that set-up made in vain explains an output that nobody wrote
    add_warnings(found, report);
    return found;
  }
  const auto inputs = data.inputs();
  const observed seen{inputs, data.outputs_in(arena), number_of(body, "event_seconds"),
                      report.present() ? &report : nullptr};
  for (const auto& holds : asked.properties()) {
    auto sentence = holds(seen);
    if (sentence.empty()) continue;
    if (untouched) return not_begun(report);
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::mismatch;
    found.headline = std::move(sentence);
    found.can_wait = !asked.expectations().empty();
    return found;
  }
  if (!asked.wants_error()) return std::nullopt;
  const auto live = report.figure({"allocations", "live_bytes"}),
             live_before = before.figure({"allocations", "live_bytes"});
  if (live && live_before && *live > *live_before) {
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::wrong_status;
    found.headline =
        fmt::format("the function reports an error and leaves {:.0f} bytes allocated: free on every way out",
                    *live - *live_before);
    return found;
  }
  // After an error, what nobody was to write must not have been written.
  for (std::size_t index = 0; index < asked.buffers().size(); ++index) {
    const bool expected = std::any_of(asked.expectations().begin(), asked.expectations().end(),
                                      [&](const expectation& one) { return one.output == index; });
    if (expected || !asked.buffers()[index].is_written() || data.is_untouched(index, arena)) continue;
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::wrong_status;
    found.headline = fmt::format("the function reports an error and has changed {} all the same",
                                 asked.buffers()[index].name);
    return found;
  }
  return std::nullopt;
}

// "the end of out (256 bytes)" in place of "the end of allocation #3 (256 bytes)": numbers are the simulated GPU's, and a student knows
// names. What is none of the problem's buffers is the program's own.
void name_allocation(judgement& found, const problem& asked, const case_data& data, const json& addresses) {
  constexpr std::string_view kNumbered = "allocation #";
  const auto begin = found.headline.find(kNumbered);
  const auto end = found.headline.find(' ', begin == std::string::npos ? begin : begin + kNumbered.size());
  if (found.allocation == 0 || end == std::string::npos || !addresses.is_array()) return;
  for (std::size_t index = 0; index < asked.buffers().size() && index < addresses.size(); ++index) {
    if (!addresses[index].is_number_unsigned()) continue;
    if (addresses[index].get<std::uint64_t>() != found.allocation + data.pointer_offset(index)) continue;
    found.headline.replace(begin, end - begin, asked.buffers()[index].name);
    return;
  }
  found.headline.replace(begin, end - begin, "memory that your program allocated");
}

std::optional<judgement> cases_runner::attempt_once(contestant& who, const problem& asked, const seeds& from,
                                                    const trial& how, const planned_case& which,
                                                    bool first_case) {
  left_.clear();
  left_objects_.clear();
  case_data data(asked, {sim() ? 0 : kGuardBytes}, from.fill);
  if (from.kept) data.keep_some(*from.kept);
  json simulator;
  if (sim()) {
    auto failing = json::array();
    for (const auto& one : asked.failing())
      failing.push_back({{"call", one.name}, {"nth", one.nth}, {"error", one.error}});
    simulator = {
        {"checks", true},
        {"order", how.order},
        {"warp_instruction_limit", which.hidden ? kHiddenWarpInstructionLimit : kWarpInstructionLimit},
        {"timing", !asked.properties().empty() || asked.asks_reference()},
        {"fail", std::move(failing)}};
  }
  const double patience = which.hidden ? kHiddenPatience : kPatience;
  const auto answer = who.run_case(data, simulator, patience);
  note_printed(who, which.name);
  if (!answer.ok())
    return diagnose_silence(answer, who.worker(), "in this case",
                            patience);  // the headline begins with its name

  const auto report = report_in(answer.body), before = report_in(answer.body, "report_before");
  if (auto found = diagnose_call(answer.body, report, asked)) {
    const auto addresses = answer.body->find("addresses");
    const bool of_an_access = found->outcome == verdict::out_of_bounds || found->outcome == verdict::race;
    if (of_an_access && found->address != 0 && addresses != answer.body->end()) {
      name_allocation(*found, asked, data, *addresses);
      if (auto sentence = element_at(asked, *addresses, found->address); !sentence.empty())
        found->details.insert(found->details.begin(), sentence);
    }
    // An object that set-up could not make, and a kernel that uses it: the call knows why.
    if (found->cause == cause::device_trap) add_warnings(*found, before);
    return found;
  }
  if (auto found = diagnose_findings(before)) return found;
  if (sim() && !report.present()) {
    judgement found;
    found.outcome = verdict::crashed;
    found.cause = cause::protocol_violation;
    found.headline = "the simulated GPU's report did not arrive: the program interferes with the grader";
    return found;
  }
  const auto copied = answer.body->find("copied_back");
  if (copied == answer.body->end() || *copied != true) {
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::runtime_error;
    found.headline = "the device no longer gives back the buffers after the call";
    if (report.calls_of("cudaFree") + report.calls_of("cudaFreeAsync") + report.calls_of("cudaFreeHost") > 0)
      found.headline +=
          ". They belong to the caller of your function: has it freed one of them? Free what you have "
          "allocated, and nothing else";
    return found;
  }
  if (asked.asks_reference()) {
    if (auto found = ask_reference(data, simulator, patience)) return found;
  }
  const auto after = report_in(answer.body, "report_after");
  left_ = memory_left(before, report, after);
  left_objects_ = objects_left(std::exchange(after_last_, after), after);
  auto found = check_outputs(who, data, answer.body, report, before, first_case);
  if (!found) found = diagnose_before(before, asked);
  if (!found && asked.must_free_all()) {
    found = diagnose_left(left_);
    if (found) add_warnings(*found, after);  // a call may have been refused that was to free it
    if (!found && how.blame == kSecond.blame) found = diagnose_left_objects(left_objects_);
  }
  if (!found) found = diagnose_work(report, asked);
  const bool left = found && found->cause == cause::left_allocated;  // whatever the data
  if (found && found->outcome == verdict::wrong_result && !how.blame.empty() && !left) {
    if (how.blame == cause::order_dependent) found->outcome = verdict::race;
    found->cause = how.blame;
  }
  return found;
}

void cases_runner::note_printed(contestant& who, const std::string& case_name) {
  const printed_text& text = who.worker().printed();
  last_printed_ = {};
  if (text.bytes == 0) return;
  last_printed_ = {case_name, text.first_lines(kPrintedShown), text.lines, text.bytes};
  if (printed_.where.empty()) printed_ = last_printed_;
}

std::optional<judgement> cases_runner::run_one(const planned_case& which, std::size_t index,
                                               bool first_case) {
  const auto asked = (*which.asks)(which.sizes, known());
  std::vector<trial> attempts{kFirst};
  if (!which.hidden) attempts.push_back(kSecond);
  if (sim() && !which.hidden) attempts.push_back(kReversed);
  // Of the calls after the first, which may allocate what all use. Where a buffer follows from an answer, the worker allocates as well.
  std::size_t leaks = 0, leaked_objects = 0;
  const bool all_is_theirs = std::none_of(asked.buffers().begin(), asked.buffers().end(),
                                          [](const auto& one) { return one.follows != follows_as::nothing; });
  for (std::size_t call = 0; call < attempts.size(); ++call) {
    const auto seed_of = [&](std::size_t k) { return mix(run_.seed ^ (index * 8 + k + 1)); };
    seeds data_seed{seed_of(call)};
    if (attempts[call].blame == kSecond.blame) data_seed.kept = seed_of(0);
    auto found = attempt_once(run_.student, asked, data_seed, attempts[call], which, first_case && call == 0);
    // A time can be disturbed from outside (another process that starts on the device was enough); a wrong figure stays wrong.
    const auto is_a_figure = [&] {
      const auto blame = attempts[call].blame;
      return found && (found->cause == cause::mismatch || (blame != cause::none && found->cause == blame));
    };
    for (int look = 0; look < kMoreLooks && is_a_figure() && !sim() && asked.asks_reference(); ++look)
      found = attempt_once(run_.student, asked, data_seed, attempts[call], which, false);
    leaks += call > 0 && all_is_theirs && !left_.empty();
    if (!found && leaks == 2) {
      found = diagnose_leak(left_);
      call = 0;  // for the sentence: no order and no data are to blame
    }
    leaked_objects += call > 0 && !left_objects_.empty();
    if (!found && leaked_objects == 2) {
      found = diagnose_leaked_objects(left_objects_);
      call = 0;
    }
    if (!found) continue;
    auto shown = which.name;
    if (found->outcome == verdict::not_attempted) {
      // A tiny case may leave a real attempt with nothing to do: only a program idle in a roomy one has not begun.
      const auto& larger = plan_[roomy_case(plan_, known())];
      auto again =
          attempt_once(run_.student, (*larger.asks)(larger.sizes, known()), data_seed, kFirst, larger, true);
      if (!again) {
        found->outcome = verdict::wrong_result;
        found->cause = cause::output_unwritten;
        found->headline = "nothing is written, although a larger case is right";
      } else if (again->outcome != verdict::not_attempted) {
        found = again;
        shown = larger.name;
      }
    }
    if (found->cause == attempts[call].blame && call > 0) {
      contestant another;
      if (!run_.start_another(another)) {
        if (auto alone = attempt_once(another, asked, data_seed, kFirst, which, false)) {
          found = alone;
          call = 0;  // for the sentence: the data decide, not what was called before
        } else if (found->cause == cause::order_dependent &&
                   !attempt_once(another, asked, data_seed, kReversed, which, false)) {
          // Right in either order, where no other data came before: something of an earlier call is left.
          found->outcome = verdict::wrong_result;
          found->cause = kSecond.blame;
          call = 1;
        }
        another.finish();
      }
    }
    if (!last_printed_.where.empty()) printed_ = last_printed_;
    if (found->outcome != verdict::not_attempted)
      found->headline = fmt::format("{}{}: {}", shown, attempts[call].label, found->headline);
    cases_.push_back({shown, sim() ? "sim" : "gpu", found->outcome, found->headline});
    return found;
  }
  cases_.push_back({which.name, sim() ? "sim" : "gpu", verdict::pass, ""});
  return std::nullopt;
}

std::optional<judgement> cases_runner::run() {
  plan_ = plan_cases(run_.what, known(), run_.seed);
  bool first_case = true;
  std::optional<judgement> kept;
  for (std::size_t index = 0; index < plan_.size(); ++index) {
    // No real runtime can be told to let a call fail.
    if (!sim() && !(*plan_[index].asks)(plan_[index].sizes, known()).failing().empty()) continue;
    if (auto found = run_one(plan_[index], index, first_case)) {
      if (!found->can_wait) return found;
      if (!kept) kept = std::move(found);
    }
    first_case = false;
  }
  if (has_reference_) reference_.finish();
  return kept;
}

}  // namespace

std::optional<judgement> run_cases(const correctness_run& run, std::vector<case_result>& cases,
                                   printed_output& printed) {
  return cases_runner(run, cases, printed).run();
}

bool nothing_tried(const device_report& report, const device_report& before) {
  constexpr std::string_view kTouches[] = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                           "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                           "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                                           "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
                                           "smsp__inst_executed_op_shared_ld.sum",
                                           "smsp__inst_executed_op_shared_st.sum",
                                           "simgpu__texture_requests.sum",
                                           "simgpu__bulk_bytes_load.sum",
                                           "simgpu__bulk_bytes_store.sum"};
  constexpr std::string_view kCalls[] = {"cudaMemcpy",
                                         "cudaMemcpyAsync",
                                         "cudaMemcpy2D",
                                         "cudaMemcpy2DAsync",
                                         "cudaMalloc",
                                         "cudaMallocAsync",
                                         "cudaMallocManaged",
                                         "cudaHostAlloc",
                                         "cudaMallocHost",
                                         "cudaMallocArray",
                                         "cudaMallocPitch",
                                         "cudaHostRegister",
                                         "cudaCreateTextureObject",
                                         "cuTensorMapEncodeTiled"};
  for (const auto* const one : {&report, &before}) {
    for (const auto name : kTouches) {
      if (one->counter(name) != 0) return false;
    }
    for (const auto name : kCalls) {
      if (one->calls_of(name) != 0) return false;
    }
  }
  return true;
}

}  // namespace course
