/// @file
/// One grading from record to result: which device, which workers, in which order. Knows nothing of
/// GoogleTest, so that tests of the judge can call it with surroundings of their own.
#pragma once

#include <string>

#include "judge/environment.hpp"
#include "judge/exercise.hpp"
#include "judge/result.hpp"

namespace course {

/// What is graded.
struct grading_task {
  const exercise& what;
  std::string chapter, name;
};

/// Now, in UTC, as result files hold it.
std::string time_text();

/// The exercise's gates, and those that hold for all of its chapter: in chapters 1 to 3 lines of the hand-in do the loading.
std::vector<gate> all_gates(const grading_task& task);

/// Right or wrong. On `gpu` the cases run on the simulated GPU as well, which sees races and stray reads that
/// hardware hides.
result grade_correctness(const grading_task& task, const environment& here);

/// Fast or slow, wasteful or not. Idea gates always come from the simulated GPU.
result grade_bandwidth(const grading_task& task, const environment& here);

}  // namespace course
