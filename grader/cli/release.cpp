/// @file
/// `course release`: writes a copy of the course for students, without the text of any solution. References go along compiled, so
/// that the copy grades as the course does.
#include "cli/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "build/plugin_builder.hpp"
#include "cli/commands.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

void copy_over(const fs::path& from, const fs::path& to) {
  make_folder(to.parent_path());
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) throw environment_error(fmt::format("Cannot write {}: {}.", to.string(), error.message()));
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& with) {
  return std::regex_replace(text, std::regex(pattern), with);
}

/// The page that greets students, without the lines that lead to what they do not have. Commands that name a chapter or an exercise
/// which is not in the copy name the first one that is; what a grading looks like stays an example.
std::string readme_for_students(const build_folder& build, const std::string& text,
                                const std::vector<exercise_id>& released) {
  const auto is_released = [&](const auto& holds) {
    return std::any_of(released.begin(), released.end(), holds);
  };
  auto inside = in_course_order(build);
  std::erase_if(inside, [&](const exercise_id& one) {
    return !is_released(
        [&](const exercise_id& other) { return other.chapter == one.chapter && other.name == one.name; });
  });
  // The first to begin with is one with a kernel.
  auto first =
      std::find_if(inside.begin(), inside.end(), [](const exercise_id& one) { return !one.is_drill(); });
  if (first == inside.end()) first = inside.begin();

  struct replacement {
    std::string pattern, with;
  };
  std::vector<replacement> words;
  std::vector<std::string> links;
  for (const exercise_id& one : build.config().exercises) {
    if (!is_released([&](const exercise_id& other) { return other.chapter == one.chapter; })) {
      words.push_back({"\\b" + one.chapter + "\\b", first->chapter});
      words.push_back({"\\b" + one.label + "\\b", first->label});
    }
    if (is_released([&](const exercise_id& other) { return other.name == one.name; })) continue;
    words.push_back({"\\b" + one.name + "\\b", first->name});
    links.push_back("\\[" + one.name + "\\]\\([^)]*\\)( \\(a drill\\))?(, )?");
  }
  std::istringstream lines(text);
  std::string kept;
  bool is_example = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_row = line.starts_with('|');
    const bool of_other_chapter = is_row && line.find("](chapters/chapter") != std::string::npos &&
                                  !is_released([&](const exercise_id& one) {
                                    return line.find("](chapters/" + one.chapter + "/") != std::string::npos;
                                  });
    if (((is_row || is_example) && line.find("solutions") != std::string::npos) ||
        line.starts_with("[CONTRIBUTING.md]") || line.starts_with("./course test") || of_other_chapter)
      continue;
    line = replaced(line, "`ctest --preset solutions` \\([^)]*\\), ", "");
    if (line.starts_with("Grading ")) is_example = true;
    if (line == "```") is_example = false;
    if (is_row && line.find("](chapters/chapter") != std::string::npos) {
      for (const std::string& link : links) line = replaced(line, link, "");
      line = replaced(line, ",? *\\|$", " |");
    } else if (!is_example) {
      for (const replacement& word : words) line = replaced(line, word.pattern, word.with);
    }
    kept += line + "\n";
  }
  return kept;
}

