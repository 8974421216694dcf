/// @file
/// See diagnose.hpp.
#include "judge/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "records/json_fields.hpp"
#include "records/quantities.hpp"

namespace course {
namespace {

using nlohmann::json;

std::vector<std::string> last_lines(const std::string& text, std::size_t count) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
  return lines;
}

// What a program's process says, as a part of a sentence: no longer than one reads, and without what steers a terminal.
std::string one_line(std::string text) {
  constexpr std::size_t kMost = 200;
  if (text.size() > kMost) text.resize(kMost);
  for (char& each : text) {
    if (static_cast<unsigned char>(each) < ' ' || each == '\x7f') each = ' ';
  }
  return text;
}

void add_output(judgement& to, worker_process& worker) {
  const auto lines = last_lines(worker.output(), 10);
  if (lines.empty()) return;
  to.details.push_back("The program's last output:");
  for (const auto& line : lines) to.details.push_back("  | " + line.substr(0, 300));
}

// "1 byte", "2 bytes".
std::string amount(std::size_t count, std::string_view of) {
  return fmt::format("{} {}{}", count, of, count == 1 ? "" : "s");
}

struct finding_meaning {
  std::string_view kind;
  verdict outcome;
  std::string_view cause;
};

// Ordered by how much a finding explains: an access out of bounds also makes races and wrong results.
// What the simulator does not know comes last: it explains nothing that was seen before it.
constexpr finding_meaning kMeanings[] = {
    {"out_of_bounds", verdict::out_of_bounds, cause::none},
    {"use_after_free", verdict::out_of_bounds, cause::use_after_free},
    {"misaligned", verdict::out_of_bounds, cause::misaligned},
    {"stack_overflow", verdict::out_of_bounds, cause::none},
    {"assertion", verdict::crashed, cause::device_assert},
    {"illegal_instruction", verdict::crashed, cause::device_trap},
    {"trap", verdict::crashed, cause::device_trap},
    {"divergent_barrier", verdict::race, cause::divergent_barrier},
    {"missing_wait", verdict::race, cause::missing_wait},
    {"missing_fence", verdict::race, cause::missing_fence},
    {"race", verdict::race, cause::none},
    {"undefined_mask", verdict::race, cause::none},
    {"deadlock", verdict::timeout, cause::deadlock},
    {"runaway", verdict::timeout, cause::endless_loop},
    {"bad_call", verdict::wrong_result, cause::runtime_error},
    {"uninitialised_read", verdict::wrong_result, cause::uninitialised_read},
    {"unsupported_instruction", verdict::unsupported_feature, cause::unsupported_instruction},
};

// A CUDA error as a reader knows it: contracts return numbers, so that they need no CUDA header.
std::string error_text(std::int64_t status) {
  struct known {
    int code;
    const char* name;
  };
  static constexpr known kNames[] = {{0, "cudaSuccess"},
                                     {1, "cudaErrorInvalidValue"},
                                     {2, "cudaErrorMemoryAllocation"},
                                     {9, "cudaErrorInvalidConfiguration"},
                                     {12, "cudaErrorInvalidPitchValue"},
                                     {13, "cudaErrorInvalidSymbol"},
                                     {98, "cudaErrorInvalidDeviceFunction"},
                                     {101, "cudaErrorInvalidDevice"},
                                     {209, "cudaErrorNoKernelImageForDevice"},
                                     {400, "cudaErrorInvalidResourceHandle"},
                                     {600, "cudaErrorNotReady"},
                                     {700, "cudaErrorIllegalAddress"},
                                     {701, "cudaErrorLaunchOutOfResources"},
                                     {719, "cudaErrorLaunchFailure"},
                                     {801, "cudaErrorNotSupported"},
                                     {999, "cudaErrorUnknown"}};
  for (const auto& one : kNames) {
    if (one.code == status) return fmt::format("{} ({})", one.name, status);
  }
  return fmt::format("{}", status);
}

// The first call that was answered with an error: in the timed calls, or before.
std::string failed_call(const device_report& report, const device_report& before) {
  auto call = text_of(member_of(report.raw(), "errors"), "first_call");
  return call.empty() ? text_of(member_of(before.raw(), "errors"), "first_call") : call;
}

judgement diagnose_cuda_error(const json& error, bool at_call, const device_report& report,
                              const device_report& before, const problem& asked) {
  judgement found;
  const int code = member_of(error, "code").is_number_integer() ? member_of(error, "code").get<int>() : 0;
  const auto name = one_line(text_of(error, "name"));
  const auto quoted =
      fmt::format("{} ({})", name.empty() ? "an error" : name, one_line(text_of(error, "text")));
  const auto set = [&](verdict outcome, std::string_view why, std::string sentence) {
    found.outcome = outcome;
    found.cause = why;
    found.headline = std::move(sentence);
  };
  const auto call = failed_call(report, before);
  const bool made_to_fail = std::any_of(asked.failing().begin(), asked.failing().end(),
                                        [&](const auto& one) { return one.name == call; });
  // It ends the device's work for the whole process: the next call of whoever comes along fails.
  if (report.calls_of("cudaDeviceReset") > 0) {
    set(verdict::wrong_result, cause::runtime_error,
        "the program calls cudaDeviceReset(), which destroys its caller's memory and streams with its own: "
        "leave the call out, and free what you have made");
    return found;
  }
  const auto calls = [&](std::string_view function) {
    return before.calls_of(function) + report.calls_of(function);
  };
  // Whoever comes next is refused, and the error names a call that the program never made.
  constexpr int kFirstOfCapture = 900, kLastOfCapture = 908;
  if (code >= kFirstOfCapture && code <= kLastOfCapture &&
      calls("cudaStreamBeginCapture") > calls("cudaStreamEndCapture")) {
    set(verdict::wrong_result, cause::runtime_error,
        "the program begins to capture a stream (cudaStreamBeginCapture) and does not end that before it "
        "returns: nothing more can be done with the stream. Call cudaStreamEndCapture, and launch the graph");
    found.details.push_back(quoted);
    return found;
  }
  switch (code) {
    case 700:
      set(verdict::out_of_bounds, cause::none, "a kernel touched memory outside its buffers: " + quoted);
      break;
    case 716:
      set(verdict::out_of_bounds, cause::misaligned,
          "a kernel used an address that its access width does not allow: " + quoted);
      break;
    case 702:
      set(verdict::timeout, cause::endless_loop, "a kernel did not come to an end: " + quoted);
      break;
    case 710:
      set(verdict::crashed, cause::device_assert, "an assertion failed in a kernel: " + quoted);
      break;
    case 715:
    case 719:
      set(verdict::crashed, cause::device_trap, "a kernel was ended by the device: " + quoted);
      break;
    case 209:
    case 222:
    case 218:
      set(verdict::unsupported_device, cause::no_kernel_image,
          "the program holds no code for this GPU: configure again on this machine. " + quoted);
      break;
    case 801:
      set(verdict::unsupported_feature, cause::unsupported_call,
          "a call is not supported on this device: " + quoted);
      break;
    case 2:
      set(verdict::wrong_result, cause::runtime_error,
          made_to_fail
              ? fmt::format(
                    "`{}` is made to fail in this case, and its error is still there when your function "
                    "has returned, where the next check would find it: take it away by calling "
                    "cudaGetLastError() once",
                    call)
              : fmt::format(
                    "the device has no memory left for what {} asks: ask for less, or free what is no "
                    "longer needed, and look at what the call returns ({})",
                    call.empty() ? "the program" : "`" + call + "`", quoted));
      break;
    case 1:
    case 9:
    case 98:
    case 701:
    case 720:
      set(verdict::wrong_result, cause::launch_failed,
          fmt::format(
              "a kernel was never started, or a call was refused: {}. {}", quoted,
              code == 701 ? "Too many registers for the number of threads a block."
              : code == 9
                  ? "Look at grid and block sizes: at most 1024 threads a block, and no dimension may be 0."
              : code == 1 ? "Look at the launch's shared memory: above 48 KB a kernel needs "
                            "cudaFuncSetAttribute first."
                          : "Look at the launch."));
      break;
    default:
      set(verdict::wrong_result, cause::runtime_error,
          fmt::format("{} failed: {}", call.empty() ? "a CUDA call of the program" : "`" + call + "`",
                      quoted));
      constexpr int kInvalidHandle = 400;
      if (code == kInvalidHandle && calls("cudaStreamDestroy") > 0)
        found.headline +=
            ". The stream that your function is given belongs to its caller: is that the one that "
            "cudaStreamDestroy took?";
  }
  // The simulator knows which rule was broken; the error's number does not.
  if (const auto reasons = warnings_of(report); !reasons.empty()) {
    if (found.cause == cause::launch_failed) {
      found.headline = fmt::format("a kernel was never started, or a call was refused: {}", reasons.front());
      found.details.push_back(quoted);
    } else {
      found.details.push_back(reasons.front());
    }
  }
  if (at_call)
    found.details.push_back("Found by cudaGetLastError() right after the call: check it after each launch.");
  return found;
}

}  // namespace

