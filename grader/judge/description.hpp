/// @file
/// An exercise's own description as JSON (schema course.exercise/1): calls, buffers, cases, benchmarks, gates. Gate tables in task pages, the
/// kill table and the documentation are generated from it, so that nothing numeric is typed twice.
#pragma once

#include <string>

#include "judge/grader.hpp"

namespace course {

/// @return one JSON object and a newline.
std::string description_of(const grading_task& task);

}  // namespace course
