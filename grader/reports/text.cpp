/// @file
/// Implementation of text.hpp.
#include "reports/text.hpp"

#include <fmt/format.h>

#include <cctype>

#include "reports/gate_text.hpp"
#include "reports/report_text.hpp"

namespace course::reports {
namespace {

std::string verdict_text(const outcome& o) {
  if (o.verdict.empty()) return "-";
  std::string text = o.verdict;
  if (!o.cause.empty()) text += " (" + o.cause + ")";
  if (o.at_the_limit) text += " at the limit";
  return text;
}

std::string bandwidth_cell(const outcome& o) {
  if (!o.bandwidth) return "-";
  const measurement* const shown = telling_measurement(*o.bandwidth);
  if (!shown) return o.bandwidth->verdict;
  const measurement& m = *shown;
  const double rate = m.student_per_second > 0 ? m.student_per_second : m.student_bytes_per_second;
  return fmt::format("{} of {}{}, {}{}", number_text(m.ratio), m.baseline,
                     m.benchmark.empty() ? "" : " (" + m.benchmark + ")", rate_text(m.slice * rate, m.unit),
                     o.bandwidth->modelled ? " modelled" : "");
}

}  // namespace

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

std::string in_sentences(const std::string& text, std::size_t indent) {
  constexpr std::size_t kOneLine = 160;  // shorter ones are read at a glance
  if (text.size() <= kOneLine) return text;
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    lines += text[i];
    const bool ends = (text[i] == '.' || text[i] == '?') && i + 2 < text.size() && text[i + 1] == ' ' &&
                      (std::isupper(static_cast<unsigned char>(text[i + 2])) != 0 || text[i + 2] == '(');
    if (!ends) continue;
    lines += '\n' + std::string(indent, ' ');
    ++i;
  }
  return lines;
}

std::string outcome_lines(const outcome& o, const terminal& out) {
  std::string text = fmt::format("  {:<18} {}", o.exercise.name, out.verdict(o.verdict, verdict_text(o)));
  if (o.verdict == "pass" && !o.complete) text += out.dim("  (correctness only)");
  if (o.bandwidth && telling_measurement(*o.bandwidth)) text += "  " + bandwidth_cell(o);
  text += "\n";
  if (o.verdict != "pass" && !o.headline.empty()) {
    // "file:line: " first, as compilers do: editors find the place by it.
    const std::string where = o.location.line > 0 && !o.headline.starts_with(o.location.text() + ":")
                                  ? o.location.text() + ": "
                                  : "";
    text += fmt::format("  {:<18} {}{}\n", "", where, in_sentences(o.headline, 21));
  }
  return text;
}

std::string reason_line(const outcome& o, std::size_t width) {
  if (o.verdict == "pass" || o.headline.empty()) return "";
  const std::string place = o.location.line > 0 ? o.location.text() + ": " : "";
  const std::string text = printable(o.headline.starts_with(place) ? o.headline : place + o.headline);
  const std::vector<std::string> lines = broken(text, width - std::min<std::size_t>(width, 4));
  return lines.size() == 1 ? lines.front() : lines.front() + " ...";
}

std::string printed_text(const printed_output& printed) {
  if (printed.where.empty()) return "";
  std::string text = "  Your program printed. " + printed_sentence(printed) + "\n";
  for (const std::string& line : printed.first_lines) text += "    | " + line + "\n";
  return text;
}

std::string device_text(const result& r) {
  const std::string kind = r.device == "gpu" ? "GPU" : "simulated GPU";
  return r.device_name.empty() ? kind : fmt::format("{} ({})", kind, r.device_name);
}

}  // namespace course::reports
