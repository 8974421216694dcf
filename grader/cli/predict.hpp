/// @file
/// Predict, then look: asking for predictions, and showing them beside what was counted.
#pragma once

#include <string>

#include "records/tree.hpp"
#include "reports/outcome.hpp"
#include "reports/terminal.hpp"

namespace course::cli {

/// Before the first grading of an exercise that asks for predictions, asks once whether to answer now. Says and does nothing where
/// nobody sits at a terminal, in continuous integration, for other trees than exercises/, or once it was asked.
void offer_predictions(const build_folder& build, const tree& graded, const exercise_id& exercise);

/// What was predicted beside what was counted, with the explanations.
/// @return empty where nothing was predicted, or nothing was graded yet: it tells the right answers.
std::string prediction_section(const build_folder& build, const tree& graded, const reports::outcome& o,
                               const reports::terminal& out);

}  // namespace course::cli
