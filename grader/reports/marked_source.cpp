/// @file
/// Implementation of marked_source.hpp.
#include "reports/marked_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "records/quantities.hpp"
#include "reports/layout.hpp"

namespace course::reports {
namespace {

/// "4 sectors each, the fewest", "31.8 sectors each, where 4 would do".
std::string each_text(double counted, double fewest, double requests, std::string what) {
  const double each = counted / requests, least = fewest / requests;
  const std::string shown = count_text(each), wanted = count_text(least);
  if (shown == "1") what.pop_back();
  if (shown == wanted || fewest <= 0 || counted <= fewest)
    return fmt::format("{} {} each{}", shown, what, fewest > 0 ? ", the fewest" : "");
  return fmt::format("{} {} each, where {} would do", shown, what, wanted);
}

/// What the second line of a finding did, if there is one.
std::string other_note(const finding& f, int fault) {
  if (f.kind == "race") return fmt::format("the other access, which nothing orders with line {}", fault);
  return fmt::format("the other line of this, see line {}", fault);
}

void note(marked_source& source, int number, std::string text) {
  if (number < 1 || number > static_cast<int>(source.lines.size())) return;
  auto& notes = source.lines[static_cast<std::size_t>(number) - 1].notes;
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(std::move(text));
}

}  // namespace

const marked_line* marked_source::line(int number) const {
  return number >= 1 && number <= static_cast<int>(lines.size())
             ? &lines[static_cast<std::size_t>(number) - 1]
             : nullptr;
}

std::string counts_text(const line_counts& of) {
  std::string text =
      of.memory == "global" || of.memory.empty() ? of.kind : fmt::format("{} {}", of.memory, of.kind);
  text += fmt::format(": {} {}, {}", number_text(of.requests), of.requests == 1 ? "request" : "requests",
                      size_text(of.bytes));
  if (!(of.requests > 0)) return text;
  if (of.sectors > 0) text += "; " + each_text(of.sectors, of.fewest_sectors, of.requests, "sectors");
  // Totals: per request, the gate on bank conflicts has a figure of its own, over the requests that the task needs.
  if (of.wavefronts > 0 && of.memory == "shared") {
    text +=
        fmt::format("; {} {}", number_text(of.wavefronts), of.wavefronts == 1 ? "wavefront" : "wavefronts");
    text += of.wavefronts <= of.fewest_wavefronts
                ? ", the fewest"
                : fmt::format(", where {} would do", number_text(of.fewest_wavefronts));
  }
  return text;
}

double cost_of(const line_counts& of) {
  return 32 * of.sectors + 128 * of.wavefronts;
}

marked_source mark_source(const outcome& o, const std::string& text, bool is_current) {
  marked_source source;
  source.name = o.exercise.name + ".cu";
  source.is_current = is_current;
  for (std::string& line : printable_lines(text))
    source.lines.push_back(
        {static_cast<int>(source.lines.size()) + 1, std::move(line), line_role::plain, {}});

  const auto ours = [&](const std::string& file) {
    return std::filesystem::path(file).filename().string() == source.name;
  };
  const result* decisive = o.decisive();
  if (!decisive) return source;
  if (ours(decisive->location.file) && source.line(decisive->location.line)) {
    const int fault = decisive->location.line;
    source.lines[static_cast<std::size_t>(fault) - 1].role = line_role::fault;
    note(source, fault, decisive->verdict + (decisive->cause.empty() ? "" : ": " + decisive->cause));
    for (const finding& f : decisive->findings) {
      if (f.line != fault || f.other_line == fault || !ours(f.file) || !source.line(f.other_line)) continue;
      source.lines[static_cast<std::size_t>(f.other_line) - 1].role = line_role::other;
      note(source, f.other_line, other_note(f, fault));
    }
  }
  // Of several benchmarks, each line says what it cost in each.
  for (const run_counts& run : decisive->counts) {
    for (const line_counts& one : run.lines) {
      if (!ours(one.file)) continue;
      note(source, one.line,
           (decisive->counts.size() > 1 && !run.benchmark.empty() ? run.benchmark + ": " : "") +
               counts_text(one));
    }
  }
  return source;
}

}  // namespace course::reports