namespace {

// Why a process aborts stands in the words that the C and C++ libraries say before they end it.
std::string why_aborted(const std::string& said) {
  const auto has = [&](std::string_view words) { return said.find(words) != std::string::npos; };
  if (has("free(): ") || has("munmap_chunk(): "))
    return "free() got an address that malloc() did not give: give each block back by the call that belongs "
           "to the one "
           "it came from, and once";
  if (has("malloc(): ") || has("corrupted ") || has("realloc(): "))
    return "something was written past the end of a block of host memory: look at the indices of what the "
           "host writes";
  if (has("' failed.")) return "an assert() failed: its text is below";
  if (has("terminate called"))
    return "nobody catches an exception that it throws: catch it, or do not throw it";
  return "let your function return instead";
}

}  // namespace

judgement diagnose_silence(const reply& answer, worker_process& worker, const std::string& doing,
                           double patience_seconds) {
  judgement found;
  switch (answer.status) {
    case reply_status::timed_out:
      found.outcome = verdict::timeout;
      found.cause = cause::endless_loop;
      found.headline =
          answer.error.empty()
              ? fmt::format(
                    "no end after {:.0f} seconds {}: a kernel, or a loop on the host, does not finish",
                    patience_seconds, doing)
              : fmt::format(
                    "your host code did not return {} (stopped after {:.0f} seconds): it hangs {}, and "
                    "the device has nothing to do, so look there for a loop or a wait without end",
                    doing, patience_seconds, answer.error);
      break;
    case reply_status::forged:
      found.outcome = verdict::crashed;
      found.cause = cause::protocol_violation;
      found.headline = "the program wrote into the grader's own channel " + doing +
                       ": nothing that it says can be believed";
      break;
    case reply_status::cut_off:
      found.outcome = verdict::crashed;
      found.cause = cause::protocol_violation;
      found.headline = fmt::format("the program meddles with its connection to the simulated GPU {}: {}",
                                   doing, answer.error);
      break;
    case reply_status::gave_up:
      found.outcome = verdict::crashed;
      found.cause = cause::protocol_violation;
      found.headline = fmt::format("the program's process does not follow the grader {}: it says \"{}\"",
                                   doing, one_line(answer.error));
      break;
    case reply_status::device_full:
      found.outcome = verdict::wrong_result;
      found.cause = cause::runtime_error;
      found.headline = fmt::format(
          "the simulated GPU has no memory left for what the program has it keep {}: are there launches, "
          "objects or graphs "
          "without end?",
          doing);
      break;
    case reply_status::no_device:
      found.outcome = verdict::harness_error;
      found.headline =
          fmt::format("{} {}: grade again, and report it if that does not help", answer.error, doing);
      break;
    case reply_status::exited: {
      found.outcome = verdict::crashed;
      const auto end = worker.end().value_or(process_end{});
      if (!end.by_signal) {
        found.cause = cause::early_exit;
        found.headline = fmt::format(
            "the program ended the process itself (status {}) {}: a hand-in must return, not exit", end.code,
            doing);
      } else if (end.code == SIGSEGV || end.code == SIGBUS) {
        found.cause = cause::segmentation_fault;
        found.headline = fmt::format(
            "the host code read or wrote an address that is not its own (segmentation fault) {}: "
            "is a device pointer used on the host?",
            doing);
      } else if (end.code == SIGXCPU) {
        found.outcome = verdict::timeout;
        found.cause = cause::endless_loop;
        found.headline = "the program used up its processor time " + doing;
      } else {
        found.cause = end.code == SIGABRT ? cause::abort : cause::other_signal;
        found.headline = end.code == SIGABRT ? fmt::format("the host code was ended by abort() {}: {}", doing,
                                                           why_aborted(worker.output()))
                                             : fmt::format("the program {} {}", end.text(), doing);
      }
      break;
    }
    case reply_status::refused:
      found.outcome = verdict::harness_error;
      found.headline = fmt::format("the grader's worker cannot go on {}: {}", doing, answer.error);
      break;
    case reply_status::ok:
      break;
  }
  add_output(found, worker);
  return found;
}

