/// @file
/// Checks of the course's files: complete, in step with each other, and not none.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "build/process.hpp"
#include "cli/commands.hpp"
#include "cli/hints_file.hpp"
#include "cli/quiz_file.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "records/predictions.hpp"
#include "records/verdict.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

/// Collects what is wrong, so that one run names everything.
class findings {
 public:
  void add(const std::string& sentence) {
    fmt::print("{}\n", sentence);
    ++count_;
  }
  template <class... Arguments>
  void check(bool good, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    if (!good) add(fmt::format(format, std::forward<Arguments>(arguments)...));
  }
  /// Names what an author has not written yet: `TODO(author): ...`, as `course new-exercise` leaves it.
  void unfinished(const fs::path& file) {
    static constexpr std::string_view kMark = "TODO(author):";
    std::istringstream in(read_file(file).value_or(""));
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (const auto at = line.find(kMark); at != std::string::npos)
        add(fmt::format("{}:{}: still to be written:{}", file.string(), number,
                        line.substr(at + kMark.size())));
    }
  }
  /// @return exit code.
  int finish(const std::string& what) const {
    if (count_ == 0) fmt::print("{}: nothing to complain about\n", what);
    return count_ == 0 ? 0 : 1;
  }

 private:
  int count_ = 0;
};

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool is_verdict(std::string_view word) {
  return std::any_of(kVerdicts.begin(), kVerdicts.end(), [&](verdict one) { return name_of(one) == word; });
}

/// The words in the first column of a page's tables, e.g. disk_full and not_writable of "| `disk_full`, `not_writable` | ...".
std::set<std::string> words_explained(std::string_view page) {
  std::set<std::string> words;
  std::istringstream in{std::string(page)};
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream cell(line.substr(0, line.find('|', 1)));
    // Every second piece between backquotes is a word.
    bool quoted = false;
    for (std::string piece; std::getline(cell, piece, '`'); quoted = !quoted)
      if (quoted) words.insert(piece);
  }
  return words;
}

/// A text before and from @p mark; the second is empty where there is none.
std::pair<std::string_view, std::string_view> split_at(std::string_view text, std::string_view mark) {
  const std::size_t at = std::min(text.find(mark), text.size());
  return {text.substr(0, at), text.substr(at)};
}

/// Text outside and inside `// >>> your code` ... `// <<< your code`.
struct marked_text {
  std::string outside;
  std::vector<std::string> regions;
  bool balanced = true;
};

marked_text split_at_markers(const std::string& text) {
  marked_text result;
  bool inside = false;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    start = end;
    const bool opens = line.find("// >>> your code") != std::string::npos;
    const bool closes = line.find("// <<< your code") != std::string::npos;
    if ((opens && inside) || (closes && !inside)) result.balanced = false;
    if (closes) inside = false;
    (inside ? result.regions.back() : result.outside) += line;
    if (opens) {
      inside = true;
      result.regions.emplace_back();
    }
  }
  if (inside) result.balanced = false;
  return result;
}

/// 1-based number of the first line in which two texts differ.
int first_difference(const std::string& a, const std::string& b) {
  const auto [at, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return 1 + static_cast<int>(std::count(a.begin(), at, '\n'));
}

/// Compares the places that list a chapter's exercises, the end of its lesson and the README's table, with the order in which
/// `course list` and `course next` give them. A place that is not there is not wrong.
void check_order(findings& found, const build_folder& build, const std::string& chapter,
                 const std::string& lesson) {
  const auto part = [](const std::string& text, std::size_t begin, std::string_view end) {
    return begin == std::string::npos ? std::string() : text.substr(begin, text.find(end, begin + 1) - begin);
  };
  const std::string readme = read_file(build.source_dir() / "README.md").value_or("");
  const std::size_t link = readme.find("(chapters/" + chapter + "/lesson.md) |");
  const std::array places{std::pair("chapters/" + chapter + "/lesson.md, under \"Exercises, in order\",",
                                    part(lesson, lesson.find("\n## Exercises, in order\n"), "\n## ")),
                          std::pair(std::string("README.md"), part(readme, link, "\n"))};
  for (const auto& [place, list] : places) {
    if (list.empty()) continue;
    std::size_t at = 0;
    for (const exercise_id& exercise : in_course_order(build)) {
      if (exercise.chapter != chapter || at == std::string::npos) continue;
      at = list.find(exercise.name, at);
      found.check(
          at != std::string::npos,
          "{} should name {} at another place: the order is that in which the lesson first names them", place,
          exercise.name);
    }
  }
}

}  // namespace

