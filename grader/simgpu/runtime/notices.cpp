/// @file
/// Notices on standard error.
#include "simgpu/runtime/notices.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace simgpu::runtime {
namespace {

std::string_view name_of_file(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

void notice(Runtime& runtime, std::string_view text) {
  if (runtime.reports_elsewhere || std::getenv("SIMGPU_REPORT") != nullptr) return;
  if (!runtime.notices.emplace(text).second) return;
  fmt::print(stderr, "simgpu: {}\n", text);
}

void notice_fault(Runtime& runtime, const observe::Findings& findings) {
  for (const observe::Finding& finding : findings.all()) {
    // An assertion has spoken for itself.
    if (finding.warning || finding.kind == observe::FindingKind::assertion) continue;
    const std::string where = finding.file.empty()
                                  ? std::string()
                                  : fmt::format("{}:{}: ", name_of_file(finding.file), finding.line);
    notice(runtime, fmt::format("{}{} (SIMGPU_REPORT=text shows the whole report)", where, finding.message));
    return;
  }
}

}  // namespace simgpu::runtime
