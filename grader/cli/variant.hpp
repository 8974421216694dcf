/// @file
/// Grading one program of known worth as an exercise, apart from any student's tree.
#pragma once

#include <string>
#include <vector>

#include "records/build_folder.hpp"
#include "reports/result.hpp"

namespace course::cli {

/// What to grade.
struct graded_program {
  std::string name;    ///< of the temporary tree
  std::string text;    ///< of the .cu file
  std::string device;  ///< auto, gpu or sim
};

/// Grades a program: correctness, and bandwidth if it is right.
/// @param[out] judge_output what the last judge printed; may be null
/// @throws environment_error if the course itself is at fault.
std::vector<reports::result> grade_program(const build_folder& build, const exercise_id& exercise,
                                           const graded_program& program,
                                           std::string* judge_output = nullptr);

/// Verdicts and headlines as pages show them: the same for the same program, so without times.
std::string verdict_lines(const std::vector<reports::result>& results);

}  // namespace course::cli
