/// @file
/// See exercise.hpp: from an exercise and its surroundings to a verdict, a result file and a GoogleTest
/// outcome.
#include "judge/exercise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "judge/ahead.hpp"
#include "judge/description.hpp"
#include "judge/grader.hpp"

namespace course {
namespace {

// Makes a verdict GoogleTest's.
void tell_test(std::string_view outcome, std::string_view cause, std::string_view headline) {
  if (outcome == name_of(verdict::pass)) return;
  const bool skipped = std::any_of(kVerdicts.begin(), kVerdicts.end(), [&](verdict one) {
    return name_of(one) == outcome && counts_as_skipped(one);
  });
  if (skipped) GTEST_SKIP() << outcome << ": " << headline;
  ADD_FAILURE() << outcome << (cause.empty() ? "" : " (" + std::string(cause) + ")") << ": " << headline;
}

void report(const result& what, const environment& here) {
  const auto text = to_text(what);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (const auto problem = write_result(what, here.results); !problem.empty()) {
    ADD_FAILURE() << problem;
    return;
  }
  remember(what, here.results);
  tell_test(name_of(what.outcome), what.cause, what.headline);
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
  counting_ahead counting(here);
  const auto found = grade_correctness(task, here);
  report(found, here);
  counting.end(found.passed(), here, task);
}

void check_bandwidth(const grading_task& task) {
  const auto here = surroundings_of(task);
  if (const auto counted = counted_by_then(here, task)) {
    std::printf("counted while correctness was checked: %s\n", counted->verdict.c_str());
    std::fflush(stdout);
    tell_test(counted->verdict, counted->cause, counted->headline);
    return;
  }
  const bool ahead = counts_ahead();
  auto found = grade_bandwidth(task, here);
  if (ahead) {
    wait_for_correctness();
    found.started_at = time_text();  // it must not seem older than what it follows from
  }
  report(found, here);
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
