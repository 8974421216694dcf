/// @file
/// Implementation of selection.hpp.
#include "cli/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "records/files.hpp"
#include "records/sha256.hpp"

namespace course::cli {
namespace {

/// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

/// Where a word leads that is a path here; else the word itself.
std::string as_path(const std::string& word) {
  std::error_code error;
  if (!std::filesystem::exists(word, error)) return word;
  return std::filesystem::weakly_canonical(word, error).string();
}

/// "/chapter2_shared_memory/block_reduction/", as it stands in the paths of an exercise's files.
std::string path_part(const exercise_id& exercise) {
  return fmt::format("/{}/{}/", exercise.chapter, exercise.name);
}

bool matches(const exercise_id& exercise, const std::string& word) {
  if (word == "all" || word == exercise.label || word == exercise.chapter || word == exercise.name ||
      word == exercise.test_prefix() || word == exercise.judge() ||
      word == exercise.label + "/" + exercise.name) {
    return true;
  }
  const std::string path = "/" + as_path(word) + "/";
  return path.find(path_part(exercise)) != std::string::npos || path.ends_with("/" + exercise.chapter + "/");
}

/// Adds a tree to what was found so far.
void take_tree(std::filesystem::path& found, const std::filesystem::path& tree) {
  if (!found.empty() && found != tree)
    throw environment_error(
        fmt::format("{} and {} are two trees: grade one at a time.", found.string(), tree.string()));
  found = tree;
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 2, 1) + 1;
  for (const std::string& name : names) {
    const std::size_t d = distance(word, name);
    if (d < best_distance) best = name, best_distance = d;
  }
  return best;
}

std::vector<exercise_id> select_exercises(const build_folder& build, const std::vector<std::string>& words) {
  const auto& all = build.config().exercises;
  if (words.empty()) return all;
  std::vector<bool> chosen(all.size(), false);
  for (std::string word : words) {
    while (word.ends_with('/')) word.pop_back();
    bool found = false;
    const exercise_id* const flat = exercise_of_flat_file(build, word);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (&all[i] != flat && !matches(all[i], word)) continue;
      chosen[i] = true;
      found = true;
    }
    if (found) continue;
    std::vector<std::string> names;
    for (const exercise_id& exercise : all) {
      names.push_back(exercise.name);
      names.push_back(exercise.label);
    }
    // Of a path, the last part.
    const std::string near = nearest_name(std::filesystem::path(word).stem().string(), names);
    throw environment_error(
        fmt::format("There is no chapter or exercise called {}{} `./course list` shows them all.", word,
                    near.empty() ? "." : "; did you mean " + near + "?"));
  }
  std::vector<exercise_id> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (chosen[i]) result.push_back(all[i]);
  }
  return result;
}

const exercise_id* exercise_of_flat_file(const build_folder& build, const std::string& word) {
  std::error_code error;
  if (!word.ends_with(".cu") || !std::filesystem::is_regular_file(word, error)) return nullptr;
  const std::string path = as_path(word);
  const auto& all = build.config().exercises;
  const auto any = [&](auto holds) { return std::find_if(all.begin(), all.end(), holds); };
  if (any([&](const exercise_id& one) { return path.find(path_part(one)) != std::string::npos; }) !=
      all.end())
    return nullptr;
  const auto found = any([&](const exercise_id& one) {
    return !one.is_drill() && std::filesystem::path(word).filename() == one.name + ".cu";
  });
  return found == all.end() ? nullptr : &*found;
}

std::filesystem::path flat_tree(const build_folder& build, const std::string& file) {
  const std::string folder = std::filesystem::path(as_path(file)).parent_path().string();
  return build.root() / "flat" / sha256_hex(folder).substr(0, 16) / "hand_in";
}

std::filesystem::path tree_of_words(const build_folder& build, const std::vector<std::string>& words) {
  std::filesystem::path found;
  for (const std::string& word : words) {
    const std::string path = as_path(word) + "/";
    if (path.front() != '/') continue;  // a name
    if (exercise_of_flat_file(build, word)) {
      take_tree(found, flat_tree(build, word));
      continue;
    }
    for (const exercise_id& exercise : build.config().exercises) {
      std::size_t at = path.find(path_part(exercise));
      if (at == std::string::npos && path.ends_with("/" + exercise.chapter + "/"))
        at = path.size() - exercise.chapter.size() - 2;
      if (at == std::string::npos) continue;
      take_tree(found, path.substr(0, at));
      break;
    }
  }
  std::error_code error;
  return found == std::filesystem::weakly_canonical(build.source_dir() / "exercises", error)
             ? std::filesystem::path()
             : found;
}

std::vector<exercise_id> in_course_order(const build_folder& build) {
  std::map<std::string, std::string> lessons;
  const auto place = [&](const exercise_id& exercise) {
    const auto [lesson, is_new] = lessons.try_emplace(exercise.chapter);
    if (is_new)
      lesson->second =
          read_file(build.source_dir() / "chapters" / exercise.chapter / "lesson.md").value_or("");
    return std::tuple(exercise.chapter, lesson->second.find(exercise.name), exercise.name);
  };
  std::vector<exercise_id> all = build.config().exercises;
  std::sort(all.begin(), all.end(),
            [&](const exercise_id& a, const exercise_id& b) { return place(a) < place(b); });
  return all;
}

const exercise_id& exercise_of(const build_folder& build, const std::string& chapter,
                               const std::string& name) {
  if (const exercise_id* exercise = build.find(chapter, name)) return *exercise;
  throw environment_error(fmt::format(
      "There is no exercise {}/{}: run `cmake --preset default` again if it is new.", chapter, name));
}

exercise_id select_one(const build_folder& build, const std::string& word) {
  const auto found = select_exercises(build, {word});
  if (found.size() != 1)
    throw environment_error(fmt::format("{} names {} exercises: name one of them.", word, found.size()));
  return found.front();
}

}  // namespace course::cli
