/// @file
/// `course hint`: one step of an exercise's hints at a time, from a nudge to almost the answer. Who sees all
/// of them at once reads the last one first.
#include <fmt/format.h>

#include <sstream>

#include "cli/commands.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "reports/terminal.hpp"

namespace course::cli {
namespace {

/// The sections of hints.md: each starts with a line "## ...".
std::vector<std::string> sections_of(const std::string& text) {
  std::vector<std::string> sections;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) {
      // "## 1 nudge": the number is shown as "hint 1 of 3" already.
      const std::size_t title = line.find_first_not_of("0123456789. ", 3);
      sections.push_back((title == std::string::npos ? line.substr(3) : line.substr(title)) + "\n");
    } else if (!sections.empty()) {
      sections.back() += line + "\n";
    }
  }
  for (std::string& section : sections) section.erase(section.find_last_not_of(" \n") + 1);
  return sections;
}

}  // namespace

int hint(const build_folder& build, const std::string& exercise_word, bool all, bool again) {
  const exercise_id exercise = select_one(build, exercise_word);
  const auto text = read_file(build.exercise_folder(exercise) / "hints.md");
  const auto sections = sections_of(text.value_or(""));
  if (sections.empty()) throw environment_error(fmt::format("{} has no hints.", exercise.name));

  const std::filesystem::path state = build.root() / "hints" / exercise.judge();
  std::size_t shown = 0;
  if (const auto remembered = read_file(state); remembered && !again)
    shown = static_cast<std::size_t>(std::atoi(remembered->c_str()));
  const std::size_t next = std::min(shown, sections.size() - 1);
  const reports::terminal out = reports::terminal::of(1);
  for (std::size_t i = all ? 0 : next; i <= (all ? sections.size() - 1 : next); ++i) {
    const std::size_t end = sections[i].find('\n');
    fmt::print("{}\n{}\n\n",
               out.bold(fmt::format("{}, hint {} of {}: {}", exercise.name, i + 1, sections.size(),
                                    sections[i].substr(0, end))),
               end == std::string::npos ? "" : sections[i].substr(end + 1));
  }
  if (all) return 0;
  write_file_atomically(state, std::to_string(next + 1) + "\n");
  if (next + 1 < sections.size()) {
    fmt::print("{}\n", out.dim(fmt::format("Not enough? The same command shows hint {}.", next + 2)));
  } else {
    std::error_code error;
    // A copy of the course for students has no explanations.
    const std::string explained =
        fmt::format("solutions/{}/{}/EXPLANATION.md", exercise.chapter, exercise.name);
    fmt::print("{}\n", out.dim("That was the last one. --again starts over" +
                               (std::filesystem::exists(build.source_dir() / explained, error)
                                    ? "; " + explained + " tells the rest."
                                    : ".")));
  }
  return 0;
}

}  // namespace course::cli