int check_files(const build_folder& build, const std::string& chapter, const std::string& name) {
  const exercise_id& exercise = exercise_of(build, chapter, name);
  const fs::path task = build.exercise_folder(exercise);
  const fs::path solution = build.solution_folder(exercise);
  findings found;

  std::set<std::string> wanted = {"CMakeLists.txt", "README.md", "hints.md"};
  if (!exercise.is_drill()) wanted.insert({name + ".cuh", name + ".cu", name + "_test.cpp"});
  for (const std::string& file : wanted)
    found.check(read_file(task / file).value_or("").size() > 1, "{} is missing or empty",
                (task / file).string());
  for (const fs::path& file : files_in(task)) {
    const std::string base = file.filename().string();
    // Further contract headers, questions to predict by, pictures, and what `course reset` kept.
    found.check(wanted.contains(base) || file.extension() == ".cuh" || base == "predict.json" ||
                    base == "figures" || base.ends_with(".kept.cu"),
                "{} does not belong there", file.string());
  }
  const std::string readme = read_file(task / "README.md").value_or("");
  found.check(readme.starts_with("# "), "{} must start with a title", (task / "README.md").string());
  const std::string how_to_run =
      exercise.is_drill() ? "course drill " + exercise.drill : "course grade " + name;
  found.check(readme.find(how_to_run) != std::string::npos, "{} does not say how to run it: ./{}",
              (task / "README.md").string(), how_to_run);
  const hints_file hints = hints_file::read(task / "hints.md");
  found.check(hints.steps.size() >= 3,
              "{} has {} hints (headings ##), and three are wanted: nudge, method, almost there",
              (task / "hints.md").string(), hints.steps.size());
  for (const hint_section& section : hints.on_verdicts) {
    found.check(!section.text.empty(), "{} has an empty section \"## if\"", (task / "hints.md").string());
    for (const std::string& word : section.words)
      found.check(is_verdict(word) || is_cause(word),
                  "{}: \"## if {}\" names no verdict or cause of docs/pages/verdicts.md",
                  (task / "hints.md").string(), word);
  }
  try {
    read_prediction_questions(build, exercise);
  } catch (const environment_error& problem) {
    found.add(problem.what());
  }
  const std::string cmake = read_file(task / "CMakeLists.txt").value_or("");
  const std::string registration = exercise.is_drill() ? "course_add_drill" : "course_add_exercise";
  const std::size_t call = cmake.find(registration + "(");
  found.check(call != std::string::npos && cmake.find("course_add_", call + 1) == std::string::npos,
              "{} must hold one call of {} and nothing else", (task / "CMakeLists.txt").string(),
              registration);
  if (exercise.is_drill()) return found.finish(exercise.test_prefix() + " files");

  const std::set<std::string> solved = {name + ".cu", "plain.cu", "EXPLANATION.md"};
  for (const std::string& file : solved)
    found.check(read_file(solution / file).value_or("").size() > 1, "{} is missing or empty",
                (solution / file).string());
  for (const fs::path& file : files_in(solution)) {
    const std::string base = file.filename().string();
    found.check(solved.contains(base) || base == "wrong" || base == "library" || base == "figures" ||
                    base == "measured.json",
                "{} does not belong there", file.string());
  }
  std::size_t wrong = 0;
  for (const fs::path& file : files_in(solution / "wrong")) {
    if (file.extension() != ".cu" && file.extension() != ".patch") {
      found.add(file.string() + " does not belong there");
      continue;
    }
    ++wrong;
    const std::string text = read_file(file).value_or("");
    std::istringstream first(text.substr(0, text.find('\n')));
    std::string slashes, mark, verdicts;
    first >> slashes >> mark >> verdicts;
    found.check(slashes == "//" && mark == "expect:" && !verdicts.empty(),
                "{}: the first line must be `// expect: <verdict>`", file.string());
    std::istringstream words(verdicts);
    for (std::string word; std::getline(words, word, '|');) {
      found.check(is_verdict(word) && word != "pass",
                  "{}: {} is no verdict that a wrong variant can be expected to get", file.string(), word);
    }
  }
  for (const fs::path& folder : {task, solution}) {
    for (const fs::path& file : files_in(folder)) found.unfinished(file);
  }
  found.check(wrong >= 3,
              "{} holds {} wrong variants, and three are wanted: a student's mistake, one that only a large "
              "size shows, a slow one",
              (solution / "wrong").string(), wrong);
  return found.finish(exercise.test_prefix() + " files");
}

int check_skeleton(const build_folder& build, const std::string& chapter, const std::string& name) {
  const exercise_id& exercise = exercise_of(build, chapter, name);
  const fs::path solution = build.solution_folder(exercise);
  const std::string starter_text = read_file(build.exercise_folder(exercise) / (name + ".cu")).value_or("");
  const marked_text starter = split_at_markers(starter_text);
  findings found;
  found.check(!starter.regions.empty() && starter.balanced,
              "the starter needs a region from `// >>> your code` to `// <<< your code`");
  for (const std::string& file : {name + ".cu", std::string("plain.cu")}) {
    const std::string text = read_file(solution / file).value_or("");
    const marked_text solved = split_at_markers(text);
    found.check(solved.balanced && solved.regions.size() == starter.regions.size(),
                "solutions' {} has {} marked regions, the starter {}", file, solved.regions.size(),
                starter.regions.size());
    found.check(solved.outside == starter.outside,
                "solutions' {} differs from the starter outside the marked region, first at line {} of what "
                "lies outside",
                file, first_difference(starter.outside, solved.outside));
    found.check(solved.regions != starter.regions, "solutions' {} is the starter itself", file);
  }
  return found.finish(exercise.test_prefix() + " skeleton");
}

