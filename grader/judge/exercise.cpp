/// @file
/// See exercise.hpp: from an exercise and its surroundings to a verdict, a result file and a GoogleTest
/// outcome.
#include "judge/exercise.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

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

void check_correctness(const grading_task& task) {
  const auto here = surroundings_of(task);
  report(grade_correctness(task, here), here);
}

void check_bandwidth(const grading_task& task) {
  const auto here = surroundings_of(task);
  report(grade_bandwidth(task, here), here);
}

void describe(const grading_task& task) {
  std::fputs(description_of(task).c_str(), stdout);
}

class exercise_test : public testing::Test {
 public:
  exercise_test(exercise (*exercise_of)(), const char* test_file, void (*check)(const grading_task&))
      : exercise_of_(exercise_of), test_file_(test_file), check_(check) {}
  void TestBody() override { check_(task_of(exercise_of_(), test_file_)); }

 private:
  exercise (*exercise_of_)();
  const char* test_file_;
  void (*check_)(const grading_task&);
};

}  // namespace

bool add_tests(const char* name, exercise (*exercise_of)(), const char* test_file, int line) {
  const auto add = [&](const char* test, void (*check)(const grading_task&)) {
    // -> testing::Test*: what the last argument returns says which class a suite's tests are of, the same for all.
    testing::RegisterTest(name, test, nullptr, nullptr, test_file, line, [=]() -> testing::Test* {
      return new exercise_test(exercise_of, test_file, check);  // GoogleTest deletes it
    });
  };
  add("correctness", check_correctness);
  add("bandwidth", check_bandwidth);
  add("description", describe);
  return true;
}

}  // namespace course
