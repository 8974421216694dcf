/// @file
/// Implementation of page.hpp.
#include "reports/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/gate_text.hpp"
#include "reports/html.hpp"
#include "reports/report_text.hpp"
#include "reports/speed_chart.hpp"
#include "reports/text.hpp"
#include "reports/timeline_chart.hpp"
#include "reports/units.hpp"

namespace course::reports {
namespace {

constexpr std::size_t kMostAttemptsShown = 50;

/// The style of a verdict.
const char* tone_of(const std::string& verdict) {
  if (verdict == "pass") return "good";
  const bool may_improve = verdict == "not_attempted" || verdict == "wasteful" || verdict == "too_slow" ||
                           verdict == "inconclusive" || verdict == "missing" ||
                           verdict == "unsupported_device";
  return may_improve ? "warn" : "bad";
}

std::string verdict_words(const std::string& verdict, const std::string& cause, bool at_the_limit) {
  return verdict + (cause.empty() ? "" : " (" + cause + ")") + (at_the_limit ? ", at the limit" : "");
}

/// A table that scrolls on its own where it is wider than the page.
/// @param[in] heads of columns; one of numbers begins with #.
std::string table(const std::string& caption, const std::vector<std::string>& heads,
                  const std::string& rows) {
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\"><table>\n<caption>{0}</caption>\n<thead><tr>",
      escaped(caption));
  for (const std::string& head : heads)
    html += head.starts_with('#') ? element("th", head.substr(1), "scope=\"col\" class=\"number\"")
                                  : heading_cell(head, "col");
  return html + "</tr></thead>\n<tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string number_cell(const std::string& text) {
  return element("td", text, "class=\"number\"");
}

std::string figure(const std::string& svg, const std::string& name) {
  return fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n",
                     escaped(name), svg);
}

class builder {
 public:
  explicit builder(const report_parts& parts)
      : parts_(parts), o_(parts.graded), r_(*parts.graded.decisive()) {}

