/// @file
/// `course new-exercise`: the two folders of an exercise, from the files in new_exercise/. They build at once; what only an author can
/// write stands in them as TODO(author), and check-files names each place.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/commands.hpp"
#include "records/files.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

// By hand: std::regex takes longer to compile than all else that is here.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_small_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_name_part(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return is_small_letter(c) || is_digit(c) || c == '_'; });
}
/// "chapter7" and what follows.
bool begins_like_a_chapter(std::string_view word) {
  constexpr std::string_view kChapter = "chapter";
  return word.starts_with(kChapter) && word.size() > kChapter.size() && is_digit(word[kChapter.size()]);
}
/// "chapter7_streams"
bool names_a_chapter(std::string_view word) {
  constexpr std::size_t kNumbered = sizeof "chapter7" - 1;
  return begins_like_a_chapter(word) && word.size() > kNumbered && word[kNumbered] == '_' &&
         is_name_part(word.substr(kNumbered + 1));
}
bool names_an_exercise(std::string_view name) {
  return is_name_part(name) && is_small_letter(name.front()) && name != "all" && !begins_like_a_chapter(name);
}

/// The folder of a chapter: chapter2 means the one that is there, a new one is named in full.
std::string chapter_folder(const build_folder& build, const std::string& word) {
  std::error_code error;
  std::vector<std::string> found;
  for (const char* tree : {"exercises", "chapters"}) {
    for (const auto& entry : fs::directory_iterator(build.source_dir() / tree, error)) {
      const std::string name = entry.path().filename().string();
      if ((name == word || name.starts_with(word + "_")) &&
          std::find(found.begin(), found.end(), name) == found.end())
        found.push_back(name);
    }
  }
  if (found.size() == 1) return found.front();
  if (names_a_chapter(word)) return word;
  throw environment_error(
      fmt::format("There is no chapter {}: a new one is named in full, e.g. chapter7_streams.", word));
}

std::string replaced(std::string text, const std::string& name) {
  static const std::string kPlaceholder = "EXERCISE_NAME";
  for (std::size_t at = text.find(kPlaceholder); at != std::string::npos;
       at = text.find(kPlaceholder, at + name.size()))
    text.replace(at, kPlaceholder.size(), name);
  return text;
}

}  // namespace

int new_exercise(const build_folder& build, const std::string& chapter_word, const std::string& name) {
  if (!names_an_exercise(name))
    throw environment_error(
        fmt::format("{} cannot be an exercise's name: it becomes a C function's name, so lower case, digits "
                    "and underscores.",
                    name));
  const std::string chapter = chapter_folder(build, chapter_word);
  const fs::path task = build.source_dir() / "exercises" / chapter / name,
                 solution = build.source_dir() / "solutions" / chapter / name;
  std::error_code error;
  for (const auto& exercise : build.config().exercises)
    if (exercise.name == name)
      throw environment_error(
          fmt::format("{} is there already, in {}: names are unique.", name, exercise.chapter));
  for (const fs::path& folder : {task, solution})
    if (fs::exists(folder, error))
      throw environment_error(fmt::format("{} is there already.", folder.string()));
  int count = 0;
  for (const auto& [from, to] : {std::pair("exercise", task), std::pair("solution", solution)}) {
    const fs::path folder = build.source_dir() / "grader/cli/new_exercise" / from;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      // Their names end in .in, so that nobody takes them for an exercise.
      write_file_atomically(to / replaced(entry.path().stem().string(), name),
                            replaced(read_file(entry.path()).value_or(""), name));
      ++count;
    }
  }
  if (count == 0)
    throw environment_error(
        fmt::format("The patterns in {}/grader/cli/new_exercise are missing.", build.source_dir().string()));
  fmt::print(
      "Wrote {} files. They build, and copy n floats; what is missing says TODO(author).\n"
      "  1  contract, starter and test     exercises/{}/{}/\n"
      "  2  plain.cu and the reference     solutions/{}/{}/\n"
      "  3  three wrong variants, or more  wrong/NAME.patch: `// expect: VERDICT`, then `diff -u plain.cu "
      "changed.cu`\n"
      "  4  the page, hints, EXPLANATION   words only; figures and tables: ./course pages --write {}\n"
      "  5  the chapter's lesson names it  chapters/{}/lesson.md\n"
      "  6  ./course test {}               until nothing is missing\n",
      count, chapter, name, chapter, name, name, chapter, name);
  return 0;
}

}  // namespace course::cli
