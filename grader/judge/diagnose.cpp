/// @file
/// See diagnose.hpp.
#include "judge/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <sstream>

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

void add_output(judgement& to, worker_process& worker) {
  const auto lines = last_lines(worker.output(), 10);
  if (lines.empty()) return;
  to.details.push_back("The program's last output:");
  for (const auto& line : lines) to.details.push_back("  | " + line.substr(0, 300));
}

struct finding_meaning {
  std::string_view kind;
  verdict outcome;
  std::string_view cause;
};

// Ordered by how much a finding explains: an access out of bounds also makes races and wrong results.
constexpr finding_meaning kMeanings[] = {
    {"unsupported_instruction", verdict::unsupported_feature, cause::unsupported_instruction},
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
    {"deadlock", verdict::timeout, cause::deadlock},
    {"runaway", verdict::timeout, cause::endless_loop},
    {"bad_call", verdict::wrong_result, cause::runtime_error},
    {"uninitialised_read", verdict::wrong_result, cause::uninitialised_read},
};

const json& member(const json& from, const char* key) {
  static const json kNothing;
  const auto found = from.find(key);
  return found == from.end() ? kNothing : *found;
}

judgement diagnose_cuda_error(const json& error, bool at_call) {
  judgement found;
  const int code = member(error, "code").is_number_integer() ? member(error, "code").get<int>() : 0;
  const auto name = member(error, "name").is_string() ? member(error, "name").get<std::string>() : "an error";
  const auto text = member(error, "text").is_string() ? member(error, "text").get<std::string>() : "";
  const auto quoted = fmt::format("{} ({})", name, text);
  const auto set = [&](verdict outcome, std::string_view why, std::string sentence) {
    found.outcome = outcome;
    found.cause = why;
    found.headline = std::move(sentence);
  };
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
          "the device has no memory left for what the program asks: " + quoted);
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
          fmt::format("a CUDA call of the program failed: {}", quoted));
  }
  if (at_call)
    found.details.push_back("Found by cudaGetLastError() right after the call: check it after each launch.");
  return found;
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
          fmt::format("no end after {:.0f} seconds {}: a kernel, or a loop on the host, does not finish",
                      patience_seconds, doing);
      break;
    case reply_status::forged:
      found.outcome = verdict::crashed;
      found.cause = cause::protocol_violation;
      found.headline = "the program wrote into the grader's own channel " + doing +
                       ": nothing that it says can be believed";
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
        found.headline = fmt::format("the program {} {}", end.text(), doing);
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

std::optional<judgement> diagnose_call(const json& body, const device_report& report) {
  if (auto found = diagnose_findings(report)) return found;
  const auto& sync_error = member(body, "sync_error");
  const auto& call_error = member(body, "call_error");
  // A stub that the simulator does not have comes first: what follows from it is not the student's fault.
  if (!report.unsupported().empty() && (sync_error.is_object() || call_error.is_object())) {
    judgement found;
    found.outcome = verdict::unsupported_feature;
    found.cause = cause::unsupported_call;
    found.headline = fmt::format("the simulated GPU does not have {}: this program needs a real GPU",
                                 report.unsupported().front());
    return found;
  }
  if (sync_error.is_object()) return diagnose_cuda_error(sync_error, false);
  if (call_error.is_object()) return diagnose_cuda_error(call_error, true);
  if (member(body, "returned").is_number_integer() && body["returned"].get<int>() != 0) {
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::runtime_error;
    found.headline =
        fmt::format("the function returned error {} instead of cudaSuccess", body["returned"].get<int>());
    return found;
  }
  const auto& before = member(body, "threads_before");
  const auto& after = member(body, "threads_after");
  if (report.present() && before.is_number_integer() && after.is_number_integer() &&
      after.get<int>() > before.get<int>()) {
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::background_thread;
    found.headline = fmt::format(
        "{} host thread(s) still run after the function has returned: all work belongs to the stream",
        after.get<int>() - before.get<int>());
    return found;
  }
  return std::nullopt;
}

