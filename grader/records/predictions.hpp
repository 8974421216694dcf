/// @file
/// What a student predicted before a grading: the questions that an exercise asks, the answers, and where they are kept. Reports read
/// it to show what was predicted beside what was counted.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "records/tree.hpp"

namespace course {

/// One question of predict.json.
struct prediction_question {
  std::string id;           ///< unique in its file; the answer is kept under it
  std::string text;         ///< the question
  std::string unit;         ///< of the answer, e.g. "sectors per request"
  std::string metric;       ///< name of the gate that counts it, e.g. sector_use_loads; empty: nothing does
  std::string explanation;  ///< says the right answer: never shown before a grading
};

/// An answer.
struct predicted_value {
  double value = 0;
  bool after_grading = false;  ///< given or changed when a verdict was known already
};

/// Whether an exercise asks for predictions: it has a predict.json.
bool asks_for_predictions(const build_folder& build, const exercise_id& exercise);

/// The questions of an exercise; none if it has no predict.json.
/// @throws environment_error with one sentence that names the file, the question and what is wrong with it.
std::vector<prediction_question> read_prediction_questions(const build_folder& build,
                                                           const exercise_id& exercise);

/// The answers to one exercise's questions in one tree. Kept beside the results: results/<tree>/<chapter>/<exercise>.predictions.json.
struct predictions {
  std::map<std::string, predicted_value> answers;  ///< by question
  bool offered = false;  ///< `course grade` has asked whether to predict: it asks once

  /// @return nothing answered if there is no such file, or if it is damaged.
  static predictions read(const build_folder& build, const tree& of, const exercise_id& exercise);
  void write(const build_folder& build, const tree& of, const exercise_id& exercise) const;
};

/// A number as people write predictions: 24, 0.167, 1/6, 17 %, 1,000.
/// @return nullopt if it is none, or not finite.
std::optional<double> parse_prediction(std::string text);

/// Why @p value can be no answer to @p question, as a sentence that says what to type; empty if it can. A share of 32 is one of 32 %, or
/// 32 of something else: whoever typed it meant another question.
std::string objection_to(const prediction_question& question, double value);

}  // namespace course
