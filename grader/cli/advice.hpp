/// @file
/// What to do after a grading: a verdict alone leaves a student standing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/gate_text.hpp"
#include "reports/outcome.hpp"

namespace course::cli {

/// The exercise to do next: the first in the course's order that has no pass, counted from the one after @p after and around the end.
/// @param[in] after name of an exercise; empty = from the beginning.
/// @param[in] among only these count; empty = all.
/// @return nullopt if all pass.
std::optional<exercise_id> next_exercise(const build_folder& build, const tree& graded,
                                         const std::string& after,
                                         const std::vector<exercise_id>& among = {});

/// The lines under a grading's table: how many pass; for what does not, where more and a hint are found; for what does, what it lacks to
/// the limit mark, where it is explained, and what is next.
/// @param[in] tree_word the tree as the user named it, which all advice must carry; empty = exercises/.
std::string advice_after(const build_folder& build, const std::vector<reports::outcome>& outcomes,
                         const tree& graded, const std::string& tree_word);

}  // namespace course::cli