std::string element_at(const problem& asked, const json& addresses, std::uint64_t address) {
  constexpr std::int64_t kNear = 16 << 20;  // bytes; farther away the index says nothing
  std::string text;
  std::int64_t nearest = kNear;
  for (std::size_t index = 0; index < asked.buffers().size() && index < addresses.size(); ++index) {
    if (!addresses[index].is_number_unsigned()) continue;
    const auto& one = asked.buffers()[index];
    const auto size = static_cast<std::int64_t>(size_of(one.type)),
               count = static_cast<std::int64_t>(one.count);
    const auto distance = static_cast<std::int64_t>(address - addresses[index].get<std::uint64_t>());
    const auto outside = distance < 0 ? -distance : std::max<std::int64_t>(0, distance - count * size + 1);
    if (outside >= nearest) continue;
    nearest = outside;
    const auto element = distance >= 0 ? distance / size : -((-distance + size - 1) / size);
    const auto extent = count == 0   ? fmt::format("{} has no elements in this case", one.name)
                        : count == 1 ? fmt::format("{} has one element", one.name)
                                     : fmt::format("{} has elements 0 to {}", one.name, count - 1);
    text = fmt::format("That is {}[{}]; {}{}.", one.name, element, extent,
                       one.ghosts ? fmt::format(", and {} ghosts at both ends", one.ghosts) : std::string());
  }
  return text;
}

judgement diagnose_damage(const damage& what) {
  judgement found;
  if (what.in_guard) {
    found.outcome = verdict::out_of_bounds;
    found.cause = cause::guard_zone;
    found.headline = fmt::format("something was written outside {}: at {}[{}], {} byte(s) in all",
                                 what.buffer, what.buffer, what.element, what.bytes);
  } else {
    found.outcome = verdict::wrong_result;
    found.cause = cause::inputs_modified;
    found.headline =
        fmt::format("the input {} was changed: first at {}[{}], {} byte(s) in all. Inputs are read only",
                    what.buffer, what.buffer, what.element, what.bytes);
  }
  return found;
}

judgement diagnose_mismatch(const mismatches& what, const std::string& output_name, bool nothing_tried) {
  judgement found;
  found.outcome = verdict::wrong_result;
  found.details = what.lines(output_name);
  if (what.unwritten() == what.count()) {
    found.cause = cause::output_unwritten;
    if (what.count() == what.checked() && nothing_tried) {
      found.outcome = verdict::not_attempted;
      found.cause = cause::none;
      found.headline = "nothing is written yet, and no kernel reads or writes memory: start at the TODOs";
      found.details = {
          "(A kernel whose result is never stored is removed by the compiler, so it looks like this, too.)"};
    } else if (what.count() == what.checked()) {
      found.headline = fmt::format("nothing was written to {}", output_name);
    } else {
      found.headline = fmt::format("{} of {} elements of {} were never written", what.count(), what.checked(),
                                   output_name);
    }
  } else if (what.non_finite() > 0 && what.non_finite() + what.unwritten() == what.count()) {
    found.cause = cause::non_finite;
    found.headline = fmt::format(
        "{} element(s) of {} are NaN or infinite. Is something added to what {} held before the call, or "
        "read that nobody wrote?",
        what.non_finite(), output_name, output_name);
  } else {
    found.cause = cause::mismatch;
    const auto first = what.first();
    found.headline = first.empty()
                         ? "the output is wrong"
                         : fmt::format("{}[{}] should be {:.9g} and is {:.9g}; {} of {} elements are wrong",
                                       output_name, first.front().index, first.front().expected,
                                       first.front().actual, what.count(), what.checked());
  }
  return found;
}

std::optional<judgement> diagnose_work(const device_report& report, const problem& asked) {
  if (!report.present() || asked.output_bytes() == 0 || asked.input_bytes() == 0) return std::nullopt;
  const auto refuse = [](std::string sentence) {
    judgement found;
    found.outcome = verdict::wrong_result;
    found.cause = cause::work_off_device;
    found.headline = std::move(sentence);
    found.details.push_back(
        "The output is right, but the exercise asks for kernels of your own that read the input and write "
        "the output.");
    return found;
  };
  if (!asked.copies_to_host() && report.device_to_host_bytes() > 0) {
    return refuse(fmt::format(
        "the function copies {:.0f} bytes from the device to the host: the work belongs in kernels",
        report.device_to_host_bytes()));
  }
  const double loaded = report.counter("simgpu__global_bytes_requested_op_ld.sum");
  const double stored = report.counter("simgpu__global_bytes_requested_op_st.sum") +
                        4 * report.counter("simgpu__global_atomic_lanes.sum");
  if (loaded < static_cast<double>(asked.input_bytes())) {
    return refuse(fmt::format(
        "the kernels loaded {:.0f} bytes, but the input has {}: where did the rest of the work happen?",
        loaded, asked.input_bytes()));
  }
  if (stored < static_cast<double>(asked.output_bytes())) {
    return refuse(fmt::format("the kernels stored {:.0f} bytes, but the output has {}: who wrote the rest?",
                              stored, asked.output_bytes()));
  }
  return std::nullopt;
}

}  // namespace course
