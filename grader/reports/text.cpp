/// @file
/// Implementation of text.hpp.
#include "reports/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

namespace course::reports {
namespace {

/// Columns that a UTF-8 text takes; good enough for the Latin text of messages.
std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream in(text);
  for (std::string word; in >> word;) longest = std::max(longest, columns_of(word));
  return longest;
}

/// A text in lines of at most @p width columns, broken between words.
std::vector<std::string> broken(const std::string& text, std::size_t width) {
  if (columns_of(text) <= width) return {text};
  std::vector<std::string> lines(1);
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (!lines.back().empty() && columns_of(lines.back()) + 1 + columns_of(word) > width)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string verdict_text(const outcome& o) {
  if (o.verdict.empty()) return "-";
  std::string text = o.verdict;
  if (!o.cause.empty()) text += " (" + o.cause + ")";
  if (o.at_the_limit) text += " at the limit";
  return text;
}

std::string bandwidth_cell(const outcome& o) {
  if (!o.bandwidth) return "-";
  if (!o.bandwidth->measured || o.bandwidth->measured->ratio <= 0) return o.bandwidth->verdict;
  const measurement& m = *o.bandwidth->measured;
  return fmt::format("{:.2f} of reference, {}{}", m.ratio, speed_text(m.slice * m.student_bytes_per_second),
                     o.bandwidth->modelled ? " modelled" : "");
}

}  // namespace

std::string render_table(
    const std::vector<std::vector<std::string>>& rows,
    const std::function<std::string(std::size_t row, std::size_t column, const std::string& cell)>& colour,
    std::size_t limit) {
  std::vector<std::size_t> widths, words;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    words.resize(widths.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
      words[i] = std::max(words[i], longest_word(row[i]));
    }
  }
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) - 2; };
  // The widest column that can be broken gives way first.
  while (!widths.empty() && total() > limit) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > words[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      cells.push_back(broken(rows[r][i], widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t h = 0; h < height; ++h) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string cell = h < cells[i].size() ? cells[i][h] : "";
        const bool last = i + 1 == cells.size();
        const std::string padding(last ? 0 : widths[i] - columns_of(cell), ' ');
        line += (r == 0 || cell.empty() ? cell : colour(r, i, cell)) + padding + (last ? "" : "  ");
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    if (r == 0) text += std::string(total(), '-') + "\n";
  }
  return text;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "unknown";
  if (std::abs(value) >= 1000 || value == std::round(value)) return fmt::format("{:.0f}", value);
  std::string text = fmt::format("{:.{}f}", value,
                                 std::abs(value) >= 100                 ? 1
                                 : std::abs(value) >= 0.1 || value == 0 ? 2
                                                                        : 4);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string speed_text(double bytes_per_second) {
  if (bytes_per_second >= 1e12) return fmt::format("{:.2f} TB/s", bytes_per_second / 1e12);
  if (bytes_per_second >= 1e9) return fmt::format("{:.0f} GB/s", bytes_per_second / 1e9);
  return fmt::format("{:.1f} MB/s", bytes_per_second / 1e6);
}

std::string size_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.2f} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.1f} kB", bytes / 1e3);
}

std::string seconds_text(double seconds) {
  if (seconds <= 0) return "0 s";
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1e-2) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  return fmt::format("{:.1f} s", seconds);
}

std::string gate_text(const gate& g) {
  return fmt::format("{} {}{} {} {}", g.name, number_text(g.value), g.met ? "" : ", not", g.relation,
                     number_text(g.threshold));
}

std::string outcome_table(const std::vector<outcome>& outcomes, const terminal& out) {
  std::vector<std::vector<std::string>> rows = {
      {"exercise", "verdict", "correctness", "bandwidth", "gate and place"}};
  for (const outcome& o : outcomes) {
    const gate* shown = o.decisive() ? telling_gate(*o.decisive()) : nullptr;
    std::string why = shown ? gate_text(*shown) : "";
    if (o.location.line > 0) why += (why.empty() ? "at " : ", at ") + o.location.text();
    rows.push_back({o.exercise.name, verdict_text(o), o.correctness ? o.correctness->verdict : "-",
                    bandwidth_cell(o), why.empty() ? "-" : why});
  }
  return render_table(
      rows,
      [&](std::size_t row, std::size_t column, const std::string& text) {
        return column == 1 ? out.verdict(outcomes[row - 1].verdict, text) : text;
      },
      static_cast<std::size_t>(out.width()));
}

std::string outcome_lines(const outcome& o, const terminal& out) {
  std::string text = fmt::format("  {:<18} {}", o.exercise.name, out.verdict(o.verdict, verdict_text(o)));
  if (o.verdict == "pass" && !o.complete) text += out.dim("  (correctness only)");
  if (o.bandwidth && o.bandwidth->measured && o.bandwidth->measured->ratio > 0)
    text += "  " + bandwidth_cell(o);
  text += "\n";
  if (o.verdict != "pass" && !o.headline.empty()) {
    // "file:line: " first, as compilers do: editors find the place by it.
    const std::string where = o.location.line > 0 && !o.headline.starts_with(o.location.text() + ":")
                                  ? o.location.text() + ": "
                                  : "";
    text += fmt::format("  {:<18} {}{}\n", "", where, o.headline);
  }
  return text;
}