std::optional<judgement> diagnose_findings(const device_report& report) {
  for (const auto& meaning : kMeanings) {
    const auto* const finding = report.error(meaning.kind);
    if (!finding) continue;
    judgement found;
    found.outcome = meaning.outcome;
    found.cause = meaning.cause;
    found.at = finding->at;
    found.address = finding->address;
    found.allocation = finding->allocation;
    found.headline = finding->message;
    found.findings = report.findings_json();
    std::size_t others = 0;
    for (const auto& other : report.findings()) {
      if (&other == finding) continue;
      if (++others <= 3 && !other.message.empty()) {
        found.details.push_back(
            fmt::format("{}{}: {}", other.is_error() ? "also " : "note, ", other.kind, other.message));
      }
    }
    return found;
  }
  return std::nullopt;
}

std::vector<std::string> warnings_of(const device_report& report) {
  std::vector<std::string> lines;
  for (const auto& one : report.findings()) {
    if (one.is_error() || one.kind == "leak" || one.message.empty() || lines.size() >= 3) continue;
    lines.push_back(one.message);
  }
  return lines;
}

void add_warnings(judgement& to, const device_report& report) {
  bool first = true;
  for (const auto& one : report.findings()) {
    if (one.is_error() || one.kind == "leak" || one.message.empty()) continue;
    if (!first) {
      to.details.push_back("The simulated GPU warns: " + one.message);
      continue;
    }
    first = false;
    if (!to.headline.ends_with('.')) to.headline += '.';
    to.headline += " The simulated GPU warns: " + one.message;
    if (to.at.line == 0) to.at = one.at;
  }
}

