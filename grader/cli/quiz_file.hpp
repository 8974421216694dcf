/// @file
/// A chapter's questions, as chapters/<chapter>/quiz.json holds them (schema course.quiz/1).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course::cli {

/// One question with its choices.
struct quiz_question {
  std::string id;    ///< unique in its file; what was answered is remembered under it
  std::string text;  ///< the question
  std::vector<std::string> choices;
  std::size_t answer = 0;  ///< index of the right choice
  std::string why;         ///< explains the right choice
};

/// The quiz of one chapter.
struct quiz {
  std::string chapter;         ///< folder, e.g. chapter2_shared_memory
  std::filesystem::path file;  ///< absolute
  std::vector<quiz_question> questions;

  /// The word that names it: "chapter2".
  std::string label() const { return chapter.substr(0, chapter.find('_')); }
};

/// Folders of the chapters that have a quiz.json, in order.
std::vector<std::string> chapters_with_quiz(const build_folder& build);

/// Reads one chapter's quiz.
/// @throws environment_error with one sentence that names the file, the question and what is wrong with it.
quiz read_quiz(const build_folder& build, const std::string& chapter);

}  // namespace course::cli