int check_course(const build_folder& build) {
  findings found;
  std::set<std::string> registered, drills;
  for (const exercise_id& exercise : build.config().exercises) {
    registered.insert(exercise.chapter + "/" + exercise.name);
    if (exercise.is_drill()) drills.insert(exercise.chapter + "/" + exercise.name);
  }
  found.check(!registered.empty(), "no exercise at all was found when the build folder was configured");
  for (const char* tree_name : {"exercises", "solutions"}) {
    std::set<std::string> present;
    for (const fs::path& chapter : files_in(build.source_dir() / tree_name)) {
      for (const fs::path& exercise : files_in(chapter)) {
        if (fs::is_directory(exercise))
          present.insert(chapter.filename().string() + "/" + exercise.filename().string());
      }
    }
    for (const std::string& one : present)
      found.check(registered.contains(one), "{}/{} is there, but is no registered exercise", tree_name, one);
    for (const std::string& one : registered) {
      // The answers of a drill are drawn anew each time: it has no solution.
      if (drills.contains(one) && std::string_view(tree_name) == "solutions") continue;
      found.check(present.contains(one), "{}/{} is registered, but is not there", tree_name, one);
    }
  }
  std::set<std::string> chapters;
  for (const exercise_id& exercise : build.config().exercises) chapters.insert(exercise.chapter);
  for (const std::string& chapter : chapters) {
    const fs::path folder = build.source_dir() / "chapters" / chapter;
    // A chapter's first exercises may come before its lesson; a lesson that is there is whole.
    if (std::error_code error; !fs::exists(folder, error)) continue;
    const std::string lesson = read_file(folder / "lesson.md").value_or("");
    found.check(!lesson.empty(), "{} is missing", (folder / "lesson.md").string());
    for (const exercise_id& exercise : build.config().exercises) {
      if (exercise.chapter != chapter) continue;
      found.check(lesson.find(exercise.name) != std::string::npos,
                  "chapters/{}/lesson.md does not name its exercise {}", chapter, exercise.name);
    }
    check_order(found, build, chapter, lesson);
    try {
      read_quiz(build, chapter);
    } catch (const environment_error& problem) {
      found.add(problem.what());
    }
  }
  // Whoever reads a verdict or a cause must find it explained, and nothing that is explained may be gone.
  const std::string page = read_file(build.source_dir() / "docs/pages/verdicts.md").value_or("");
  const auto [of_verdicts, of_causes] = split_at(page, "\n## Causes");
  std::set<std::string> verdicts, causes(std::begin(kCauses), std::end(kCauses));
  for (const verdict one : kVerdicts) verdicts.emplace(name_of(one));
  for (const auto& [words, explained] :
       {std::pair(verdicts, words_explained(of_verdicts)), std::pair(causes, words_explained(of_causes))}) {
    for (const std::string& word : words)
      found.check(explained.contains(word), "docs/pages/verdicts.md does not explain `{}` of grader/records",
                  word);
    for (const std::string& word : explained)
      found.check(words.contains(word),
                  "docs/pages/verdicts.md explains `{}`, which grader/records does not have", word);
  }
  return found.finish(fmt::format("{} exercises in {} chapters", registered.size(), chapters.size()));
}

int check_listing(const build_folder& build, const std::string& name) {
  // Without it the program would find the real runtime, and on many machines no device.
  const fs::path dropin = build.bin() / "simgpu-dropin";
  if (files_in(dropin).empty()) {
    throw environment_error(
        "The simulated GPU's drop-in library is not built: run `cmake --build --preset default`.");
  }
  const fs::path source = build.source_dir() / name;
  const std::string nvcc = find_program(build.config().nvcc).empty() ? "nvcc" : build.config().nvcc;
  const fs::path program =
      build.root() / "listings" / source.parent_path().parent_path().filename() / source.stem();
  make_folder(program.parent_path());
  process_request compile;
  compile.command = {nvcc,
                     "-O3",
                     "-std=c++17",
                     "-lineinfo",
                     "--no-compress",
                     "-cudart=shared",
                     "-gencode=arch=compute_90,code=[compute_90,sm_90]",
                     "-o",
                     program.string(),
                     source.string()};
  compile.timeout_seconds = 120;
  const process_result compiled = run_process(compile);
  fmt::print("{}", compiled.output);
  if (!compiled.ok()) return 1;
  process_request run;
  run.command = {program.string()};
  run.set_variables = {{"LD_LIBRARY_PATH", dropin.string()}};
  run.timeout_seconds = 120;
  const process_result ran = run_process(run);
  fmt::print("{}", ran.output);
  if (!ran.ok())
    fmt::print("the listing ended with exit code {}, signal {}{}\n", ran.exit_code, ran.signal,
               ran.timed_out ? ", stopped after its time was up" : "");
  return ran.ok() ? 0 : 1;
}

}  // namespace course::cli