judgement harness_trouble(std::string sentence) {
  judgement found;
  found.outcome = verdict::harness_error;
  found.headline = std::move(sentence);
  return found;
}

namespace {

std::optional<judgement> diagnose_exception(const json& body) {
  const auto& thrown = member_of(body, "exception");
  if (!thrown.is_object()) return std::nullopt;
  const auto what = one_line(text_of(thrown, "what"));
  judgement found;
  found.outcome = verdict::crashed;
  found.cause = cause::exception;
  found.headline = fmt::format("{} threw an exception{}: a contract's function returns, it does not throw",
                               one_line(text_of(thrown, "function")), what.empty() ? "" : " (" + what + ")");
  return found;
}

std::optional<judgement> diagnose_refused_answer(const json& body, const problem& asked) {
  const auto& refused = member_of(body, "refused");
  if (!refused.is_object() || !member_of(refused, "call").is_number_unsigned()) return std::nullopt;
  const auto index = refused["call"].get<std::size_t>();
  if (index >= asked.calls().size()) return std::nullopt;
  const auto& call = asked.calls()[index];
  const auto answer =
      member_of(refused, "answer").is_number_unsigned() ? refused["answer"].get<std::uint64_t>() : 0;
  judgement found;
  found.outcome = verdict::wrong_result;
  found.cause = cause::refused_answer;
  if (call.returns == call_result::size) {
    found.headline = fmt::format("{} returned {}: {}", call.function, answer, call.otherwise);
  } else if (answer == 0) {
    found.headline = fmt::format("{} returned a null pointer where memory was asked for", call.function);
  } else {
    found.headline = fmt::format(
        "the memory that {} returned cannot be filled: is it of the kind that the contract names?",
        call.function);
  }
  return found;
}

// The simulated GPU knows which call was refused: where that was no launch, advice about launches misleads.
judgement named_call(judgement found, const json& body, const device_report& report) {
  if (found.cause != cause::launch_failed) return found;
  for (const device_report& one : {device_report(text_of(body, "report_before")), report}) {
    if (!one.present()) continue;
    const auto call = text_of(member_of(one.raw(), "errors"), "first_call");
    if (call.empty()) continue;
    if (call.find("Launch") != std::string::npos || call == "cudaGetLastError") return found;
    const auto code = static_cast<std::int64_t>(number_of(member_of(one.raw(), "errors"), "first"));
    found.cause = cause::runtime_error;
    found.headline = fmt::format("{} was refused with {}: look at its arguments", call, error_text(code));
    return found;
  }
  return found;
}

// Statuses that are not the wanted ones; the first one counts.
std::optional<judgement> diagnose_answers(const json& body, const problem& asked) {
  const auto& answers = member_of(body, "answers");
  if (!answers.is_array()) return std::nullopt;
  for (std::size_t index = 0; index < asked.calls().size() && index < answers.size(); ++index) {
    const auto& call = asked.calls()[index];
    if (call.returns != call_result::status || !answers[index].is_number_integer()) continue;
    const auto status = answers[index].get<std::int64_t>();
    if (status == call.wanted_status) continue;
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = call.wanted_status ? cause::wrong_status : cause::runtime_error;
    found.headline = call.wanted_status == 0 ? fmt::format("{} returned error {} instead of cudaSuccess",
                                                           call.function, error_text(status))
                     : status == 0 ? fmt::format("{} returned cudaSuccess where {} was due", call.function,
                                                 error_text(call.wanted_status))
                                   : fmt::format("{} returned {} where {} was due", call.function,
                                                 error_text(status), error_text(call.wanted_status));
    return found;
  }
  return std::nullopt;
}

// A kernel whose many threads each do nearly nothing is stopped like one without an end: then the launch is what to look at.
void blame_the_launch(judgement& found, const device_report& report, const problem& asked) {
  constexpr double kFarTooMany = 1000;
  if (report.launches().empty()) return;
  const auto& last = report.launches().back();
  const double threads = static_cast<double>(last.grid) * static_cast<double>(last.block),
               outputs = static_cast<double>(asked.output_elements());
  if (outputs <= 0 || threads < kFarTooMany * outputs) return;
  found.headline = fmt::format(
      "{} was stopped: its launch has {:.0f} threads for {:.0f} outputs; "
      "launch only those that have something to do",
      last.kernel, threads, outputs);
}

}  // namespace

