/// @file
/// One run of a judge, and what it needs: the trees that the graded one is compared with, and a tree for a program that lies in none.
/// ctest calls judges by itself (cmake/CourseExercise.cmake); everybody else does it here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/process.hpp"
#include "records/tree.hpp"

namespace course {

/// The trees with which a program of @p graded is compared: the reference's, and the plain solution's where the exercise asks for it.
std::vector<tree> baselines(const build_folder& build, const tree& graded, const exercise_id& exercise);

/// A tree in the build folder with nothing in it but one program; an earlier one of this name is gone.
/// @param[in] name of a folder: no slash.
/// @param[in] text of the exercise's .cu file.
/// @throws environment_error if it cannot be written.
tree tree_of_one(const build_folder& build, const std::string& name, const exercise_id& exercise,
                 const std::string& text);

/// Where a judge leaves what it found.
/// @param[in] kind correctness or bandwidth; answers for a drill.
std::filesystem::path result_file(const build_folder& build, const tree& graded, const exercise_id& exercise,
                                  const std::string& kind);

/// Runs one part of an exercise's judging; the plugins must have been made. An earlier result file is removed first.
/// @param[in] kind as above.
/// @param[in] device auto, gpu or sim.
process_result run_judge(const build_folder& build, const tree& graded, const exercise_id& exercise,
                         const std::string& kind, const std::string& device, double timeout_seconds);

}  // namespace course
