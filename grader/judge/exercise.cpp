/// @file
/// See exercise.hpp: from an exercise and its surroundings to a verdict, a result file and a GoogleTest
/// outcome.
#include "judge/exercise.hpp"

#include "judge/description.hpp"
#include "judge/grader.hpp"

namespace course {
namespace {

void report(const result& what, const environment& here) {
  const auto text = to_text(what);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (const auto problem = write_result(what, here.results); !problem.empty()) {
    ADD_FAILURE() << problem;
    return;
  }
  remember(what, here.results);
  if (what.passed()) return;
  if (counts_as_skipped(what.outcome)) GTEST_SKIP() << name_of(what.outcome) << ": " << what.headline;
  ADD_FAILURE() << name_of(what.outcome) << (what.cause.empty() ? "" : " (" + what.cause + ")") << ": "
                << what.headline;
}

// <chapter>/<exercise>/<exercise>_test.cpp
grading_task task_of(const exercise& what, const char* test_file) {
  const std::filesystem::path folder = std::filesystem::path(test_file).parent_path();
  return {what, folder.parent_path().filename().string(), folder.filename().string()};
}

environment surroundings_of(const grading_task& task) {
  return environment::from_process(task.chapter, task.name);
}

}  // namespace

void grade_correctness(const exercise& what, const char* test_file) {
  const auto task = task_of(what, test_file);
  const auto here = surroundings_of(task);
  report(grade_correctness(task, here), here);
}

void grade_bandwidth(const exercise& what, const char* test_file) {
  const auto task = task_of(what, test_file);
  const auto here = surroundings_of(task);
  report(grade_bandwidth(task, here), here);
}

void describe(const exercise& what, const char* test_file) {
  std::fputs(description_of(task_of(what, test_file)).c_str(), stdout);
}

}  // namespace course