std::optional<judgement> diagnose_call(const json& body, const device_report& report, const problem& asked) {
  if (auto found = diagnose_exception(body)) return found;
  auto seen = diagnose_findings(report);
  if (seen && seen->cause == cause::endless_loop) blame_the_launch(*seen, report, asked);
  // What a copy that was made to fail should have brought nobody has written: what the function makes of the error says more.
  if (seen && seen->cause == cause::uninitialised_read && !asked.failing().empty()) seen.reset();
  if (seen && seen->outcome != verdict::unsupported_feature) return seen;
  if (auto found = diagnose_refused_answer(body, asked)) return found;
  const auto& sync_error = member_of(body, "sync_error");
  const auto& call_error = member_of(body, "call_error");
  // A stub that the simulator does not have: what follows from it is not the student's fault.
  if (!report.unsupported().empty() && (sync_error.is_object() || call_error.is_object())) {
    judgement found;
    found.outcome = verdict::unsupported_feature;
    found.cause = cause::unsupported_call;
    found.headline = fmt::format("the simulated GPU does not have {}: this program needs a real GPU",
                                 report.unsupported().front());
    return found;
  }
  if (seen) return seen;
  const device_report done_before(text_of(body, "report_before"));
  if (sync_error.is_object())
    return named_call(diagnose_cuda_error(sync_error, false, report, done_before, asked), body, report);
  // Where an error is wanted, the runtime may still remember it.
  if (call_error.is_object() && !asked.wants_error())
    return named_call(diagnose_cuda_error(call_error, true, report, done_before, asked), body, report);
  if (auto found = diagnose_answers(body, asked)) {
    // An error that the program hands on, and should not have met: the simulator knows which rule was broken.
    if (found->cause == cause::runtime_error) add_warnings(*found, report);
    return found;
  }
  const auto& before = member_of(body, "threads_before");
  const auto& after = member_of(body, "threads_after");
  if (report.present() && before.is_number_integer() && after.is_number_integer() &&
      after.get<int>() > before.get<int>()) {
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::background_thread;
    const int more = after.get<int>() - before.get<int>();
    found.headline =
        fmt::format("{} still {} after the function has returned: all work belongs to the stream",
                    amount(static_cast<std::size_t>(more), "host thread"), more == 1 ? "runs" : "run");
    return found;
  }
  return std::nullopt;
}

