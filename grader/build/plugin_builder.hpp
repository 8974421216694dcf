/// @file
/// Makes one plugin: one exercise of one tree, compiled by nvcc into a shared object that the workers load.
///
/// It runs inside ctest, before the judge, so that a verdict is never about stale code; it never calls ninja
/// or make, which compare times of files where a student copies files with any time on them. Instead a plugin
/// is stored under a hash of everything that goes into it, and made only if that is not there yet. Several
/// builders may run at once.
#pragma once

#include "records/plugin_record.hpp"
#include "records/tree.hpp"

namespace course {

/// Longest a compiler may take. A sound kernel file takes 1-3 s; templates can make it endless.
inline constexpr double kCompileTimeoutSeconds = 60;
/// Largest hand-in.
inline constexpr std::size_t kLargestSourceBytes = 1 << 20;

/// Makes the plugin of an exercise of a tree, or finds it made before, and leaves the record for the judge.
///
/// Whatever is wrong with the student's file is told by the record (status compile_error or missing), never
/// by an exception. A found plugin costs a few milliseconds and needs no nvcc.
/// @return the record as written.
/// @throws environment_error if even the record cannot be written, e.g. on a full disk.
plugin_record build_plugin(const build_folder& build, const tree& graded, const exercise_id& exercise);

}  // namespace course
