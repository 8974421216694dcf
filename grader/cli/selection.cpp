/// @file
/// Implementation of selection.hpp.
#include "cli/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "records/files.hpp"

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

bool matches(const exercise_id& exercise, std::string_view word) {
  return word == "all" || word == exercise.label || word == exercise.chapter || word == exercise.name ||
         word == exercise.test_prefix() || word == exercise.judge() ||
         word == exercise.label + "/" + exercise.name || word == exercise.chapter + "/" + exercise.name;
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
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!matches(all[i], word)) continue;
      chosen[i] = true;
      found = true;
    }
    if (found) continue;
    std::vector<std::string> names;
    for (const exercise_id& exercise : all) {
      names.push_back(exercise.name);
      names.push_back(exercise.label);
    }
    const std::string near = nearest_name(word, names);
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

exercise_id select_one(const build_folder& build, const std::string& word) {
  const auto found = select_exercises(build, {word});
  if (found.size() != 1)
    throw environment_error(fmt::format("{} names {} exercises: name one of them.", word, found.size()));
  return found.front();
}

}  // namespace course::cli