std::string element_at(const problem& asked, const json& addresses, std::uint64_t address) {
  constexpr std::int64_t kNear = 16 << 20;  // bytes; farther away the index says nothing
  if (!addresses.is_array()) return {};
  std::string text;
  std::int64_t nearest = kNear;
  for (std::size_t index = 0; index < asked.buffers().size() && index < addresses.size(); ++index) {
    if (!addresses[index].is_number_unsigned() || addresses[index] == 0u) continue;
    const auto& one = asked.buffers()[index];
    const auto size = static_cast<std::int64_t>(one.type.size),
               count = static_cast<std::int64_t>(one.count * one.options.spread);
    const auto distance = static_cast<std::int64_t>(address - addresses[index].get<std::uint64_t>());
    const auto outside = distance < 0 ? -distance : std::max<std::int64_t>(0, distance - count * size + 1);
    if (outside >= nearest) continue;
    nearest = outside;
    const auto element = distance >= 0 ? distance / size : -((-distance + size - 1) / size);
    const auto extent = count == 0   ? fmt::format("{} has no elements in this case", one.name)
                        : count == 1 ? fmt::format("{} has one element", one.name)
                                     : fmt::format("{} has elements 0 to {}", one.name, count - 1);
    text = fmt::format(
        "That is {}[{}]; {}{}.", one.name, element, extent,
        one.options.ghosts ? fmt::format(", and {} ghosts at both ends", one.options.ghosts) : std::string());
  }
  return text;
}

judgement diagnose_damage(const damage& what) {
  judgement found;
  if (what.in_guard) {
    found.outcome = verdict::out_of_bounds;
    found.cause = cause::guard_zone;
    found.headline = fmt::format("something was written outside {}: at {}[{}], {} in all", what.buffer,
                                 what.buffer, what.element, amount(what.bytes, "byte"));
  } else {
    found.outcome = verdict::wrong_result;
    found.cause = cause::inputs_modified;
    found.headline = fmt::format("the input {} was changed: first at {}[{}], {} in all. Inputs are read only",
                                 what.buffer, what.buffer, what.element, amount(what.bytes, "byte"));
  }
  return found;
}

std::string memory_left(const device_report& before, const device_report& timed, const device_report& after) {
  if (!before.present() || !timed.present() || !after.present()) return {};
  std::map<std::string, double> left;  // bytes by kind
  for (const device_report* one : {&before, &timed, &after}) {
    const json& kinds = member_of(member_of(one->raw(), "allocations"), "kinds");
    if (!kinds.is_array()) return {};
    for (const auto& kind : kinds)
      left[text_of(kind, "kind")] += number_of(kind, "made_bytes") - number_of(kind, "freed_bytes");
  }
  std::string what;
  for (const auto& [kind, bytes] : left) {
    if (bytes > 0)
      what += fmt::format("{}{} of {}", what.empty() ? "" : " and ", size_text(bytes),
                          kind == "array" ? "kind array" : kind + " memory");
  }
  return what;
}

