/// @file
/// Implementation of report_text.hpp.
#include "reports/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/gate_text.hpp"
#include "reports/text.hpp"
#include "reports/units.hpp"

namespace course::reports {
namespace {

constexpr int kWidest = 80;
constexpr int kContext = 2;              // lines of source on either side of one at fault
constexpr std::size_t kCostliest = 3;    // lines of a program without fault that are shown
constexpr std::size_t kMostDetails = 8;  // of a list of mismatches; the page has all
constexpr std::size_t kMostLog = 24;     // lines of a compiler's log
constexpr std::size_t kFewest = 12;      // columns left for a source line, however narrow the terminal is

class writer {
 public:
  writer(const report_parts& parts, const terminal& out)
      : parts_(parts),
        o_(parts.graded),
        out_(out),
        width_(static_cast<std::size_t>(std::min(out.width(), kWidest))) {}

  std::string all() {
    verdict();
    source();
    printed_by_compiler();
    printed();
    counts();
    gates();
    speed();
    predictions();
    where_from();
    return std::move(text_);
  }

 private:
  const result& decisive() const { return *o_.decisive(); }
  void gap() {
    if (!text_.ends_with("\n\n")) text_ += "\n";
  }
  void say(const std::string& sentence, const std::string& indent = "") {
    text_ += paragraph(printable(sentence), width_, indent);
  }
  void table(std::vector<std::vector<std::string>> rows,
             const std::function<std::string(std::size_t, std::size_t, const std::string&)>& colour) {
    gap();
    for (auto& row : rows) {
      for (std::string& cell : row) cell = printable(cell);
    }
    text_ += render_table(rows, colour, width_);
  }

  void verdict() {
    std::string word = o_.verdict;
    if (!o_.cause.empty()) word += fmt::format(" ({})", o_.cause);
    if (o_.at_the_limit) word += ", at the limit";
    if (o_.verdict == "pass" && !o_.complete) word = "right, speed not graded";
    text_ += fmt::format("{}: {}\n", out_.bold(o_.exercise.name), out_.verdict(o_.verdict, printable(word)));
    if (!o_.headline.empty()) say(o_.headline);
    const auto& details = decisive().details;
    if (o_.verdict == "compile_error") return;
    for (std::size_t i = 0; i < std::min(details.size(), kMostDetails); ++i) say(details[i], "  ");
    if (details.size() > kMostDetails)
      say(fmt::format("and {} lines more: --html shows them", details.size() - kMostDetails), "  ");
  }

  /// One line of source with what there is to say of it.
  void source_line(const marked_line& line) {
    const char sign = line.role == line_role::fault ? '>' : line.role == line_role::other ? 'o' : ' ';
    const std::size_t room = std::max(kFewest, width_ - std::min<std::size_t>(width_, 9));
    // A line at fault is shown whole, those around it as far as they go.
    const auto pieces =
        line.notes.empty() ? std::vector<std::string>{shortened(line.text, room)} : cut(line.text, room);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      std::string shown = i == 0 ? fmt::format("{} {:>4} | {}", sign, line.number, pieces[i])
                                 : fmt::format("       | {}", pieces[i]);
      shown.erase(shown.find_last_not_of(' ') + 1);
      text_ += (line.role == line_role::fault   ? out_.red(shown)
                : line.role == line_role::other ? out_.yellow(shown)
                                                : shown) +
               "\n";
    }
    // The caret stands under the first letter of the code.
    const std::size_t letter = line.text.find_first_not_of(' ');
    const std::string column(letter == std::string::npos ? 0 : std::min(letter, width_ / 3), ' ');
    bool first = line.role != line_role::plain;
    for (const std::string& note : line.notes) {
      const std::string margin = "       | ", lead = column + (first ? "^ " : "");
      const auto words =
          broken(printable(note), width_ - std::min(width_ - kFewest, margin.size() + lead.size()));
      for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string shown = (i == 0 ? lead : std::string(lead.size(), ' ')) + words[i];
        text_ += margin + (first ? out_.bold(shown) : out_.dim(shown)) + "\n";
      }
      first = false;
    }
  }

