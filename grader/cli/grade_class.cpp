/// @file
/// `course grade --all`: a folder of hand-ins, graded, with a table and files for whoever enters the marks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/class_grading.hpp"
#include "cli/class_report.hpp"
#include "cli/commands.hpp"
#include "cli/device.hpp"
#include "cli/points.hpp"
#include "records/device_word.hpp"
#include "records/files.hpp"
#include "records/verdict.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using reports::terminal;

std::string dumped(const nlohmann::json& content) {
  return content.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// How many of a class's entries have a property.
template <class Property>
std::size_t count_of(const graded_class& all, Property has) {
  std::size_t count = 0;
  for (const class_row& row : all.students)
    count += static_cast<std::size_t>(std::count_if(row.entries.begin(), row.entries.end(), has));
  return count;
}

std::string number_of(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// What an instructor should look at besides the verdicts.
std::string remarks(const graded_class& all) {
  std::string text;
  if (const auto files = first_files(all.folder, false); !files.empty())
    text += fmt::format(
        "Beside the students' folders lie files that belong to nobody, e.g. {}: unpack archives into a "
        "folder each.\n",
        files.front());
  for (const class_row& row : all.students) {
    const bool nothing = std::all_of(row.entries.begin(), row.entries.end(), [](const class_entry& entry) {
      return entry.graded.verdict == name_of(verdict::missing);
    });
    if (const auto files = first_files(all.folder / row.who.folder, true); nothing && !files.empty())
      text += fmt::format("{}: nothing has the name of an exercise's file; there is {}.\n", row.who.name,
                          fmt::join(files, ", "));
    for (const class_entry& entry : row.entries) {
      if (entry.graded.verdict == name_of(verdict::harness_error))
        text += fmt::format("{}, {}: {}\n", row.who.name, entry.graded.exercise.name,
                            shown_text(entry.graded.headline));
      for (const fs::path& file : entry.beside)
        text +=
            fmt::format("{}, {}: {} was graded; {} does not count.\n", row.who.name,
                        entry.graded.exercise.name, shown_text(entry.at.string()), shown_text(file.string()));
    }
  }
  const std::size_t modelled =
      count_of(all, [](const class_entry& entry) { return entry.graded.cause == cause::modelled_speed; });
  if (modelled > 0)
    text += fmt::format(
        "{} not decided: their speed was modelled, and --require-measured wants it measured. Grade on a "
        "machine with a GPU.\n",
        number_of(modelled, "hand-in"));
  return text;
}

}  // namespace

int grade_class(const build_folder& build, const class_options& options) {
  const fs::path points_file = options.points_file.empty() ? build.source_dir() / "exercises/points.json"
                                                           : fs::path(options.points_file);
  const points_table points = points_table::read(points_file, build.config().exercises);
  const std::string device = device_word(options.device, "auto");
  const terminal out = terminal::of(1);
  fmt::print("{}\n  device  {}\n\n", out.bold("Grading the hand-ins in " + shown_text(options.folder)),
             device_sentence(device));
  std::fflush(stdout);
  graded_class all = grade_hand_ins(build, options, device, out);
  for (class_row& row : all.students)
    for (class_entry& entry : row.entries) entry.points = points.of(entry.graded);

  fmt::print("\n{}\n{}", class_table(all, points, out), remarks(all));
  for (const class_row& row : all.students)
    write_file_atomically(all.kept / (row.who.key + ".json"), dumped(student_json(row, points)));
  if (!options.csv_file.empty()) write_file_atomically(fs::absolute(options.csv_file), class_csv(all));
  if (!options.json_file.empty())
    write_file_atomically(fs::absolute(options.json_file), dumped(class_json(all, points)));

  const auto verdict_is = [&](verdict what) {
    return count_of(all, [&](const class_entry& entry) { return entry.graded.verdict == name_of(what); });
  };
  const std::size_t entries = all.students.size() * all.exercises.size();
  const std::size_t passed = verdict_is(verdict::pass), missing = verdict_is(verdict::missing);
  const std::size_t before = count_of(all, [](const class_entry& entry) { return entry.graded_before; });
  fmt::print(
      "{}, {}: {} of {} pass, {} not handed in; {} graded now, {} before (--again grades them anew).\n",
      number_of(all.students.size(), "student"), number_of(all.exercises.size(), "exercise"), passed, entries,
      missing, entries - missing - before, before);
  fmt::print("Each student's verdicts: {}\n", all.kept.string());
  if (!options.csv_file.empty())
    fmt::print("As a table for spreadsheets: {}\n", shown_text(options.csv_file));
  if (verdict_is(verdict::harness_error) > 0) return 2;
  return passed == entries ? 0 : 1;
}

}  // namespace course::cli
