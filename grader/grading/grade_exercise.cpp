/// @file
/// Implementation of grade_exercise.hpp.
#include "grading/grade_exercise.hpp"

#include <fmt/format.h>

#include "build/plugin_builder.hpp"
#include "grading/judge_run.hpp"
#include "records/files.hpp"
#include "records/verdict.hpp"

namespace course {
namespace {

namespace fs = std::filesystem;
using reports::outcome;

/// As ctest gives a judge (cmake/CourseExercise.cmake).
constexpr double kJudgeTimeoutSeconds = 600;

outcome harness_error(const exercise_id& exercise, std::string_view why, std::string sentence) {
  outcome found;
  found.exercise = exercise;
  found.verdict = name_of(verdict::harness_error);
  found.cause = why;
  found.headline = std::move(sentence);
  found.complete = true;
  return found;
}

}  // namespace

bool is_built(const build_folder& build, const exercise_id& exercise) {
  std::error_code error;
  return exercise.is_drill() || fs::exists(build.bin() / "judges" / exercise.judge(), error);
}

outcome grade_exercise(const build_folder& build, const tree& graded, const exercise_id& exercise,
                       const std::string& device) {
  if (!is_built(build, exercise)) {
    throw environment_error(fmt::format(
        "The judge of {0} is not built yet: run ./course grade {0}, which builds it.", exercise.name));
  }
  if (!exercise.is_drill()) {
    const plugin_record record = build_plugin(build, graded, exercise);
    if (record.status == "harness_error") return harness_error(exercise, record.cause, record.message);
    for (const tree& one : baselines(build, graded, exercise)) build_plugin(build, one, exercise);
  }

  std::vector<reports::result> found;
  const auto parts = exercise.is_drill() ? std::vector<std::string>{"answers"}
                                         : std::vector<std::string>{"correctness", "bandwidth"};
  // All of them, for an earlier program's speed must not stand beside a wrong answer.
  std::error_code error;
  for (const std::string& kind : parts) fs::remove(result_file(build, graded, exercise, kind), error);
  for (const std::string& kind : parts) {
    const process_result judge = run_judge(build, graded, exercise, kind, device, kJudgeTimeoutSeconds);
    if (judge.timed_out) {
      return harness_error(
          exercise, cause::judge_timeout,
          "The judge did not finish in time: please report this, with the file that was graded.");
    }
    auto result = reports::read_result(result_file(build, graded, exercise, kind));
    if (!result) {
      return harness_error(
          exercise, cause::no_result,
          fmt::format("The judge left no result for {}: grade it alone with ./course grade to see why.",
                      kind));
    }
    found.push_back(std::move(*result));
    if (found.back().verdict != name_of(verdict::pass)) break;
  }
  return reports::join_results(exercise, found, "");
}

}  // namespace course