  /// Numbers of the lines that are shown: those with a role and what is around them; else those that cost most.
  std::vector<int> chosen(const marked_source& source) const {
    std::vector<int> numbers;
    for (const marked_line& line : source.lines) {
      if (line.role == line_role::plain) continue;
      for (int n = line.number - kContext; n <= line.number + kContext; ++n) {
        if (source.line(n)) numbers.push_back(n);
      }
    }
    if (numbers.empty() && o_.verdict != "compile_error") {
      std::vector<std::pair<double, int>> costs;
      for (const run_counts& run : decisive().counts) {
        for (const line_counts& one : run.lines) {
          if (one.file == source.name && source.line(one.line)) costs.emplace_back(-cost_of(one), one.line);
        }
      }
      std::stable_sort(costs.begin(), costs.end());
      for (const auto& [cost, line] : costs) {
        if (std::find(numbers.begin(), numbers.end(), line) == numbers.end() && numbers.size() < kCostliest)
          numbers.push_back(line);
      }
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  void source() {
    if (!parts_.source) {
      if (decisive().location.line > 0) say("at " + decisive().location.text());
      return;
    }
    const marked_source& source = *parts_.source;
    const std::vector<int> numbers = chosen(source);
    const place& at = decisive().location;
    if (at.line > 0 && at.file != source.name) say("at " + at.text());
    if (numbers.empty()) return;
    gap();
    const bool fault = std::any_of(source.lines.begin(), source.lines.end(),
                                   [](const marked_line& line) { return line.role == line_role::fault; });
    text_ += fault ? fmt::format("{}:{}\n", source.name, decisive().location.line)
                   : fmt::format("The lines of {} that move most:\n", source.name);
    int before = 0;
    for (const int number : numbers) {
      if (before > 0 && number > before + 1) text_ += "     ...\n";
      source_line(*source.line(number));
      before = number;
    }
    if (!source.is_current) say("The file has changed since: this is what was graded.");
  }

  void printed_by_compiler() {
    if (o_.verdict != "compile_error") return;
    std::vector<std::string> lines = printable_lines(parts_.compiler_log);
    if (lines.empty()) {
      for (const std::string& line : decisive().details) lines.push_back(printable(line));
    }
    if (lines.empty()) return;
    gap();
    for (std::size_t i = 0; i < std::min(lines.size(), kMostLog); ++i) text_ += lines[i] + "\n";
    if (lines.size() > kMostLog)
      say(fmt::format("and {} lines more: --html shows them", lines.size() - kMostLog));
  }

  void printed() {
    const printed_output& printed = o_.printed();
    if (printed.where.empty()) return;
    gap();
    say("Your program printed. " + printed_sentence(printed));
    for (const std::string& line : printed.first_lines) text_ += "  | " + printable(line) + "\n";
  }

  void counts() {
    for (const run_counts& run : decisive().counts) {
      if (run.totals.empty()) continue;
      const std::string what =
          run.benchmark.empty() ? run.size : fmt::format("{}, {}", run.benchmark, run.size);
      std::vector<std::vector<std::string>> rows = {{"counted at " + what, "counted", "fewest", "times"}};
      rows[0][0] = shortened(rows[0][0], 40);
      for (const total& one : run.totals) {
        const auto times = times_the_fewest(one);
        rows.push_back({one.name, quantity_text(one.counted, one.unit),
                        one.fewest ? quantity_text(*one.fewest, one.unit) : "-",
                        times ? number_text(*times) : "-"});
      }
      table(rows, [&](std::size_t row, std::size_t column, const std::string& cell) {
        const auto times = times_the_fewest(run.totals[row - 1]);
        return column == 3 && times && *times > 1.5 ? out_.yellow(cell) : cell;
      });
    }
  }

  void gates() {
    std::vector<const gate*> shown;
    for (const gate& g : decisive().gates) shown.push_back(&g);
    if (shown.empty()) return;
    std::vector<std::vector<std::string>> rows = {{"gate", "value", "wanted", "met", "unit"}};
    for (const gate* g : shown) {
      const std::string name = name_text(*g) + (g->kind == "limit" ? ", limit mark" : "");
      const bool unit_known = !g->unit.empty() && g->unit != "ratio";
      std::string remark = unit_known ? g->unit : "";
      if (const std::string more = remark_text(*g); !more.empty())
        remark += (remark.empty() ? "" : "; ") + more;
      rows.push_back({name, value_text(*g), wanted_text(*g), met_text(*g), remark});
    }
    table(rows, [&](std::size_t row, std::size_t column, const std::string& cell) {
      const gate& g = *shown[row - 1];
      if (column != 3) return cell;
      return left_to_a_gpu(g)    ? out_.yellow(cell)
             : g.met             ? out_.green(cell)
             : g.kind == "limit" ? out_.yellow(cell)
                                 : out_.red(cell);
    });
    if (o_.verdict != "pass") return;
    if (const std::string lacking = lacking_to_limit(o_); !lacking.empty())
      say("To the limit mark it lacks " + lacking + ".");
  }

  void speed() {
    bool any = false;
    for (const measurement& m : decisive().measurements) {
      const std::string sentence = speed_sentence(m, decisive().modelled);
      if (sentence.empty()) continue;
      if (!any) gap();
      any = true;
      say(sentence);
    }
  }

  void predictions() {
    if (parts_.predicted.empty()) return;
    std::vector<std::vector<std::string>> rows = {{"you predicted", "predicted", "counted", "unit"}};
    for (const predicted_number& one : parts_.predicted)
      rows.push_back({printable(one.question),
                      printable(one.predicted + (one.after_grading ? " (after a grading)" : "")),
                      one.counted ? number_text(*one.counted) : "-", one.unit});
    table(rows, [](std::size_t, std::size_t, const std::string& cell) { return cell; });
    gap();
    for (const predicted_number& one : parts_.predicted) {
      if (!one.explanation.empty()) say(printable(one.explanation));
    }
  }

  /// The questions of a drill are its cases, and each has something to say.
  void answers() {
    std::vector<std::vector<std::string>> rows = {{"question", "answer", ""}};
    for (const case_row& c : decisive().cases) rows.push_back({c.name, c.status, printable(c.message)});
    if (rows.size() == 1) return;
    table(rows, [&](std::size_t row, std::size_t column, const std::string& cell) {
      return column == 1 ? out_.verdict(decisive().cases[row - 1].status, cell) : cell;
    });
    gap();
  }

  void where_from() {
    gap();
    const result& r = decisive();
    if (o_.exercise.is_drill()) answers();
    if (o_.correctness && !o_.exercise.is_drill()) {
      if (const std::string cases = cases_text(*o_.correctness); !cases.empty()) say("Cases: " + cases + ".");
    }
    std::string line = "Graded " + r.started_at;
    if (!r.device.empty()) line += " on the " + device_text(r);
    if (r.modelled && r.kind == "bandwidth") line += "; times are modelled, not measured";
    if (!r.seed.empty()) line += ", seed " + r.seed;
    say(line + ".");
    if (!r.source.empty()) text_ += printable(r.source) + "\n";  // whole, to be copied
  }

  const report_parts& parts_;
  const outcome& o_;
  const terminal& out_;
  std::size_t width_;
  std::string text_;
};

}  // namespace

std::string quantity_text(double value, const std::string& unit) {
  return unit == "B" ? size_text(value) : number_text(value);
}

std::string printed_sentence(const printed_output& printed) {
  const std::size_t shown = printed.first_lines.size();
  if (shown >= printed.lines) return fmt::format("In case {}:", printed.where);
  return fmt::format("In case {}, the first {} of {} lines ({}):", printed.where, shown,
                     number_text(static_cast<double>(printed.lines)),
                     size_text(static_cast<double>(printed.bytes)));
}

std::string cases_text(const result& r) {
  if (r.cases.empty()) return "";
  const auto right =
      std::count_if(r.cases.begin(), r.cases.end(), [](const case_row& c) { return c.status == "pass"; });
  if (right == static_cast<std::ptrdiff_t>(r.cases.size())) return fmt::format("all {} right", right);
  const auto wrong =
      std::find_if(r.cases.begin(), r.cases.end(), [](const case_row& c) { return c.status != "pass"; });
  return right == 0 ? fmt::format("the first one, {}: {}", wrong->name, wrong->status)
                    : fmt::format("{} right, then {}: {}", right, wrong->name, wrong->status);
}

std::string speed_sentence(const measurement& m, bool modelled) {
  if (!(m.student_seconds > 0) || !(m.reference_seconds > 0)) return "";
  const double rate = m.student_per_second > 0 ? m.student_per_second : m.student_bytes_per_second;
  const double other = m.reference_per_second > 0 ? m.reference_per_second : m.reference_bytes_per_second;
  std::string text = fmt::format(
      "{}: yours {} in {}, the {}'s {} in {}: {} of it{}",
      m.benchmark.empty() ? "Speed" : "Speed of " + m.benchmark, rate_text(m.slice * rate, m.unit),
      seconds_text(m.student_seconds), m.baseline, rate_text(m.slice * other, m.unit),
      seconds_text(m.reference_seconds), number_text(m.ratio), modelled ? ", modelled" : "");
  if (m.pairs > 1)
    text += fmt::format(" (between {:.3f} and {:.3f}, from {} interleaved pairs)", m.ratio_low, m.ratio_high,
                        m.pairs);
  if (m.share_of_peak > 0) text += fmt::format("; {} of the memory's peak", percent_text(m.share_of_peak));
  text += ".";
  if (m.slice != 1) {
    text += fmt::format(
        " The simulated GPU is 1/{0:.0f} of a card: the times are those of {1} on it, the speeds those of a "
        "whole card, which "
        "moves {2} in the same time.",
        m.slice, size_text(m.bytes_moved), size_text(m.slice * m.bytes_moved));
  }
  return text;
}

std::string report_text(const report_parts& parts, const terminal& out) {
  return parts.graded.decisive() ? writer(parts, out).all() : "";
}

std::string units_text(const std::string& report, const terminal& out) {
  const auto units = units_in(report);
  if (units.empty()) return "";
  std::string text = out.bold("What the words mean") + "\n";
  const std::size_t width = static_cast<std::size_t>(std::min(out.width(), kWidest));
  for (const auto& [word, meaning] : units) {
    const std::string block = paragraph(meaning, width, std::string(18, ' '));
    text += fmt::format("  {:<16}", word) + block.substr(18);
  }
  return text;
}

}  // namespace course::reports
