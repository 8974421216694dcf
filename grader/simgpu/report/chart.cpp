/// @file
/// Drawing, see chart.hpp.
#include "simgpu/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/report/units.hpp"

namespace simgpu::report {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kRows = 16;  // more streams than that are counted

char mark_of(std::string_view engine) {
  if (engine == "kernel") return '#';
  if (engine == "copy to device") return '>';
  if (engine == "copy to host") return '<';
  return '=';
}

// Seconds in which at least one, and in which at least two, of the operations were under way.
std::pair<double, double> busy_seconds(const std::vector<OperationReport>& operations) {
  std::vector<std::pair<double, int>> edges;
  for (const OperationReport& op : operations) {
    if (op.end_seconds <= op.begin_seconds) continue;
    edges.emplace_back(op.begin_seconds, 1);
    edges.emplace_back(op.end_seconds, -1);
  }
  std::sort(edges.begin(), edges.end());
  double one = 0, two = 0, since = 0;
  int running = 0;
  for (const auto& [at, step] : edges) {
    if (running >= 1) one += at - since;
    if (running >= 2) two += at - since;
    running += step;
    since = at;
  }
  return {one, two};
}

}  // namespace

std::string timeline_chart(const TimelineReport& timeline) {
  using StreamKey = std::pair<std::uint32_t, std::uint64_t>;
  std::map<StreamKey, std::vector<const OperationReport*>> streams;
  double begin = std::numeric_limits<double>::max(), end = 0;
  bool several_devices = false;
  for (const OperationReport& op : timeline.operations) {
    streams[{op.device, op.stream}].push_back(&op);
    begin = std::min(begin, op.begin_seconds);
    end = std::max(end, op.end_seconds);
    several_devices |= op.device != timeline.operations.front().device;
  }
  if (streams.size() < 2 || end <= begin) return {};

  const double column = (end - begin) / kColumns;
  std::string text = fmt::format(
      "Timeline of {}; a column is {}; # kernel, > copy to device, < copy to host, = within the device\n",
      time_text(end - begin), time_text(column));
  std::size_t rows = 0;
  for (const auto& [key, operations] : streams) {
    if (++rows > kRows) {
      text += fmt::format("  and {} more streams\n", streams.size() - kRows);
      break;
    }
    // Each column shows what took most of its time.
    std::vector<std::map<char, double>> taken(kColumns);
    for (const OperationReport* op : operations) {
      const auto first = static_cast<std::size_t>((op->begin_seconds - begin) / column);
      for (std::size_t c = first; c < kColumns; ++c) {
        const double left = begin + static_cast<double>(c) * column;
        if (left >= op->end_seconds) break;
        taken[c][mark_of(op->engine)] +=
            std::min(op->end_seconds, left + column) - std::max(op->begin_seconds, left);
      }
    }
    std::string row(kColumns, '.');
    for (std::size_t c = 0; c < kColumns; ++c) {
      double most = 0;
      for (const auto& [mark, seconds] : taken[c])
        if (seconds > most) row[c] = mark, most = seconds;
    }
    const std::string stream = key.second == 0 ? "default stream" : fmt::format("stream {}", key.second);
    text += fmt::format("  {:<24} {}\n",
                        several_devices ? fmt::format("device {}, {}", key.first, stream) : stream, row);
  }
  const auto [one, two] = busy_seconds(timeline.operations);
  text += fmt::format("  something ran {} of the time, two or more operations at once {}\n",
                      percent_text(one / (end - begin)), percent_text(two / (end - begin)));
  if (timeline.omitted != 0) text += fmt::format("  {} later operations are not shown\n", timeline.omitted);
  return text;
}

}  // namespace simgpu::report
