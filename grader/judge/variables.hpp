/// @file
/// The judge's environment variables. A terminal, or a teacher's continuous integration, hands down all it
/// has, tokens too, and /proc shows a process's variables to every program of the same user - to students'
/// programs as well, where the kernel cannot hide it (worker/hardening.hpp).
#pragma once

namespace course {

/// Wipes every variable but those that grading reads or hands on. COURSE_SEED goes as well: read it first.
/// Call it before threads or workers start.
void forget_foreign_variables();

}  // namespace course
