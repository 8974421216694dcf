/// @file
/// `course pages`: the generated blocks of the course's pages, compared with what they come from, or written anew.
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.hpp"
#include "cli/selection.hpp"
#include "cli/variant.hpp"
#include "pages/figures.hpp"
#include "pages/pages.hpp"
#include "records/files.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

/// Whether a path is a folder's own, or lies below it.
bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// A word as paths below the source folder: seen from there, and from where we are.
std::vector<fs::path> paths_of(const build_folder& build, const std::string& word) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::path& candidate : {build.source_dir() / word, fs::path(word)}) {
    if (!fs::exists(candidate, error)) continue;
    const fs::path inside =
        fs::relative(fs::canonical(candidate, error), fs::canonical(build.source_dir(), error), error);
    if (!inside.empty() && *inside.begin() != "..") paths.push_back(inside);
  }
  return paths;
}

std::vector<fs::path> select_pages(const build_folder& build, const std::vector<std::string>& words) {
  auto all = pages::all_pages(build);
  if (words.empty()) return all;
  std::vector<fs::path> selected;
  for (const auto& word : words) {
    std::vector<fs::path> folders = paths_of(build, word);
    if (folders.empty()) {
      const auto exercises = select_exercises(build, {word});
      const bool chapter = word == exercises.front().label || word == exercises.front().chapter;
      if (chapter) folders.push_back(fs::path("chapters") / exercises.front().chapter);
      for (const auto& one : exercises) {
        folders.push_back(fs::path("exercises") / one.chapter / one.name);
        folders.push_back(fs::path("solutions") / one.chapter / one.name);
      }
    }
    const std::size_t before = selected.size();
    for (const auto& page : all) {
      const bool asked = std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
        return folder == "." || lies_in(page, folder);
      });
      if (asked && std::find(selected.begin(), selected.end(), page) == selected.end())
        selected.push_back(page);
    }
    if (selected.size() == before)
      throw environment_error(fmt::format(
          "{} has no page: name a chapter, an exercise, a README.md, EXPLANATION.md or lesson.md, or docs.",
          word));
  }
  return selected;
}

}  // namespace

int check_figures(const build_folder& build, const std::string& chapter) {
  const bool front = chapter == "README.md";  // the front page quotes any chapter
  const auto pages = front ? std::vector<fs::path>{chapter} : select_pages(build, {chapter});
  const auto values =
      pages::recorded_values(build, front ? "" : select_exercises(build, {chapter}).front().chapter);
  int unknown = 0, known = 0;
  for (const fs::path& page : pages) {
    for (const auto& one : pages::typed_figures(read_file(build.source_dir() / page).value_or(""))) {
      if (pages::is_recorded(one, values)) {
        ++known;
        continue;
      }
      fmt::print(
          "{}:{}: {} {} is recorded nowhere: leave it out, show it in a block `<!-- measured NAME -->`, or "
          "add it to measured.json\n",
          page.string(), one.line, one.printed, one.unit);
      ++unknown;
    }
  }
  if (unknown > 0) return 1;
  fmt::print("{} typed figures in {} pages, all of them recorded\n", known, pages.size());
  return 0;
}

int check_pages(const build_folder& build, const pages_options& options) {
  const auto grade_starter = [&](const exercise_id& exercise) {
    const fs::path source = build.exercise_folder(exercise) / (exercise.name + ".cu");
    const auto text = read_file(source);
    if (!text) throw environment_error(fmt::format("{} cannot be read.", source.string()));
    return verdict_lines(grade_program(build, exercise, {exercise.test_prefix() + ".page", *text, "sim"}));
  };
  pages::page_writer writer(build,
                            options.write ? pages::starter_text(grade_starter) : pages::starter_text());
  int blocks = 0, stale = 0, complaints = 0, count = 0;
  for (const fs::path& page : select_pages(build, options.words)) {
    const auto written = writer.write(page);
    ++count;
    blocks += written.blocks;
    for (const auto& one : written.complaints)
      fmt::print("{}:{}: {}\n", page.string(), one.line, one.sentence);
    complaints += static_cast<int>(written.complaints.size());
    if (written.stale.empty()) continue;
    if (options.write) {
      write_file_atomically(build.source_dir() / page, written.text);
      fmt::print("{}: wrote {} of {} blocks anew\n", page.string(), written.stale.size(), written.blocks);
      continue;
    }
    for (const int line : written.stale)
      fmt::print("{0}:{1}: this block is stale: run ./course pages --write {0}\n", page.string(), line);
    stale += static_cast<int>(written.stale.size());
  }
  if (stale + complaints > 0) return 1;
  fmt::print("{} blocks in {} pages: nothing to complain about\n", blocks, count);
  return 0;
}

}  // namespace course::cli
