/// @file
/// Notices on standard error.
#include "simgpu/runtime/notices.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace simgpu::runtime {
void notice(Runtime& runtime, std::string_view text) {
  if (runtime.reports_elsewhere || std::getenv("SIMGPU_REPORT") != nullptr) return;
  if (!runtime.notices.emplace(text).second) return;
  fmt::print(stderr, "simgpu: {}\n", text);
}

void notice_fault(Runtime& runtime, std::string_view why) {
  if (!why.empty()) notice(runtime, fmt::format("{} (SIMGPU_REPORT=text shows the whole report)", why));
}

}  // namespace simgpu::runtime