/// Where a release may be written.
fs::path place_for(const build_folder& build, const std::string& name) {
  std::error_code error;
  fs::path folder = fs::weakly_canonical(fs::absolute(name), error);
  if (error || folder.empty()) throw environment_error(fmt::format("{} cannot be a folder.", name));
  if (fs::exists(folder, error) && !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw environment_error(fmt::format(
        "{} is there already: name a folder that does not exist yet, or an empty one.", folder.string()));
  const auto lies_in = [&](const fs::path& outer) {
    const fs::path inside = folder.lexically_relative(outer);
    return !inside.empty() && *inside.begin() != "..";
  };
  if (lies_in(build.source_dir()) && !lies_in(build.source_dir() / "build"))
    throw environment_error(
        fmt::format("{} lies in the course itself: name a folder beside it, or in build/.", folder.string()));
  return folder;
}

/// Compiles what students' programs are compared with.
void put_reference(const build_folder& build, const exercise_id& exercise, const tree& of,
                   const std::string& as, const fs::path& folder, const release_options& options) {
  build_options how;
  how.for_release = true;
  how.more_architectures = options.architectures;
  const plugin_record record = build_plugin(build, {of.path, "release-" + as}, exercise, how);
  if (record.status != "ok")
    throw environment_error(fmt::format("The {} of {} cannot be compiled: {}", as, exercise.name,
                                        record.message.empty() ? record.status : record.message));
  const fs::path plugin = build.plugins() / record.plugin;
  const fs::path place = folder / compiled_reference(exercise, of.id);
  copy_over(plugin, place);
  std::error_code error;
  if (fs::exists(plugin.string() + ".resources.txt", error))
    copy_over(plugin.string() + ".resources.txt", place.string() + ".resources.txt");
}

/// Lines of solutions in the finished folder: one sentence for each file that has some.
std::vector<std::string> leaks_in(const fs::path& folder, const solution_text& solutions,
                                  std::size_t& files) {
  std::vector<std::string> sentences;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const auto found = solutions.found_in(entry.path());
    if (!found.empty())
      sentences.push_back(fmt::format("{} holds {} line{} of solutions, e.g. {}",
                                      entry.path().lexically_relative(folder).string(), found.size(),
                                      found.size() == 1 ? "" : "s", found.front()));
  }
  return sentences;
}

}  // namespace

int release(const build_folder& build, const release_options& options) {
  const auto exercises = select_exercises(build, options.words);
  for (const std::string& architecture : options.architectures) {
    if (architecture.size() < 2 || architecture.size() > 3 ||
        architecture.find_first_not_of("0123456789") != std::string::npos)
      throw environment_error(fmt::format(
          "{} is no compute capability: write it without a point, e.g. --architecture 80.", architecture));
  }
  std::error_code error;
  if (!fs::is_directory(build.source_dir() / kSolutions, error))
    throw environment_error(
        "This copy of the course has no solutions/: releases are made from the full course.");
  const fs::path folder = place_for(build, options.folder);
  if (const auto solved = solved_starters(build.source_dir(), exercises); !solved.empty()) {
    for (const std::string& sentence : solved) fmt::print(stderr, "{}\n", sentence);
    return 2;
  }

  const auto files = released_files(build.source_dir(), exercises);
  for (const fs::path& file : files) {
    if (file == "README.md") {
      write_file_atomically(
          folder / file,
          readme_for_students(build, read_file(build.source_dir() / file).value_or(""), exercises));
    } else {
      copy_over(build.source_dir() / file, folder / file);
    }
  }
  std::size_t done = 0;
  for (const exercise_id& exercise : exercises) {
    ++done;
    if (exercise.is_drill()) continue;
    fmt::print("[{}/{}] reference of {}\n", done, exercises.size(), exercise.name);
    std::fflush(stdout);
    put_reference(build, exercise, reference_tree(build, exercise), "reference", folder, options);
    if (exercise.plain_baseline)
      put_reference(build, exercise, plain_tree(build, exercise), "plain solution", folder, options);
  }

  const solution_text solutions(build.source_dir());
  std::size_t searched = 0;
  const auto leaks = leaks_in(folder, solutions, searched);
  constexpr std::size_t kNamed = 10;
  for (std::size_t i = 0; i < std::min(leaks.size(), kNamed); ++i) fmt::print(stderr, "{}\n", leaks[i]);
  if (leaks.size() > kNamed) fmt::print(stderr, "and {} more files\n", leaks.size() - kNamed);
  fmt::print("\n{} exercises, {} files: {}\n", exercises.size(), searched, folder.string());
  fmt::print(
      "Files with lines of solutions: {} ({} lines were looked for in every file, compiled ones included).\n",
      leaks.size(), solutions.size());
  if (!leaks.empty()) {
    fmt::print(stderr, "Do not hand this copy out.\n");
    return 1;
  }
  fmt::print("Students run ./course grade in it as they would in the full course.\n");
  return 0;
}

}  // namespace course::cli
