/// @file
/// Implementation of speed_chart.hpp.
#include "reports/speed_chart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "records/quantities.hpp"
#include "reports/html.hpp"

namespace course::reports {
namespace {

constexpr double kHeight = 330;  // of the picture
constexpr double kLeft = 12, kTop = 24,
                 kBottom = 290;  // of the bars; labels stand at the right, and need kLabelWidth
constexpr double kMostRight = 442, kLabelWidth = 238;
/// Few bars need little room: then the labels beside them are still on a phone's screen.
constexpr double kRoomOfBar = 90;
constexpr std::size_t kFewBars = 2;
constexpr double kLabelHeight = 18, kWidestBar = 46;
constexpr std::size_t kMostBars = 20;

struct bar {
  std::size_t number;  // of the attempt
  double needed, bus;  // per second
  std::string verdict;
};

/// A rate drawn as a line across, with its words at the right.
struct mark {
  double rate;
  std::string words, style;
  double label = 0;  // where its words stand
};

std::vector<bar> bars_of(const result& r, const measurement& m, const std::vector<attempt>& attempts) {
  std::vector<bar> bars;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    if (attempts[i].device != r.device || attempts[i].device_name != r.device_name) continue;
    for (const attempt_speed& one : attempts[i].speeds) {
      if (one.benchmark == m.benchmark && one.unit == m.unit && one.per_second > 0)
        bars.push_back(
            {i + 1, one.per_second, one.per_second * std::max(1.0, one.bus_per_needed), attempts[i].verdict});
    }
  }
  if (bars.size() > kMostBars) bars.erase(bars.begin(), bars.end() - kMostBars);
  return bars;
}

std::vector<mark> marks_of(const result& r, const measurement& m) {
  std::vector<mark> marks;
  for (const run_counts& run : r.counts) {
    if (run.benchmark != m.benchmark || run.roof != "memory" || m.unit != "B" || !r.modelled) continue;
    marks.push_back({run.slice * run.memory_bytes_per_second, "the memory's peak", "roof"});
    marks.push_back({run.slice * run.copy_bytes_per_second, "the best copy", "copy"});
  }
  if (!r.modelled && m.share_of_peak > 0)
    marks.push_back({m.student_bytes_per_second / m.share_of_peak, "the memory's peak", "roof"});
  const double reference = m.slice * m.reference_per_second;
  if (reference > 0) {
    marks.push_back({reference, "the " + m.baseline, "reference"});
    for (const gate& g : r.gates) {
      if (g.name != "speed" || g.kind == "idea" || g.benchmark != m.benchmark) continue;
      marks.push_back({g.threshold * reference, g.kind == "pass" ? "pass gate" : "limit mark", g.kind});
    }
  }
  std::erase_if(marks, [](const mark& one) { return !(one.rate > 0); });
  return marks;
}

/// Moves labels apart until each has its line.
void spread(std::vector<mark>& marks) {
  std::sort(marks.begin(), marks.end(), [](const mark& a, const mark& b) { return a.rate > b.rate; });
  for (std::size_t i = 1; i < marks.size(); ++i)
    marks[i].label = std::max(marks[i].label, marks[i - 1].label + kLabelHeight);
  double lowest = kBottom + 4;
  for (std::size_t i = marks.size(); i-- > 0; lowest -= kLabelHeight)
    marks[i].label = std::min(marks[i].label, lowest);
}

}  // namespace

std::string speed_chart(const result& r, const measurement& m, const std::vector<attempt>& attempts,
                        const std::string& id) {
  if (!(m.student_seconds > 0)) return "";
  auto bars = bars_of(r, m, attempts);
  if (bars.empty())
    bars.push_back({std::max<std::size_t>(1, attempts.size()), m.slice * m.student_per_second,
                    m.slice * m.student_per_second, r.verdict});
  auto marks = marks_of(r, m);
  double most = 0;
  for (const bar& one : bars) most = std::max(most, one.bus);
  for (const mark& one : marks) most = std::max(most, one.rate);
  if (!(most > 0)) return "";
  const auto height_of = [&](double rate) { return kBottom - (kBottom - kTop) * rate / most; };
  for (mark& one : marks) one.label = height_of(one.rate) + 5;
  spread(marks);

  const double right = std::min(kMostRight, kLeft + kRoomOfBar * static_cast<double>(bars.size()));
  std::string description;
  for (const bar& one : bars)
    description +=
        fmt::format("Attempt {}: {}, {}. ", one.number, rate_text(one.needed, m.unit), one.verdict);
  for (const mark& one : marks)
    description += fmt::format("{}: {}. ", one.words, rate_text(one.rate, m.unit));

  std::string svg = fmt::format(
      "<svg class=\"chart{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-title "
      "{}-desc\">\n<title "
      "id=\"{}-title\">Speed of each attempt</title>\n<desc id=\"{}-desc\">{}</desc>\n",
      bars.size() <= kFewBars ? " few" : "", right + kLabelWidth, kHeight, id, id, id, id,
      escaped(description));
  svg += fmt::format(
      "<defs><pattern id=\"{}-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect "
      "class=\"hatch-ground\" width=\"6\" height=\"6\"/><line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" "
      "y2=\"6\"/></pattern></defs>\n",
      id);
  svg += fmt::format("<line class=\"axis\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", kLeft, kBottom,
                     right, kBottom);

  const double step = (right - kLeft) / static_cast<double>(bars.size());
  const double width = std::min(kWidestBar, 0.66 * step);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const bar& one = bars[i];
    const double middle = kLeft + step * (static_cast<double>(i) + 0.5), x = middle - width / 2;
    const double needed = height_of(one.needed), bus = height_of(one.bus);
    const bool last = i + 1 == bars.size(), wide = step >= 68;
    if (one.bus > 1.02 * one.needed) {
      svg += fmt::format(
          "<rect class=\"waste\" fill=\"url(#{}-hatch)\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
          "height=\"{:.1f}\"/>\n",
          id, x, bus, width, needed - bus);
    }
    svg += fmt::format(
        "<rect class=\"bar{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.1f}\"><title>{}</title></rect>\n",
        last ? " now" : "", x, needed, width, kBottom - needed,
        escaped(fmt::format("attempt {}: {}, {}", one.number, rate_text(one.needed, m.unit), one.verdict)));
    if (wide || last)
      svg += fmt::format("<text class=\"halo\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                         middle, std::min(needed, bus) - 6, rate_text(one.needed, m.unit));
    svg += fmt::format("<text class=\"{}\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                       last ? "strong" : "", middle, kBottom + 18, one.number);
    if (wide && step > 80)
      svg += fmt::format("<text class=\"quiet\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                         middle, kBottom + 35, escaped(one.verdict));
  }
  for (const mark& one : marks) {
    const double y = height_of(one.rate);
    svg += fmt::format("<line class=\"mark {}\" x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\"/>\n",
                       one.style, kLeft, y, right, y);
    svg += fmt::format("<polyline class=\"leader\" points=\"{},{:.1f} {},{:.1f}\"/>\n", right, y, right + 12,
                       one.label - 5);
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{} {}</text>\n", right + 16, one.label,
                       escaped(one.words), rate_text(one.rate, m.unit));
  }
  return svg + "</svg>\n";
}

}  // namespace course::reports
