/// @file
/// Implementation of release.hpp: which files, and how a solution is recognised in them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "cli/release.hpp"
#include "records/files.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

/// What lies in the source folder itself, and what gradings ask for besides.
constexpr std::array<std::string_view, 8> kTopFiles = {
    "CMakeLists.txt", "CMakePresets.json", "LICENSE",    "README.md",
    "course",         ".clang-format",     ".gitignore", "exercises/no_teeth.json"};
/// Folders that go as they are, but for what kept_out says.
constexpr std::array<std::string_view, 4> kTopFolders = {".vscode", "cmake", "docs", "grader"};

/// What is for authors, and holds solutions, wrong programs, or their names: a release is built without it.
bool kept_out(const fs::path& relative) {
  constexpr std::array<std::string_view, 4> kForAuthors = {
      "grader/calibrate/", "grader/cli/new_exercise/", "docs/pages/judging.md", "docs/pages/kill_table.md"};
  const std::string path = relative.string();
  return std::any_of(relative.begin(), relative.end(),
                     [](const fs::path& part) { return part == "tests"; }) ||
         std::any_of(kForAuthors.begin(), kForAuthors.end(),
                     [&](std::string_view one) { return path.starts_with(one); }) ||
         path.ends_with(".kept.cu");
}

/// Calls @p visit with each ordinary file below a folder, links and hidden ones left out.
void walk(const fs::path& root, const fs::path& folder, const std::function<void(const fs::path&)>& visit) {
  std::error_code error;
  fs::recursive_directory_iterator entries(root / folder, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const fs::path name = entries->path().filename();
    if (name.string().starts_with('.') && folder.string().front() != '.') {
      // grader/cli/help/.internal is a page of its own kind.
      if (entries->is_directory()) entries.disable_recursion_pending();
      if (name != ".internal") continue;
    }
    if (entries->is_symlink() || !entries->is_regular_file()) continue;
    visit(entries->path().lexically_relative(root));
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw environment_error(fmt::format("{} cannot be read: {}.", (root / folder).string(), error.message()));
}

/// Files of an exercise's folder: the starter, headers, descriptions, pages. Other .cu files and answers are somebody's hand-in.
bool belongs_to(const exercise_id& exercise, const fs::path& file) {
  constexpr std::array<std::string_view, 7> kOwn = {".cuh", ".hpp", ".cpp", ".md", ".json", ".svg", ".png"};
  const std::string name = file.filename().string();
  return name == exercise.name + ".cu" || name == "CMakeLists.txt" ||
         std::find(kOwn.begin(), kOwn.end(), file.extension().string()) != kOwn.end();
}

std::string trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return std::string(line.substr(first, line.find_last_not_of(kBlank) + 1 - first));
}

/// Calls @p visit with each line of a file; in a binary, what stands between its zero bytes.
void each_line(const fs::path& file, const std::function<void(std::string)>& visit) {
  const std::string text = read_file(file).value_or("");
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(std::string_view("\n\0", 2), start), text.size());
    visit(trimmed(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
}

/// Shorter lines (`__syncthreads();`, `float sum = 0;`) are anybody's.
constexpr std::size_t kTelling = 20;

/// The lines between a file's marks "your code", without blanks at their ends.
std::string marked_region(const fs::path& file) {
  std::string region;
  bool inside = false;
  each_line(file, [&](const std::string& line) {
    if (line.find("// <<< your code") != std::string::npos) inside = false;
    if (inside && !line.empty()) region += line + "\n";
    if (line.find("// >>> your code") != std::string::npos) inside = true;
  });
  return region;
}

}  // namespace

std::vector<fs::path> released_files(const fs::path& source_dir, const std::vector<exercise_id>& exercises) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const std::string_view name : kTopFiles)
    if (fs::is_regular_file(source_dir / name, error)) files.emplace_back(name);
  for (const std::string_view folder : kTopFolders) {
    walk(source_dir, folder, [&](const fs::path& file) {
      if (!kept_out(file)) files.push_back(file);
    });
  }
  std::set<std::string> chapters;
  for (const exercise_id& exercise : exercises) {
    chapters.insert(exercise.chapter);
    walk(source_dir, fs::path("exercises") / exercise.chapter / exercise.name, [&](const fs::path& file) {
      if (belongs_to(exercise, file)) files.push_back(file);
    });
  }
  for (const std::string& chapter : chapters) {
    walk(source_dir, fs::path("chapters") / chapter, [&](const fs::path& file) { files.push_back(file); });
    // A header beside the exercises is for all of the chapter.
    walk(source_dir, fs::path("exercises") / chapter, [&](const fs::path& file) {
      if (file.parent_path().filename() == chapter && file.extension() == ".cuh") files.push_back(file);
    });
  }
  std::sort(files.begin(), files.end());
  return files;
}

solution_text::solution_text(const fs::path& source_dir) {
  for (const char* folder : {"solutions", "grader/tests/hand_ins", "grader/tests/fixture_exercises"}) {
    walk(source_dir, folder, [&](const fs::path& file) {
      each_line(source_dir / file, [&](std::string line) {
        if (line.size() >= kTelling) lines_.insert(std::move(line));
      });
    });
  }
  const auto is_public = [&](const fs::path& file) {
    each_line(source_dir / file, [&](const std::string& line) { lines_.erase(line); });
  };
  for (const char* folder : {"chapters", "docs", "cmake"}) walk(source_dir, folder, is_public);
  walk(source_dir, "exercises", [&](const fs::path& file) {
    // chapter2_shared_memory/block_reduction/block_reduction.cu, and no other .cu file that lies there
    exercise_id exercise;
    exercise.name = file.parent_path().filename().string();
    if (belongs_to(exercise, file)) is_public(file);
  });
  walk(source_dir, "grader", [&](const fs::path& file) {
    // Said again, so that a mistake in kept_out is found and not believed.
    if (!kept_out(file) && !file.string().starts_with("grader/tests/")) is_public(file);
  });
  for (const std::string_view name : kTopFiles) is_public(name);
}

std::vector<std::string> solution_text::found_in(const fs::path& file) const {
  std::vector<std::string> found;
  each_line(file, [&](const std::string& line) {
    if (lines_.contains(line)) found.push_back(line);
  });
  return found;
}

std::vector<std::string> solved_starters(const fs::path& source_dir,
                                         const std::vector<exercise_id>& exercises) {
  std::vector<std::string> sentences;
  for (const exercise_id& exercise : exercises) {
    const fs::path starter =
        fs::path("exercises") / exercise.chapter / exercise.name / (exercise.name + ".cu");
    const std::string region = marked_region(source_dir / starter);
    if (region.empty()) continue;
    walk(source_dir, fs::path("solutions") / exercise.chapter / exercise.name, [&](const fs::path& file) {
      // A starter may well be one of the wrong ways: slow, or to be repaired.
      if (file.extension() != ".cu" || file.parent_path().filename() == "wrong" ||
          marked_region(source_dir / file) != region)
        return;
      sentences.push_back(fmt::format("{} holds the code of {}: put the starter back with ./course reset {}.",
                                      starter.string(), file.string(), exercise.name));
    });
  }
  return sentences;
}

}  // namespace course::cli
