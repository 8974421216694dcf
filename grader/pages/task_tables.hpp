/// @file
/// What a task page says about grading, from the judge's own description of the exercise (schema course.exercise/1).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "records/build_folder.hpp"

namespace course::pages {

/// Asks an exercise's judge to describe the exercise.
/// @throws environment_error if the judge is not built or says nothing.
nlohmann::json description_of(const build_folder& build, const exercise_id& exercise);

/// Pass gate, limit mark and idea gates, each with what is counted and why.
std::string gates_block(const nlohmann::json& description);

/// What sizes are tried: how many are listed, their range, whether 0 is among them, drawn ones, the hidden one, the counted ones.
std::string cases_block(const nlohmann::json& description);

/// The commands, with what the exercise asks of a device.
/// @param asks_predictions whether there is a predict.json
std::string run_block(const exercise_id& exercise, bool asks_predictions);

/// What `course predict` asks, from predict.json.
/// @throws environment_error if it is not JSON, or asks nothing.
std::string questions_block(const exercise_id& exercise, const std::string& predict_json);

/// hints.md folded: each hint opens by a click.
std::string hints_block(const std::string& hints);

/// A gate's range in words: "at least 0.8", "exactly 1".
std::string range_text(const nlohmann::json& gate);

}  // namespace course::pages