std::optional<judgement> diagnose_left(const std::string& left) {
  if (left.empty()) return std::nullopt;
  judgement found;
  found.outcome = verdict::wrong_result;
  found.cause = cause::left_allocated;
  found.headline = left + " are still allocated after teardown: free there what set-up has made";
  return found;
}

judgement diagnose_leak(const std::string& left) {
  judgement found;
  found.outcome = verdict::wrong_result;
  found.cause = cause::left_allocated;
  found.headline = fmt::format(
      "each call leaves {} allocated, and the next call does not use it again: free what a call allocates, "
      "cudaFreeAsync() on its stream will do",
      left);
  return found;
}

std::string objects_left(const device_report& earlier, const device_report& now) {
  struct object {
    const char *member, *one, *many;
  };
  constexpr std::array kObjects = {object{"streams", "stream", "streams"},
                                   object{"events", "event", "events"},
                                   object{"texture_objects", "texture object", "texture objects"},
                                   object{"surface_objects", "surface object", "surface objects"}};
  std::vector<std::string> left;
  for (const object& each : kObjects) {
    const auto before = earlier.figure({"live", each.member}), after = now.figure({"live", each.member});
    if (!before || !after || *after <= *before) continue;
    const double more = *after - *before;
    left.push_back(fmt::format("{:.0f} {}", more, more == 1 ? each.one : each.many));
  }
  return fmt::format("{}", fmt::join(left, " and "));
}

std::optional<judgement> diagnose_left_objects(const std::string& left) {
  if (left.empty()) return std::nullopt;
  judgement found;
  found.outcome = verdict::wrong_result;
  found.cause = cause::left_allocated;
  found.headline =
      left +
      " more than before: teardown has returned, and what set-up or a run has made is still there. "
      "Destroy it in teardown";
  return found;
}

judgement diagnose_leaked_objects(const std::string& left) {
  judgement found;
  found.outcome = verdict::wrong_result;
  found.cause = cause::left_allocated;
  found.headline = fmt::format(
      "each call leaves {} behind, and the next call makes new ones: destroy in a call what the call has "
      "made, or "
      "make it once and use it again",
      left);
  return found;
}

bool shares_memory(const device_report& report) {
  return std::any_of(report.launches().begin(), report.launches().end(), [](const kernel_launch& launch) {
    return std::any_of(launch.sites.begin(), launch.sites.end(),
                       [](const access_site& site) { return site.memory == "shared"; });
  });
}

judgement diagnose_mismatch(const mismatches& what, const std::string& output_name) {
  judgement found;
  found.outcome = verdict::wrong_result;
  found.details = what.lines(output_name);
  if (what.unwritten() == what.count()) {
    found.cause = cause::output_unwritten;
    if (what.count() == what.checked()) {
      found.headline = fmt::format("nothing was written to {}", output_name);
    } else {
      found.headline = fmt::format("{} of {} elements of {} were never written, element {} is the first",
                                   what.count(), what.checked(), output_name, what.lowest());
    }
  } else if (what.non_finite() > 0 && what.non_finite() + what.unwritten() == what.count()) {
    found.cause = cause::non_finite;
    found.headline = fmt::format(
        "{} of {} {} NaN or infinite. Did a number become too large on the way (an exponential, a product, a "
        "quotient by 0)? Or is something "
        "read that nobody wrote: what {} held before the call, or what lies one element past the end of an "
        "input?",
        amount(what.non_finite(), "element"), output_name, what.non_finite() == 1 ? "is" : "are",
        output_name);
  } else {
    found.cause = cause::mismatch;
    const auto first = what.first();
    if (first.empty()) {
      found.headline = "the output is wrong";
    } else {
      const auto& one = first.front();
      const auto name = one.field.empty() ? fmt::format("{}[{}]", output_name, one.index)
                                          : fmt::format("{}[{}].{}", output_name, one.index, one.field);
      found.headline = fmt::format("{} should be {} and is {}", name, one.expected_text(), one.actual_text());
      if (what.checked() > 1)
        found.headline += fmt::format("; {} of {} elements {} wrong", what.count(), what.checked(),
                                      what.count() == 1 ? "is" : "are");
    }
  }
  return found;
}

