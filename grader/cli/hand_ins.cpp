/// @file
/// Implementation of hand_ins.hpp.
#include "cli/hand_ins.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "build/plugin_builder.hpp"
#include "grading/hand_in_tree.hpp"
#include "records/files.hpp"
#include "records/sha256.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

/// Length of the UTF-8 sequence that @p text begins with; 0 if that is none, or none that is worth showing.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (length == 1) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate_or_beyond = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  const bool c1_control = first == 0xc2 && second < 0xa0;
  // U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069: they turn or break the line they stand in.
  const unsigned third = byte(2);
  const bool turns_lines =
      first == 0xe2 &&
      ((second == 0x80 && (third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae))) ||
       (second == 0x81 && third >= 0xa6 && third <= 0xa9));
  return overlong || surrogate_or_beyond || c1_control || turns_lines ? 0 : length;
}

}  // namespace

std::string shown_text(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      shown += text[i] == '\n'   ? "\\n"
               : text[i] == '\t' ? "\\t"
                                 : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
      ++i;
    } else {
      shown += text[i] == '\\' ? "\\\\" : std::string(text.substr(i, length));
      i += length;
    }
  }
  return shown;
}

std::string tame_name(const std::string& text) {
  std::string tame;
  for (const char c : text) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || (c == '.' && !tame.empty());
    if (good) tame += c;
  }
  constexpr std::size_t kLongest = 60;
  if (tame == text && tame.size() <= kLongest) return tame;
  return fmt::format("{}-{}", tame.substr(0, kLongest), sha256_hex(text).substr(0, 8));
}

std::vector<student> students_in(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw environment_error(
        fmt::format("There is no folder {}: name the one that holds a sub-folder for each student.",
                    shown_text(folder.string())));
  }
  std::vector<student> students;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    std::error_code ignored;
    // A link to a folder is a student, too: one whose files are refused.
    if (name.starts_with('.') || !fs::is_directory(entries->path(), ignored)) continue;
    students.push_back({name, shown_text(name), tame_name(name)});
  }
  if (error)
    throw environment_error(
        fmt::format("{} cannot be read: {}.", shown_text(folder.string()), error.message()));
  if (students.empty()) {
    throw environment_error(
        fmt::format("{} holds no sub-folder: each student's hand-ins go into one of their own, e.g. "
                    "{}/chen/block_reduction.cu.",
                    shown_text(folder.string()), shown_text(folder.filename().string())));
  }
  std::sort(students.begin(), students.end(),
            [](const student& a, const student& b) { return a.folder < b.folder; });
  return students;
}

found_hand_in find_hand_in(const fs::path& class_folder, const student& who, const exercise_id& exercise) {
  const fs::path file = hand_in_name(exercise);
  std::vector<fs::path> places = {fs::path(exercise.chapter) / exercise.name / file,
                                  fs::path("exercises") / exercise.chapter / exercise.name / file,
                                  exercise.is_drill() ? fs::path(exercise.name + ".txt") : file,
                                  fs::path(exercise.name) / file};
  found_hand_in found;
  for (const fs::path& place : places) {
    // From the class's folder on: a student's own folder may be a link, too.
    course::hand_in here = read_hand_in(class_folder, fs::path(who.folder) / place, kLargestSourceBytes);
    if (here.status == hand_in_status::missing) continue;
    if (found.file.status != hand_in_status::missing) {
      found.beside.push_back(place);
      continue;
    }
    found.file = std::move(here);
    found.at = place;
    // Behind a link every place looks alike.
    std::error_code error;
    if (fs::is_symlink(class_folder / who.folder, error)) break;
  }
  return found;
}

std::vector<std::string> first_files(const fs::path& folder, bool below) {
  constexpr std::size_t kShown = 3, kLookedAt = 1000;
  std::vector<std::string> names;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  for (std::size_t i = 0;
       !error && entries != fs::recursive_directory_iterator() && i < kLookedAt && names.size() < kShown;
       entries.increment(error), ++i) {
    if (!below) entries.disable_recursion_pending();
    std::error_code ignored;
    const fs::path file = entries->path();
    if (entries->is_regular_file(ignored) && !file.filename().string().starts_with('.'))
      names.push_back(shown_text(file.lexically_relative(folder).string()));
  }
  return names;
}

}  // namespace course::cli
