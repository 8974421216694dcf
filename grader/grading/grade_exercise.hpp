/// @file
/// Grades one exercise of one tree without ctest: makes the plugins, runs the judges, joins what they say. A class of hand-ins and
/// programs of others (course/course.hpp) grade by it; it runs the very builder and judges that ctest runs, so that a verdict is
/// the same on every way.
#pragma once

#include <string>

#include "records/tree.hpp"
#include "reports/outcome.hpp"

namespace course {

/// Grades and leaves plugin record and result files, as ctest would. Several calls may run at once, for different trees.
/// @param[in] device auto, gpu or sim.
/// @return never without a verdict: what is the course's own fault is the verdict harness_error.
/// @throws environment_error if files of the build folder cannot be written, or the judge was not built.
reports::outcome grade_exercise(const build_folder& build, const tree& graded, const exercise_id& exercise,
                                const std::string& device);

/// Whether everything is built that grading an exercise needs.
bool is_built(const build_folder& build, const exercise_id& exercise);

}  // namespace course
