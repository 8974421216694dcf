/// @file
/// See files.hpp.
#include "simgpu/report/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace simgpu::report {
namespace {

/// Writes one form of the report. @param wish "text", "json" or "trace", with ":path" behind it if not for standard error.
void write_form(const Report& report, std::string_view wish) {
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
  std::string text = form == "json" ? to_json(report) + '\n'
                     : form == "trace"
                         ? to_trace(report) + '\n'
                         : to_text(report, {.colour = path.empty() && isatty(STDERR_FILENO) != 0});
  const bool written = std::fputs(text.c_str(), out) >= 0;
  const bool closed = out == stderr || std::fclose(out) == 0;
  if (!written || !closed)
    fmt::print(stderr, "simgpu: the report in {} is not whole: {}.\n", path, std::strerror(errno));
}

}  // namespace

void write_files(const Report& report, std::string_view wishes) {
  while (!wishes.empty()) {
    const std::size_t comma = wishes.find(',');
    write_form(report, wishes.substr(0, comma));
    if (comma == std::string_view::npos) break;
    wishes.remove_prefix(comma + 1);
  }
}

std::size_t errors_of(const Report& report) {
  return static_cast<std::size_t>(std::count_if(report.findings.begin(), report.findings.end(),
                                                [](const observe::Finding& one) { return !one.warning; }));
}

}  // namespace simgpu::report
