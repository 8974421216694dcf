/// @file
/// `course reset`: an exercise's file as it came with the course. What was there is kept beside it: nobody's work is thrown away.
#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "build/process.hpp"
#include "cli/commands.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

/// Output of a git command in a folder.
/// @return nullopt if it fails.
std::optional<std::string> git(const fs::path& folder, std::vector<std::string> arguments) {
  process_request request;
  request.command = {"git", "-C", folder.string()};
  request.command.insert(request.command.end(), arguments.begin(), arguments.end());
  request.timeout_seconds = 30;
  const process_result result = run_process(request);
  if (!result.ok()) return std::nullopt;
  return result.output;
}

/// The file as the course had it. A student commits the file too, so it is taken from the last change of what else lies in its folder
/// (task, contract, test), which only the course changes.
std::string starter_of(const fs::path& folder, const std::string& file) {
  const auto commit = git(folder, {"log", "-1", "--format=%H", "--", ".", ":(exclude)" + file});
  if (!commit || commit->size() < 40) {
    throw environment_error(
        "The starter is looked up in the course's history, and this is no git clone: copy it from the "
        "archive that you "
        "unpacked.");
  }
  const auto text = git(folder, {"show", commit->substr(0, 40) + ":./" + file});
  if (!text)
    throw environment_error(fmt::format("The commit {} does not hold {}.", commit->substr(0, 10), file));
  return *text;
}

std::string time_for_a_name() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d_%H-%M-%S", &parts);
  return text;
}

}  // namespace

int reset(const build_folder& build, const std::string& word) {
  const exercise_id exercise = select_one(build, word);
  if (exercise.is_drill())
    throw environment_error(fmt::format("{} is a drill: there is no file to put back.", exercise.name));
  const fs::path folder = build.exercise_folder(exercise);
  const fs::path file = folder / (exercise.name + ".cu");
  const std::string starter = starter_of(folder, file.filename().string());
  const auto text = read_file(file);
  if (text == starter) {
    fmt::print("{} is the starter already.\n", file.string());
    return 0;
  }
  if (text) {
    // The ending keeps it from git, from the compiler and from the checks of what may lie here.
    const fs::path kept = folder / fmt::format("{}.{}.kept.cu", exercise.name, time_for_a_name());
    write_file_atomically(kept, *text);
    fmt::print("Your file is kept as {}\n", kept.string());
  }
  write_file_atomically(file, starter);
  fmt::print("{} is the starter again.\n", file.string());
  return 0;
}

}  // namespace course::cli