namespace {

judgement work_elsewhere(std::string sentence, road by) {
  judgement found;
  found.outcome = verdict::wrong_result;
  found.cause = cause::work_off_device;
  found.headline = std::move(sentence);
  if (contains(by, road::kernels)) {
    found.details.push_back(
        "The output is right, but the exercise asks for kernels of your own that read the input and write "
        "the output in the timed call.");
  }
  return found;
}

}  // namespace

std::optional<judgement> diagnose_work(const device_report& report, const problem& asked) {
  if (!report.present() || asked.wants_error() || asked.output_elements() == 0) return std::nullopt;
  const bool copies_count = contains(asked.roads(), road::copies);
  double loaded = contains(asked.roads(), road::kernels) ? report.bytes_loaded_by_kernels() : 0;
  double stored = contains(asked.roads(), road::kernels) ? report.bytes_stored_by_kernels() : 0;
  if (copies_count) {
    const double within = report.copied_bytes("device_to_device");
    loaded += report.copied_bytes("host_to_device") + within;
    stored += report.copied_bytes("device_to_host") + within;
  } else if (!asked.gives_to_host() && report.copied_bytes("device_to_host") > 0) {
    return work_elsewhere(
        fmt::format(
            "the function copies {:.0f} bytes from the device to the host: the work belongs in kernels",
            report.copied_bytes("device_to_host")),
        asked.roads());
  }
  const char* const who = copies_count ? "the calls" : "the kernels";
  if (const double needed = asked.work_share() * asked.bytes_read(); loaded < needed) {
    return work_elsewhere(fmt::format("{} asked for {:.0f} bytes of input, and the input has {:.0f}: where "
                                      "did the rest of the work happen?",
                                      who, loaded, asked.bytes_read()),
                          asked.roads());
  }
  if (const double needed = asked.work_share() * asked.bytes_written(); stored < needed) {
    return work_elsewhere(fmt::format("{} wrote {:.0f} bytes, and the output has {:.0f}: who wrote the rest?",
                                      who, stored, asked.bytes_written()),
                          asked.roads());
  }
  return std::nullopt;
}

std::optional<judgement> diagnose_default_stream(const device_report& report, const problem& asked) {
  const auto takes_stream = [](const call& one) {
    return one.phase != call_phase::timed ||
           std::any_of(one.arguments.begin(), one.arguments.end(),
                       [](const argument& each) { return each.kind == "stream"; });
  };
  if (!std::all_of(asked.calls().begin(), asked.calls().end(), takes_stream)) return std::nullopt;
  // Who waits by hand, on either side, may well keep the order. One wait is the judge's own.
  double waits = 0;
  for (const char* const name :
       {"cudaStreamWaitEvent", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize"})
    waits += report.calls_of(name);
  if (waits > 1) return std::nullopt;
  for (const auto& one : report.operations()) {
    const bool fills = one.name == "memset", copies = one.engine == "copy within device";
    if (one.stream != 0 || !(fills || copies || one.engine == "kernel")) continue;
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::unjoined_stream;
    const std::string what =
        fills    ? "memory is filled in the default stream: call cudaMemsetAsync with `stream` as its last "
                   "argument"
        : copies ? "memory is copied in the default stream: call cudaMemcpyAsync with `stream` as its last "
                   "argument"
                 : one.name +
                       " is launched in the default stream: launch it in `stream`, as the fourth argument "
                       "between <<< and >>>";
    found.headline =
        what + ". Who calls your function may have made a stream that does not wait for the default one";
    return found;
  }
  return std::nullopt;
}

std::optional<judgement> diagnose_before(const device_report& report_before, const problem& asked) {
  if (!report_before.present() || !asked.forbids_kernels_before() || report_before.launches().empty())
    return std::nullopt;
  return work_elsewhere(
      fmt::format("set-up launches {}: it may copy and make objects, the work belongs in the timed call",
                  report_before.launches().front().kernel),
      asked.roads());
}

}  // namespace course
