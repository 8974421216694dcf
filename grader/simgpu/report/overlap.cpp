/// @file
/// How much of the time of copies was hidden: a sweep over the ends of all operations.
#include <algorithm>
#include <array>
#include <vector>

#include "simgpu/report/report.hpp"

namespace simgpu::report {
namespace {

enum Engine : std::size_t { kIn, kOut, kKernel, kEngines };

/// An operation begins or ends.
struct Edge {
  double at = 0;
  Engine engine = kKernel;
  int step = 0;
};

void add(OverlapReport& sum, std::vector<Edge>& edges) {
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  std::array<int, kEngines> running{};
  double since = 0;
  for (const Edge& edge : edges) {
    const double length = edge.at - since;
    const bool in = running[kIn] > 0, out = running[kOut] > 0, kernel = running[kKernel] > 0;
    if (in || out) sum.copy_seconds += length;
    if ((in && out) || ((in || out) && kernel)) sum.overlapped_seconds += length;
    running[edge.engine] += edge.step;
    since = edge.at;
  }
}

}  // namespace

OverlapReport overlap_of(const TimelineReport& timeline) {
  OverlapReport sum;
  std::uint32_t devices = 0;
  for (const OperationReport& op : timeline.operations) devices = std::max(devices, op.device + 1);
  for (std::uint32_t device = 0; device < devices; ++device) {
    std::vector<Edge> edges;
    for (const OperationReport& op : timeline.operations) {
      if (op.device != device) continue;
      const Engine engine = op.engine == "copy to device" ? kIn
                            : op.engine == "copy to host" ? kOut
                            : op.engine == "kernel"       ? kKernel
                                                          : kEngines;
      if (engine == kEngines) continue;
      edges.push_back({op.begin_seconds, engine, 1});
      edges.push_back({op.end_seconds, engine, -1});
    }
    add(sum, edges);
  }
  return sum;
}

}  // namespace simgpu::report
