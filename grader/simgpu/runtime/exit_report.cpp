/// @file
/// Writing the report at exit, and the exit code for what was found.
#include "simgpu/runtime/exit_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "simgpu/report/report.hpp"
#include "simgpu/runtime/environment.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {
namespace {

std::string count_of(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// What a program left behind: one warning that lists it.
void add_leaks(const Runtime& runtime, report::Report& report) {
  if (!runtime.connection.settings().checks.leaks) return;
  std::vector<std::string> parts;
  const std::size_t memory = report.allocations.live_count;
  if (memory != 0) {
    const std::uint64_t largest = report.allocations.largest_live_bytes;
    parts.push_back(fmt::format("{} ({}{})", count_of(memory, "allocation", "allocations"),
                                count_of(report.allocations.live_bytes, "byte", "bytes"),
                                memory == 1 ? "" : fmt::format(", the largest of {}", largest)));
  }
  const auto streams = static_cast<std::size_t>(std::count_if(runtime.streams.begin(), runtime.streams.end(),
                                                              [](const Stream* s) { return !s->built_in; }));
  if (streams != 0) parts.push_back(count_of(streams, "stream", "streams"));
  if (!runtime.events.empty()) parts.push_back(count_of(runtime.events.size(), "event", "events"));
  if (parts.empty()) return;
  std::string list = parts[0];
  for (std::size_t n = 1; n < parts.size(); ++n) list += (n + 1 == parts.size() ? " and " : ", ") + parts[n];
  observe::Finding leak;
  leak.kind = observe::FindingKind::leak;
  leak.warning = true;
  leak.message = fmt::format(
      "The program ended and left {} behind: free what cudaMalloc and its like gave, and destroy "
      "streams and events.",
      list);
  report.findings.push_back(std::move(leak));
}

/// Writes one form of the report. @param wish "text", "json" or "trace", with ":path" behind it if not for standard error.
void write_form(const report::Report& report, std::string_view wish) {
  const std::size_t colon = wish.find(':');
  const std::string_view form = wish.substr(0, colon);
  const std::string path = colon == std::string_view::npos ? "" : std::string(wish.substr(colon + 1));
  if (form != "text" && form != "json" && form != "trace") {
    fmt::print(stderr,
               "simgpu: SIMGPU_REPORT has \"{}\"; it must be text, json or trace, with :path behind it if "
               "wanted, or several of them with commas between.\n",
               wish);
    return;
  }
  std::FILE* out = stderr;
  if (!path.empty()) {
    out = std::fopen(path.c_str(), "w");
    if (out == nullptr) {
      fmt::print(stderr, "simgpu: cannot write the report to {} ({}); check the path in SIMGPU_REPORT.\n",
                 path, std::strerror(errno));
      return;
    }
  }
  std::string text = form == "json" ? report::to_json(report) + '\n'
                     : form == "trace"
                         ? report::to_trace(report) + '\n'
                         : report::to_text(report, {.colour = path.empty() && isatty(STDERR_FILENO) != 0});
  const bool written = std::fputs(text.c_str(), out) >= 0;
  const bool closed = out == stderr || std::fclose(out) == 0;
  if (!written || !closed)
    fmt::print(stderr, "simgpu: the report in {} is not whole: {}.\n", path, std::strerror(errno));
}

std::size_t errors_of(const report::Report& report) {
  return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                [](const observe::Finding& one) { return !one.warning; }));
}

/// The report so far, written in all the forms that are wished for. @param wishes nullptr: in none @return its errors
std::size_t end_and_write(Runtime& runtime, const char* wishes) {
  const std::lock_guard lock(runtime.mutex);
  runtime.connection.end_all();
  report::Report report = runtime.take_report();
  add_leaks(runtime, report);
  for (std::string_view rest = wishes != nullptr ? wishes : ""; wishes != nullptr;) {
    const std::size_t comma = rest.find(',');
    write_form(report, rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return errors_of(report);
}

/// What was asked for when the runtime began, which is before the program could change its environment.
struct Wishes {
  int exit_code = 0;  // 0: the program's own
  pid_t process = 0;
};
Wishes wishes;

// on_exit and not atexit: only here is the program's own code told, and it is not to be lost.
void at_exit(int own_code, void*) {
  if (getpid() != wishes.process) return;  // a child of the program has the handler too, but no device
  Runtime& runtime = Runtime::get();
  const std::size_t errors = end_and_write(runtime, std::getenv("SIMGPU_REPORT"));
  if (wishes.exit_code == 0 || own_code != 0 || errors == 0) return;
  fmt::print(stderr, "simgpu: {} found, so the exit code is {} and not the program's 0.\n",
             errors == 1 ? "an error was" : fmt::format("{} errors were", errors), wishes.exit_code);
  // In glibc the handlers that are left go on with the new code, and files are flushed.
  std::exit(wishes.exit_code);
}

}  // namespace

void register_exit_report() {
  wishes = {.exit_code = whole_number_of("SIMGPU_ERROR_EXITCODE", 0, 255, 0), .process = getpid()};
  if (std::getenv("SIMGPU_REPORT") != nullptr || wishes.exit_code != 0) on_exit(at_exit, nullptr);
}

}  // namespace simgpu::runtime
