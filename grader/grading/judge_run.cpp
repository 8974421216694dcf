/// @file
/// See judge_run.hpp.
#include "grading/judge_run.hpp"

#include "records/files.hpp"

namespace course {

namespace fs = std::filesystem;

std::vector<tree> baselines(const build_folder& build, const tree& graded, const exercise_id& exercise) {
  std::vector<tree> trees;
  if (graded.id != kSolutions) trees.push_back(reference_tree(build, exercise));
  if (exercise.plain_baseline) trees.push_back(plain_tree(build, exercise));
  return trees;
}

tree tree_of_one(const build_folder& build, const std::string& name, const exercise_id& exercise,
                 const std::string& text) {
  const fs::path folder = build.variants() / name;
  std::error_code error;
  fs::remove_all(folder, error);
  write_file_atomically(folder / exercise.chapter / exercise.name / (exercise.name + ".cu"), text);
  return resolve_tree(build, folder.string());
}

fs::path result_file(const build_folder& build, const tree& graded, const exercise_id& exercise,
                     const std::string& kind) {
  return build.results() / graded.id / exercise.chapter / (exercise.name + "." + kind + ".json");
}

process_result run_judge(const build_folder& build, const tree& graded, const exercise_id& exercise,
                         const std::string& kind, const std::string& device, double timeout_seconds) {
  std::error_code error;
  fs::remove(result_file(build, graded, exercise, kind), error);
  process_request request;
  if (exercise.is_drill()) {
    request.command = {(build.bin() / "course").string(),
                       "mark-drill",
                       "--chapter",
                       exercise.chapter,
                       "--exercise",
                       exercise.name};
  } else {
    request.command = {(build.bin() / "judges" / exercise.judge()).string(), "--gtest_filter=*." + kind};
  }
  request.set_variables = {{"COURSE_TREE", graded.path.string()}, {"COURSE_DEVICE", device}};
  request.timeout_seconds = timeout_seconds;
  return run_process(request);
}

}  // namespace course
