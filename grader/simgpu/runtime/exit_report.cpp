/// @file
/// Writing the report at exit.
#include "simgpu/runtime/exit_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "simgpu/report/report.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {
namespace {

void add_leaks(Runtime& runtime, report::Report& report) {
  if (!runtime.config.checks || report.allocations.live_count == 0) return;
  observe::Finding leak;
  leak.kind = observe::FindingKind::leak;
  leak.warning = true;
  leak.occurrences = report.allocations.live_count;
  leak.message = fmt::format("{} allocation{} ({} bytes) not freed when the program ended.", report.allocations.live_count,
                             report.allocations.live_count == 1 ? " was" : "s were", report.allocations.live_bytes);
  report.findings.push_back(std::move(leak));
}

void write_report() {
  const char* wish = std::getenv("SIMGPU_REPORT");
  if (wish == nullptr) return;
  const std::string_view text = wish;
  const std::size_t colon = text.find(':');
  const std::string_view form = text.substr(0, colon);
  const std::string path = colon == std::string_view::npos ? "" : std::string(text.substr(colon + 1));
  if (form != "text" && form != "json") {
    fmt::print(stderr, "simgpu: SIMGPU_REPORT is \"{}\"; it must be text or json, with :path behind it if wanted.\n", text);
    return;
  }
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  report::Report report = runtime.take_report();
  add_leaks(runtime, report);
  std::FILE* out = stderr;
  if (!path.empty()) {
    out = std::fopen(path.c_str(), "w");
    if (out == nullptr) {
      fmt::print(stderr, "simgpu: cannot write the report to {}; check the path in SIMGPU_REPORT.\n", path);
      return;
    }
  }
  if (form == "json") {
    std::fputs(report::to_json(report).c_str(), out);
    std::fputc('\n', out);
  } else {
    std::fputs(report::to_text(report, {.colour = path.empty() && isatty(STDERR_FILENO) != 0}).c_str(), out);
  }
  if (out != stderr) std::fclose(out);
}

}  // namespace

void register_exit_report() {
  if (std::getenv("SIMGPU_REPORT") != nullptr) std::atexit(write_report);
}

}  // namespace simgpu::runtime
