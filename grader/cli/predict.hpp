/// @file
/// Predict, then look: asking for predictions, and showing them beside what was counted.
#pragma once

#include "records/tree.hpp"

namespace course::cli {

/// Before the first grading of an exercise that asks for predictions, asks once whether to answer now. Says and does nothing where
/// nobody sits at a terminal, in continuous integration, for other trees than exercises/, or once it was asked.
void offer_predictions(const build_folder& build, const tree& graded, const exercise_id& exercise);

}  // namespace course::cli
