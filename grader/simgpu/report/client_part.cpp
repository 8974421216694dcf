/// @file
/// See client_part.hpp.
#include "simgpu/report/client_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace simgpu::report {
namespace {

std::string count_of(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

void add(Report& report, ClientPart part) {
  report.api = std::move(part.api);
  report.errors = std::move(part.errors);
  report.unsupported = std::move(part.unsupported);
  report.live.streams = part.streams;
  report.live.events = part.events;
  report.persistence.limit_bytes = std::max(report.persistence.limit_bytes, part.persisting_limit);
}

void add_leaks(Report& report) {
  std::vector<std::string> parts;
  const std::size_t memory = report.allocations.live_count;
  if (memory != 0) {
    const std::uint64_t largest = report.allocations.largest_live_bytes;
    parts.push_back(fmt::format("{} ({}{})", count_of(memory, "allocation", "allocations"),
                                count_of(report.allocations.live_bytes, "byte", "bytes"),
                                memory == 1 ? "" : fmt::format(", the largest of {}", largest)));
  }
  if (report.live.streams != 0) parts.push_back(count_of(report.live.streams, "stream", "streams"));
  if (report.live.events != 0) parts.push_back(count_of(report.live.events, "event", "events"));
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

}  // namespace simgpu::report