  std::string document() {
    const bool fault = has_fault();
    if (fault) source();
    compiler();
    printed();
    gates();
    speed();
    counts();
    timelines();
    predictions();
    if (!fault) source();
    history();
    cases();
    facts();
    units();
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, "
        "initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\">\n"
        "<title>{}: {}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}{}</main>\n</body>\n</html>\n",
        escaped(o_.exercise.name), escaped(o_.verdict), page_style(), header(), body_);
  }

 private:
  /// Begins a section, and remembers it for the list at the top.
  void section(const std::string& id, const std::string& title) {
    contents_.emplace_back(id, title);
    body_ += fmt::format("<h2 id=\"{}\">{}</h2>\n", id, escaped(title));
  }
  void say(const std::string& sentence, const char* attributes = "") {
    body_ += element("p", sentence, attributes) + "\n";
  }

  std::string header() const {
    const char* tone = tone_of(o_.verdict);
    std::string html = fmt::format(
        "<header>\n<h1>{}: <span class=\"{}\">{}</span></h1>\n<div class=\"verdict {}\">\n",
        escaped(o_.exercise.name), tone, escaped(verdict_words(o_.verdict, o_.cause, o_.at_the_limit)), tone);
    if (!o_.headline.empty()) html += element("p", o_.headline) + "\n";
    if (o_.verdict != "compile_error") {
      for (const std::string& line : r_.details) html += element("p", line, "class=\"said\"") + "\n";
    }
    if (const std::string lacking = o_.verdict == "pass" ? lacking_to_limit(o_) : ""; !lacking.empty())
      html += element("p", "To the limit mark it lacks " + lacking + ".") + "\n";
    if (o_.location.line > 0) {
      const bool shown =
          parts_.source && parts_.source->name == o_.location.file && parts_.source->line(o_.location.line);
      html += shown ? fmt::format("<p><a href=\"#line-{}\">{}</a></p>\n", o_.location.line,
                                  escaped(o_.location.text()))
                    : element("p", "at " + o_.location.text()) + "\n";
    }
    html += "</div>\n";
    html += element(
        "p",
        fmt::format("Graded {} on the {}{}.", date_text(r_.started_at), device_text(r_),
                    r_.modelled && r_.kind == "bandwidth" ? "; times are modelled, not measured" : ""),
        "class=\"quiet\"");
    html += "\n</header>\n<nav aria-label=\"Contents\"><ul>\n";
    for (const auto& [id, title] : contents_)
      html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, escaped(title));
    return html + "</ul></nav>\n<main>\n";
  }

  bool has_fault() const {
    return parts_.source &&
           std::any_of(parts_.source->lines.begin(), parts_.source->lines.end(),
                       [](const marked_line& line) { return line.role == line_role::fault; });
  }

  void source() {
    if (!parts_.source) return;
    const marked_source& source = *parts_.source;
    section("source", source.name);
    if (!source.is_current) say("The file has changed since: this is what was graded.");
    const bool noted = std::any_of(source.lines.begin(), source.lines.end(),
                                   [](const marked_line& line) { return !line.notes.empty(); });
    body_ += noted ? "<ol class=\"source noted\">\n" : "<ol class=\"source\">\n";
    for (const marked_line& line : source.lines) {
      const char* const role = line.role == line_role::fault   ? " class=\"fault\""
                               : line.role == line_role::other ? " class=\"other\""
                                                               : "";
      body_ += fmt::format(
          "<li id=\"line-{0}\"{1}><a class=\"at\" href=\"#line-{0}\" tabindex=\"-1\">{0}</a><code>{2}</code>",
          line.number, role, escaped(line.text));
      if (!line.notes.empty()) {
        body_ += "<div class=\"notes\">";
        for (std::size_t i = 0; i < line.notes.size(); ++i)
          body_ +=
              element("span", line.notes[i], i == 0 && line.role != line_role::plain ? "class=\"why\"" : "");
        body_ += "</div>";
      }
      body_ += "</li>\n";
    }
    body_ += "</ol>\n";
  }

  void compiler() {
    if (o_.verdict != "compile_error") return;
    std::string log;
    for (const std::string& line : printable_lines(parts_.compiler_log)) log += line + "\n";
    if (log.empty()) {
      for (const std::string& line : r_.details) log += line + "\n";
    }
    if (log.empty()) return;
    section("compiler", "What the compiler says");
    pre(log);
  }

  void pre(const std::string& text) {
    body_ += "<pre tabindex=\"0\">";
    for (const std::string& line : printable_lines(text)) body_ += escaped(line) + "\n";
    body_ += "</pre>\n";
  }

  void printed() {
    const printed_output& printed = o_.printed();
    if (printed.where.empty()) return;
    section("printed", "What your program printed");
    say(printed_sentence(printed));
    std::string text;
    for (const std::string& line : printed.first_lines) text += line + "\n";
    pre(text);
  }

  void gates() {
    if (r_.gates.empty()) return;
    section("gates", "Gates");
    const bool remarks =
        std::any_of(r_.gates.begin(), r_.gates.end(), [](const gate& g) { return !remark_text(g).empty(); });
    std::string rows;
    for (const gate& g : r_.gates) {
      const char* const tone = left_to_a_gpu(g)    ? "warn"
                               : g.met             ? "good"
                               : g.kind == "limit" ? "warn"
                                                   : "bad";
      const std::string unit = g.unit == "ratio" ? "" : g.unit;
      // Two rows may be about one metric. The last column, which says which is which, is off a phone's screen.
      const std::string name = name_text(g) + (g.kind == "limit" ? ", limit mark" : "");
      rows += "<tr>" + heading_cell(name, "row") + number_cell(value_text(g)) + number_cell(wanted_text(g)) +
              element("td", met_text(g), fmt::format("class=\"{}\"", tone)) + element("td", unit) +
              element("td", g.kind == "limit" ? "limit mark" : g.kind + " gate") +
              (remarks ? element("td", remark_text(g)) : "") + "</tr>\n";
    }
    std::vector<std::string> heads = {"metric", "#value", "#wanted", "met", "unit", "kind"};
    if (remarks) heads.push_back("remark");
    body_ += table("What decides, and the limit mark", heads, rows);
  }

  void speed() {
    std::size_t shown = 0;
    for (const measurement& m : r_.measurements) {
      const std::string svg = speed_chart(r_, m, parts_.attempts, fmt::format("speed{}", shown));
      if (svg.empty()) continue;
      if (shown++ == 0) {
        section("speed", "Speed under the roof");
        const bool under_memory = std::any_of(r_.counts.begin(), r_.counts.end(),
                                              [](const run_counts& run) { return run.roof == "memory"; });
        say(!under_memory ? "A bar is an attempt, the last one is this."
                          : "A bar is an attempt, the last one is this. Filled: the bytes that the task "
                            "needs, per second. Hatched on top: bytes "
                            "that cross the memory bus besides. The memory's peak bounds both together; what "
                            "is missing up to it is time in "
                            "which the bus waits.",
            "class=\"quiet\"");
      }
      if (!m.benchmark.empty()) body_ += element("h3", m.benchmark) + "\n";
      body_ += figure(svg, "Speed of each attempt");
      if (const std::string sentence = speed_sentence(m, r_.modelled); !sentence.empty()) say(sentence);
    }
  }

  void counts() {
    bool first = true;
    for (const run_counts& run : r_.counts) {
      if (run.totals.empty()) continue;
      if (first) section("counts", "Counts beside the fewest possible");
      first = false;
      std::string rows;
      for (const total& one : run.totals) {
        const auto times = times_the_fewest(one);
        rows += "<tr>" + heading_cell(one.name, "row") + number_cell(quantity_text(one.counted, one.unit)) +
                number_cell(one.fewest ? quantity_text(*one.fewest, one.unit) : "-") +
                element("td", times ? number_text(*times) : "-",
                        times && *times > 1.5 ? "class=\"number warn\"" : "class=\"number\"") +
                "</tr>\n";
      }
      body_ += table(fmt::format("{}{}", run.benchmark.empty() ? "At " : run.benchmark + ", at ", run.size),
                     {"quantity", "#counted", "#fewest", "#times"}, rows);
      kernels(run);
    }
  }

  void kernels(const run_counts& run) {
    if (run.kernels.empty()) return;
    std::string rows;
    for (const kernel_counts& one : run.kernels) {
      rows += "<tr>" + heading_cell(one.kernel, "row") + number_cell(number_text(one.launches)) +
              number_cell(number_text(one.blocks)) + number_cell(number_text(one.threads)) +
              number_cell(seconds_text(one.seconds)) + number_cell(percent_text(one.occupancy)) +
              element("td", one.bound_by) + "</tr>\n";
    }
    body_ += "<h3>Kernels</h3>\n" +
             table("On the simulated GPU; times are modelled",
                   {"kernel", "#launches", "#blocks", "#threads", "#time", "#occupancy", "bound by"}, rows);
  }

  void timelines() {
    std::size_t shown = 0;
    for (const run_counts& run : r_.counts) {
      const std::string svg = timeline_chart(run, fmt::format("time{}", shown));
      if (svg.empty()) continue;
      if (shown++ == 0) section("timeline", "Copies and kernels in time, modelled");
      if (!run.benchmark.empty()) body_ += element("h3", run.benchmark) + "\n";
      const auto overlap = std::find_if(run.metrics.begin(), run.metrics.end(),
                                        [](const metric_value& one) { return one.name == "copy_overlap"; });
      if (overlap != run.metrics.end())
        say(fmt::format("During {} of the copies' time something else works, too.",
                        percent_text(overlap->value)));
      body_ += figure(svg, "Copies and kernels in time");
      if (run.operations_omitted > 0)
        say(fmt::format("{} operations came later and are not shown.", number_text(run.operations_omitted)),
            "class=\"quiet\"");
    }
  }

  void predictions() {
    if (parts_.predicted.empty()) return;
    section("predictions", "Predicted beside counted");
    std::string rows;
    for (const predicted_number& one : parts_.predicted) {
      rows += "<tr>" + heading_cell(one.question, "row") +
              number_cell(one.predicted + (one.after_grading ? " (after a grading)" : "")) +
              number_cell(one.counted ? number_text(*one.counted) : "-") + element("td", one.unit) +
              element("td", one.explanation, "class=\"words\"") + "</tr>\n";
    }
    body_ += table("What you wrote down, and what came out",
                   {"question", "#predicted", "#counted", "unit", "why"}, rows);
  }

  void history() {
    if (parts_.attempts.empty()) return;
    section("history", "Attempts");
    std::string rows;
    const std::size_t all = parts_.attempts.size();
    for (std::size_t i = all; i-- > (all > kMostAttemptsShown ? all - kMostAttemptsShown : 0);) {
      const attempt& one = parts_.attempts[i];
      std::string speed, ratio;
      for (const attempt_speed& s : one.speeds) {
        speed += (speed.empty() ? "" : ", ") + rate_text(s.per_second, s.unit);
        ratio += (ratio.empty() ? "" : ", ") + number_text(s.ratio);
      }
      rows += "<tr>" + heading_cell(std::to_string(i + 1), "row") + element("td", date_text(one.started_at)) +
              element("td", verdict_words(one.verdict, one.cause, one.at_the_limit),
                      fmt::format("class=\"{}\"", tone_of(one.verdict))) +
              element("td", place{one.file, one.line}.text()) + number_cell(speed) + number_cell(ratio) +
              element("td", one.device == "gpu"  ? one.device_name
                            : one.device.empty() ? ""
                                                 : "simulated, modelled") +
              "</tr>\n";
    }
    body_ += table(all > kMostAttemptsShown
                       ? fmt::format("The last {} of {}, the newest first", kMostAttemptsShown, all)
                       : "The newest first",
                   {"attempt", "when", "verdict", "place", "#speed", "#of the reference", "device"}, rows);
  }

  void cases() {
    if (!o_.correctness || o_.correctness->cases.empty()) return;
    section("cases", o_.exercise.is_drill() ? "Questions" : "Cases");
    say(cases_text(*o_.correctness) + ".");
    std::string rows;
    for (const case_row& c : o_.correctness->cases)
      rows += "<tr>" + heading_cell(c.name, "row") +
              element("td", c.status, fmt::format("class=\"{}\"", tone_of(c.status))) +
              element("td", c.message, "class=\"words\"") + "</tr>\n";
    body_ += "<details><summary>Show all</summary>\n" +
             table("In the order in which they ran", {"case", "status", ""}, rows) + "</details>\n";
  }

  void facts() {
    section("facts", "What was graded");
    body_ += "<dl>\n";
    const auto fact = [&](const char* name, const std::string& value) {
      if (!value.empty()) body_ += element("dt", name) + element("dd", value) + "\n";
    };
    fact("file", r_.source);
    fact("SHA-256", r_.source_sha256);
    fact("tree", r_.tree_id);
    fact("device", r_.device.empty() ? "" : device_text(r_));
    fact("seed", r_.seed);
    fact("took", seconds_text(r_.duration_seconds));
    fact("with", r_.version_course.empty()
                     ? ""
                     : fmt::format("course {}, CUDA {}{}", r_.version_course, r_.version_cuda,
                                   r_.version_driver.empty() ? "" : ", driver " + r_.version_driver));
    body_ += "</dl>\n";
  }

  void units() {
    const auto found = units_in(body_);
    if (found.empty()) return;
    section("units", "What the words mean");
    body_ += "<dl>\n";
    for (const auto& [word, meaning] : found) body_ += element("dt", word) + element("dd", meaning) + "\n";
    body_ += "</dl>\n";
  }

  const report_parts& parts_;
  const outcome& o_;
  const result& r_;
  std::vector<std::pair<std::string, std::string>> contents_;  // id and title
  std::string body_;
};

}  // namespace

std::string date_text(const std::string& iso) {
  if (iso.size() < 17 || iso[10] != 'T') return iso;
  return iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC";
}

std::string page(const report_parts& parts) {
  return parts.graded.decisive() ? builder(parts).document() : "";
}

}  // namespace course::reports
