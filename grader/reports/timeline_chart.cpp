/// @file
/// Implementation of timeline_chart.hpp.
#include "reports/timeline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "records/quantities.hpp"
#include "reports/html.hpp"
#include "reports/layout.hpp"

namespace course::reports {
namespace {

constexpr double kLineWidth = 680, kLineLeft = 118, kLineRight = 668, kLineTop = 10, kRow = 34, kBox = 24;
constexpr double kLetter = 7.6;  // of a label's width, about
constexpr std::size_t kMostRows = 24;

/// A word for a class of the style sheet.
const char* class_of(const std::string& engine) {
  return engine == "kernel"           ? "kernel"
         : engine == "copy to device" ? "up"
         : engine == "copy to host"   ? "down"
                                      : "within";
}

/// What stands in a box, if it is wide enough.
std::string words_in(const operation& one) {
  return one.engine == "kernel"           ? one.name
         : one.engine == "copy to device" ? "up"
         : one.engine == "copy to host"   ? "down"
                                          : one.name;
}

/// 1, 2 or 5 times a power of ten that leaves at most six steps.
double step_of(double seconds) {
  const double rough = seconds / 6, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= rough) return times * power;
  }
  return 10 * power;
}

}  // namespace

std::string timeline_chart(const run_counts& run, const std::string& id) {
  const auto count = [&](auto holds) {
    return std::count_if(run.operations.begin(), run.operations.end(), holds);
  };
  const auto links = count(
      [](const operation& one) { return one.engine == "copy to device" || one.engine == "copy to host"; });
  const auto kernels = count([](const operation& one) { return one.engine == "kernel"; });
  if (links + kernels < 2) return "";
  const bool several_devices =
      std::any_of(run.operations.begin(), run.operations.end(),
                  [&](const operation& one) { return one.device != run.operations[0].device; });
  std::map<std::pair<double, double>, std::size_t> row_of;
  double begin = run.operations[0].begin_seconds, end = 0;
  for (const operation& one : run.operations) {
    if (row_of.size() < kMostRows) row_of.try_emplace({one.device, one.stream}, 0);
    begin = std::min(begin, one.begin_seconds);
    end = std::max(end, one.end_seconds);
  }
  if (!(end > begin) || !std::isfinite(begin) || !std::isfinite(end)) return "";
  std::size_t rows = 0;
  std::map<std::pair<double, double>, std::size_t> stream_number;  // the program's own, from 1
  for (auto& [key, row] : row_of) {
    row = rows++;
    if (key.second != 0) stream_number[key] = stream_number.size() + 1;
  }
  const double bottom = kLineTop + kRow * static_cast<double>(rows), height = bottom + 62;
  const auto x_of = [&](double seconds) {
    return kLineLeft + (kLineRight - kLineLeft) * (seconds - begin) / (end - begin);
  };

  // How many, and how long, in the order in which data pass them.
  std::vector<std::pair<std::string, std::pair<int, double>>> engines;
  for (const char* const engine : {"copy to device", "copy within device", "kernel", "copy to host"})
    engines.push_back({engine, {0, 0.0}});
  for (const operation& one : run.operations) {
    const auto engine = std::find_if(engines.begin(), engines.end(),
                                     [&](const auto& known) { return known.first == one.engine; });
    if (engine == engines.end()) continue;
    ++engine->second.first;
    engine->second.second += one.end_seconds - one.begin_seconds;
  }
  std::erase_if(engines, [](const auto& engine) { return engine.second.first == 0; });
  std::string description = fmt::format("{} in all. ", seconds_text(end - begin));
  for (const auto& [engine, sum] : engines)
    description += fmt::format("{}: {} in {}. ", engine, sum.first, seconds_text(sum.second));

  std::string svg = fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-title {}-desc\">\n<title "
      "id=\"{}-title\">Copies and kernels in time, modelled</title>\n<desc id=\"{}-desc\">{}</desc>\n",
      kLineWidth, height, id, id, id, id, escaped(description));
  const double step = step_of(end - begin);
  for (double at = 0; at <= (end - begin) * 1.0001; at += step) {
    const double x = x_of(begin + at);
    svg += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\"/>\n", x,
                       kLineTop, x, bottom);
    svg += fmt::format("<text class=\"quiet\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                       std::min(x, kLineRight - 14), bottom + 18, number_text(at * 1e6));
  }
  svg += fmt::format("<text class=\"quiet\" x=\"12\" y=\"{}\">time in us</text>\n", bottom + 18);
  for (const auto& [key, row] : row_of) {
    std::string name = key.second == 0 ? "default stream" : fmt::format("stream {}", stream_number[key]);
    if (several_devices) name = fmt::format("GPU {:.0f}, {}", key.first, key.second == 0 ? "default" : name);
    const double y = kLineTop + kRow * static_cast<double>(row);
    svg += fmt::format("<text x=\"4\" y=\"{}\">{}</text>\n", y + 22, name);
    svg += fmt::format("<line class=\"grid\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", kLineLeft,
                       y + kRow, kLineRight, y + kRow);
  }
  for (const operation& one : run.operations) {
    const auto row = row_of.find({one.device, one.stream});
    if (row == row_of.end()) continue;
    const double x = x_of(one.begin_seconds), width = std::max(1.0, x_of(one.end_seconds) - x);
    const double y = kLineTop + kRow * static_cast<double>(row->second) + (kRow - kBox) / 2;
    const std::string bytes = one.bytes > 0 ? ", " + size_text(one.bytes) : "";
    svg += fmt::format(
        "<rect class=\"op {}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" "
        "height=\"{}\"><title>{}</title></rect>\n",
        class_of(one.engine), x, y, width, kBox,
        escaped(fmt::format("{}: {}{}, {} from {} us", one.engine, one.name, bytes,
                            seconds_text(one.end_seconds - one.begin_seconds),
                            number_text((one.begin_seconds - begin) * 1e6))));
    const std::string words = words_in(one);
    if (kLetter * static_cast<double>(columns_of(words)) < width - 4)
      svg += fmt::format("<text class=\"in-box\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                         x + width / 2, y + 17, escaped(words));
  }
  double x = kLineLeft;
  for (const auto& [engine, sum] : engines) {
    svg += fmt::format(
        "<rect class=\"op {}\" x=\"{:.1f}\" y=\"{}\" width=\"16\" height=\"14\"/><text x=\"{:.1f}\" "
        "y=\"{}\">{}</text>\n",
        class_of(engine), x, bottom + 36, x + 22, bottom + 48, escaped(engine));
    x += 40 + kLetter * static_cast<double>(columns_of(engine));
  }
  return svg + "</svg>\n";
}

}  // namespace course::reports
