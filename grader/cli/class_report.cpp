/// @file
/// Implementation of class_report.hpp.
#include "cli/class_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "records/verdict.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

using nlohmann::json;
using reports::outcome;

/// What a table shows of a verdict.
std::string cell_text(const std::string& verdict_word) {
  if (verdict_word == name_of(verdict::missing)) return "-";
  if (verdict_word == name_of(verdict::inconclusive)) return "not decided";
  return verdict_word;
}

/// The time that decided; nullptr where nothing was timed.
const reports::measurement* timed(const outcome& o) {
  return o.bandwidth && o.bandwidth->measured && o.bandwidth->measured->ratio > 0 ? &*o.bandwidth->measured
                                                                                  : nullptr;
}

double sum_of(const class_row& row) {
  double sum = 0;
  for (const class_entry& entry : row.entries) sum += entry.points.value_or(0);
  return sum;
}

double best_of(const class_row& row, const points_table& points) {
  double sum = 0;
  for (const class_entry& entry : row.entries) sum += points.best(entry.graded.exercise);
  return sum;
}

/// @param[in] places of exercises.
bool anybody_handed_in(const graded_class& all, const std::vector<std::size_t>& places) {
  return std::any_of(all.students.begin(), all.students.end(), [&](const class_row& row) {
    return std::any_of(places.begin(), places.end(), [&](std::size_t i) {
      return row.entries[i].graded.verdict != name_of(verdict::missing);
    });
  });
}

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string cell = text;
  if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos)
    cell.insert(0, "'");
  if (cell.find_first_of(",\"\r\n;") == std::string::npos &&
      (cell.empty() || (cell.front() != ' ' && cell.back() != ' ')))
    return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string class_csv(const graded_class& all) {
  std::string text = "student,exercise,verdict,cause,points,speed_share,line,device,speed_is,graded_at\n";
  for (const class_row& row : all.students) {
    for (const class_entry& entry : row.entries) {
      const outcome& o = entry.graded;
      const reports::result* decisive = o.decisive();
      const reports::measurement* time = timed(o);
      const std::vector<std::string> cells = {row.who.name,
                                              o.exercise.name,
                                              o.verdict,
                                              o.cause,
                                              entry.points ? points_text(*entry.points) : "",
                                              time ? fmt::format("{:.3f}", time->ratio) : "",
                                              o.location.line > 0 ? std::to_string(o.location.line) : "",
                                              decisive ? decisive->device : "",
                                              !time                   ? ""
                                              : o.bandwidth->modelled ? "modelled"
                                                                      : "measured",
                                              decisive ? decisive->started_at : ""};
      for (std::size_t i = 0; i < cells.size(); ++i) text += (i ? "," : "") + csv_cell(cells[i]);
      text += "\n";
    }
  }
  return text;
}

std::string class_table(const graded_class& all, const points_table& points, const reports::terminal& out) {
  std::map<std::string, std::vector<std::size_t>> chapters;  // places of their exercises
  std::set<std::string> untouched;                           // chapters of which there is nothing to show
  for (std::size_t i = 0; i < all.exercises.size(); ++i) chapters[all.exercises[i].label].push_back(i);
  const bool several = chapters.size() > 1;
  for (const auto& [label, places] : chapters) {
    if (!anybody_handed_in(all, places)) untouched.insert(label);
  }
  std::string text;
  if (untouched.size() < chapters.size()) {
    for (const std::string& label : untouched) chapters.erase(label);
    if (!untouched.empty())
      text = fmt::format("Nobody handed in anything of {}.\n", fmt::join(untouched, ", "));
  }
  for (const auto& chapter : chapters) {
    const std::string& label = chapter.first;
    const std::vector<std::size_t>& places = chapter.second;
    const bool last = label == chapters.rbegin()->first;
    std::vector<std::vector<std::string>> rows = {{several ? label : "student"}};
    for (const std::size_t i : places) rows[0].push_back(all.exercises[i].name);
    rows[0].push_back("points");
    if (last && several) rows[0].push_back("of all chapters");
    for (const class_row& row : all.students) {
      std::vector<std::string> cells = {row.who.name};
      double sum = 0, best = 0;
      for (const std::size_t i : places) {
        cells.push_back(cell_text(row.entries[i].graded.verdict));
        sum += row.entries[i].points.value_or(0);
        best += points.best(all.exercises[i]);
      }
      cells.push_back(fmt::format("{}/{}", points_text(sum), points_text(best)));
      if (last && several)
        cells.push_back(fmt::format("{}/{}", points_text(sum_of(row)), points_text(best_of(row, points))));
      rows.push_back(std::move(cells));
    }
    text += (text.empty() ? "" : "\n") +
            reports::render_table(
                rows,
                [&](std::size_t row, std::size_t column, const std::string& cell) {
                  return column == 0 || column > places.size()
                             ? cell
                             : out.verdict(all.students[row - 1].entries[places[column - 1]].graded.verdict,
                                           cell);
                },
                static_cast<std::size_t>(out.width()));
  }
  const bool any_missing = std::any_of(all.students.begin(), all.students.end(), [](const class_row& row) {
    return std::any_of(row.entries.begin(), row.entries.end(), [](const class_entry& one) {
      return one.graded.verdict == name_of(verdict::missing);
    });
  });
  return text + (any_missing ? "- is not handed in.\n" : "");
}

json student_json(const class_row& row, const points_table& points) {
  json exercises = json::array();
  for (const class_entry& entry : row.entries) {
    const outcome& o = entry.graded;
    json one = {{"chapter", o.exercise.chapter},
                {"exercise", o.exercise.name},
                {"verdict", o.verdict},
                {"cause", o.cause},
                {"headline", shown_text(o.headline)},
                {"at_the_limit", o.at_the_limit},
                {"best", points.best(o.exercise)},
                {"graded_before", entry.graded_before}};
    one["points"] = entry.points ? json(*entry.points) : json(nullptr);
    if (!entry.at.empty()) one["file"] = shown_text(entry.at.string());
    for (const auto& file : entry.beside) one["files_that_do_not_count"].push_back(shown_text(file.string()));
    if (o.location.line > 0) one["location"] = {{"file", o.location.file}, {"line", o.location.line}};
    if (const reports::result* decisive = o.decisive()) {
      one["device"] = decisive->device;
      one["graded_at"] = decisive->started_at;
      for (const auto& part : {o.correctness, o.bandwidth})
        if (part) one["results"].push_back(part->path.string());
    }
    if (const reports::measurement* time = timed(o)) {
      one["speed_share"] = time->ratio;
      one["modelled"] = o.bandwidth->modelled;
    }
    exercises.push_back(std::move(one));
  }
  return {{"schema", "course.class_student/1"},
          {"student", row.who.name},
          {"points", sum_of(row)},
          {"best", best_of(row, points)},
          {"exercises", exercises}};
}

json class_json(const graded_class& all, const points_table& points) {
  json students = json::array();
  for (const class_row& row : all.students) students.push_back(student_json(row, points));
  return {{"schema", "course.class/1"}, {"folder", shown_text(all.folder.string())}, {"students", students}};
}

}  // namespace course::cli
