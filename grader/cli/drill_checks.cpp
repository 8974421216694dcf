/// @file
/// `course check-drill`: a drill's task and solution folders are complete, and whatever in them comes from the drill is what
/// the drill says today. Nobody types a right answer, or a mistake's.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "cli/drill.hpp"
#include "drills/answers.hpp"
#include "drills/registry.hpp"
#include "drills/sheet.hpp"
#include "records/files.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using drills::drill;

/// Draw of the solution's files.
constexpr std::uint32_t kNumber = 7;

/// Mistakes of which the solution folder holds a wrong hand-in: the likeliest.
constexpr std::size_t kWrongFiles = 3;

/// A file of the solution folder, as the drill makes it.
struct made_file {
  fs::path path;
  std::string content;
};

std::vector<made_file> files_made(const drill& of, const fs::path& solution) {
  const auto questions = drills::draw(of, kNumber, drills::kLimitMark);
  std::vector<drills::numbers> right;
  for (const drills::question& q : questions) right.push_back(q.right);
  std::vector<made_file> files = {
      {solution / drills::kAnswersFile, drills::write_answers(of, kNumber, questions, right, true)}};
  const std::vector<drills::question> ten(questions.begin(), questions.begin() + drills::kSheet);
  for (std::size_t i = 0; i < std::min(kWrongFiles, of.mistakes.size()); ++i) {
    std::vector<drills::numbers> given;
    for (const drills::question& q : ten) given.push_back(q.by_mistake[i]);
    files.push_back({solution / "wrong" / (of.mistakes[i].name + ".txt"),
                     "# expect: wrong_result mismatch\n# " + of.mistakes[i].sentence + "\n\n" +
                         drills::write_answers(of, kNumber, ten, given)});
  }
  return files;
}

/// A page with its questions as they are today: each stands in a fence after a line "<!-- question 3 of number 7 -->", or
/// "<!-- solved question 3 of number 7 -->", where reason and answer follow.
std::string with_fresh_questions(const drill& of, const std::string& page) {
  std::istringstream in(page);
  std::string fresh;
  for (std::string line; std::getline(in, line);) {
    fresh += line + "\n";
    unsigned index = 0, number = 0;
    const bool solved =
        std::sscanf(line.c_str(), "<!-- solved question %u of number %u -->", &index, &number) == 2;
    if (!solved && std::sscanf(line.c_str(), "<!-- question %u of number %u -->", &index, &number) != 2)
      continue;
    // What stands in the fence now.
    if (std::getline(in, line) && line == "```text") {
      while (std::getline(in, line) && line != "```") {
      }
    }
    const drills::question asked = drills::draw(of, number, std::max(index, 1u)).back();
    fresh += "```text\n" + asked.text + "\n";
    if (solved) fresh += fmt::format("\n{}\nRight is {}.\n", asked.why, fmt::join(asked.right, " "));
    fresh += "```\n";
  }
  return fresh;
}

}  // namespace

int check_drill(const build_folder& build, const std::string& chapter, const std::string& name, bool write) {
  const drill* of = drills::find_drill(name);
  const exercise_id* exercise = build.find(chapter, name);
  if (!of || !exercise || !exercise->is_drill())
    throw environment_error(fmt::format(
        "There is no drill for {}/{} in grader/drills: its `exercise` must be {}.", chapter, name, name));
  const fs::path task = build.exercise_folder(*exercise);
  const fs::path solution = build.solution_folder(*exercise);
  auto made = files_made(*of, solution);
  for (const fs::path& page : {task / "README.md", solution / "EXPLANATION.md"})
    made.push_back({page, with_fresh_questions(*of, read_file(page).value_or(""))});
  if (write) {
    for (const made_file& file : made) write_file_atomically(file.path, file.content);
    fmt::print("wrote {} files of {}\n", made.size(), exercise->name);
    return 0;
  }

  int complaints = 0;
  const auto complain = [&](const fs::path& file, const std::string& what) {
    fmt::print("{}: {}\n", file.string(), what);
    ++complaints;
  };
  for (const char* file : {"README.md", "hints.md", "CMakeLists.txt"}) {
    if (read_file(task / file).value_or("").size() < 2) complain(task / file, "missing or empty");
  }
  const std::string readme = read_file(task / "README.md").value_or("");
  if (!readme.starts_with("# ")) complain(task / "README.md", "must start with a title");
  for (const std::string& command : {"./course drill " + of->word, "./course grade " + name}) {
    if (readme.find(command) == std::string::npos)
      complain(task / "README.md", "does not name the command " + command);
  }
  if (readme.find("<!-- question ") == std::string::npos)
    complain(task / "README.md", "shows no question: <!-- question 3 of number 7 -->");
  const std::string hints = read_file(task / "hints.md").value_or("");
  std::size_t steps = 0;
  for (std::size_t at = hints.find("\n## "); at != std::string::npos; at = hints.find("\n## ", at + 1))
    ++steps;
  if (steps < 3)
    complain(task / "hints.md", "three hints (headings ##) are wanted: nudge, method, almost there");
  if (read_file(task / "CMakeLists.txt").value_or("") != fmt::format("course_add_drill({})\n", of->word))
    complain(task / "CMakeLists.txt",
             fmt::format("must hold the line course_add_drill({}) and nothing else", of->word));
  if (read_file(solution / "EXPLANATION.md").value_or("").size() < 2)
    complain(solution / "EXPLANATION.md", "missing or empty");
  std::set<fs::path> known = {solution / "EXPLANATION.md", solution / "wrong"};
  for (const made_file& file : made) {
    known.insert(file.path);
    if (read_file(file.path).value_or("") != file.content)
      complain(
          file.path,
          fmt::format("not what the drill makes today: `build/default/bin/course check-drill --chapter {} "
                      "--exercise {} --write` writes it anew",
                      exercise->chapter, name));
  }
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(solution, error)) {
    if (!known.contains(entry.path())) complain(entry.path(), "does not belong there");
  }
  if (complaints == 0) fmt::print("{}: nothing to complain about\n", exercise->test_prefix());
  return complaints == 0 ? 0 : 1;
}

}  // namespace course::cli