std::string printed_text(const result& r) {
  const printed_output& printed = r.printed;
  if (printed.where.empty()) return "";
  const std::size_t shown = printed.first_lines.size();
  std::string text =
      shown < printed.lines
          ? fmt::format("  Your program printed {} lines ({}) in case {}; the first {}:\n", printed.lines,
                        size_text(static_cast<double>(printed.bytes)), printed.where, shown)
          : fmt::format("  Your program printed in case {}:\n", printed.where);
  for (const std::string& line : printed.first_lines) text += "    | " + line + "\n";
  return text;
}

std::string device_text(const result& r) {
  const std::string kind = r.device == "gpu" ? "GPU" : "simulated GPU";
  return r.device_name.empty() ? kind : fmt::format("{} ({})", kind, r.device_name);
}

std::string full_result(const result& r, const terminal& out) {
  std::string text =
      out.bold(fmt::format("{} {}", r.exercise, r.kind)) + ": " + out.verdict(r.verdict, r.verdict);
  if (!r.cause.empty()) text += fmt::format(" ({})", r.cause);
  if (r.at_the_limit) text += ", at the limit";
  text += "\n";
  if (!r.headline.empty()) text += "  " + r.headline + "\n";
  if (r.location.line > 0) text += "  at " + r.location.text() + "\n";
  for (const std::string& line : r.details) text += "  " + line + "\n";
  text += printed_text(r);
  text += "\n";
  text += fmt::format("  source   {}\n", r.source);
  if (!r.device.empty()) {
    text += fmt::format("  device   {}{}\n", device_text(r),
                        r.modelled && r.kind == "bandwidth" ? "; times are modelled, not measured" : "");
  }
  text +=
      fmt::format("  graded   {} in {}, seed {}\n", r.started_at, seconds_text(r.duration_seconds), r.seed);
  if (!r.version_course.empty()) {
    text += fmt::format("  with     course {}, CUDA {}{}\n", r.version_course, r.version_cuda,
                        r.version_driver.empty() ? "" : ", driver " + r.version_driver);
  }
  const auto indent = [&](const std::string& table) {
    std::string result;
    std::size_t start = 0;
    while (start < table.size()) {
      const std::size_t end = table.find('\n', start);
      result += "  " + table.substr(start, end - start) + "\n";
      start = end + 1;
    }
    return result;
  };
  if (!r.gates.empty()) {
    std::vector<std::vector<std::string>> rows = {{"gate", "kind", "value", "wanted", "met", "remark"}};
    for (const gate& g : r.gates) {
      const std::string unit = g.unit.empty() || g.unit == "ratio" ? "" : " " + g.unit;
      rows.push_back({g.name, g.kind, number_text(g.value),
                      fmt::format("{} {}{}", g.relation, number_text(g.threshold), unit),
                      g.met ? "yes" : "no", g.note.empty() && g.modelled ? "modelled" : g.note});
    }
    text +=
        "\n" + indent(render_table(rows, [&](std::size_t row, std::size_t column, const std::string& cell) {
          const gate& g = r.gates[row - 1];
          if (column != 4) return cell;
          return g.met ? out.green(cell) : g.kind == "limit" ? cell : out.red(cell);
        }));
  }
  if (r.measured && r.measured->reference_seconds > 0) {
    const measurement& m = *r.measured;
    text +=
        fmt::format("\n  yours      {:>10}  {:>10}\n  reference  {:>10}  {:>10}\n",
                    seconds_text(m.student_seconds), speed_text(m.slice * m.student_bytes_per_second),
                    seconds_text(m.reference_seconds), speed_text(m.slice * m.reference_bytes_per_second));
    text += fmt::format("  ratio      {:.3f}", m.ratio);
    if (m.ratio_high > m.ratio_low)
      text += fmt::format(", between {:.3f} and {:.3f}", m.ratio_low, m.ratio_high);
    if (m.pairs > 1) text += fmt::format(", from {} interleaved pairs", m.pairs);
    if (m.share_of_peak > 0) text += fmt::format(", {:.0f} % of the memory's peak", 100 * m.share_of_peak);
    text += "\n";
    if (m.slice != 1) {
      text += fmt::format(
          "  The simulated GPU is 1/{0:.0f} of a card: the times are those of {1} on it, the speeds those of "
          "a whole "
          "card, which moves {2} in the same time.\n",
          m.slice, size_text(m.bytes_moved), size_text(m.slice * m.bytes_moved));
    }
  }
  if (!r.cases.empty()) {
    std::vector<std::vector<std::string>> rows = {{"case", "device", "status", ""}};
    for (const case_row& c : r.cases) rows.push_back({c.name, c.device, c.status, c.message});
    text +=
        "\n" + indent(render_table(rows, [&](std::size_t row, std::size_t column, const std::string& cell) {
          return column == 2 ? out.verdict(r.cases[row - 1].status, cell) : cell;
        }));
  }
  return text;
}

}  // namespace course::reports
