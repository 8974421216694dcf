/// @file
/// What was answered in a chapter's quiz: kept in the build folder, so that the next round begins with what was missed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/quiz_file.hpp"

namespace course::cli {

/// The last answer to each question of one quiz.
class quiz_memory {
 public:
  /// What was kept; nothing if there is none, or if the file is damaged.
  static quiz_memory read(const build_folder& build, const quiz& of);
  void write(const build_folder& build, const quiz& of) const;

  void note(const quiz_question& question, bool right) { right_[question.id] = right; }
  void forget() { right_.clear(); }

  /// Whether anything was answered, and whether rightly.
  enum class state { not_asked, missed, right };
  state of(const quiz_question& question) const;
  std::size_t count(const quiz& of, state wanted) const;

  /// What to ask next: first what was missed, then what was never asked; with @p all what was right after them.
  std::vector<quiz_question> round(const quiz& of, bool all) const;

  /// "7 of 10 right, 2 missed", or "not tried yet".
  std::string text(const quiz& of) const;

 private:
  std::map<std::string, bool> right_;
};

}  // namespace course::cli
