/// @file
/// Makes one plugin: one exercise of one tree, compiled by nvcc into a shared object that the workers load.
///
/// It runs inside ctest, before the judge, so that a verdict is never about stale code; it never calls ninja
/// or make, which compare times of files where a student copies files with any time on them. Instead a plugin
/// is stored under a hash of everything that goes into it, and made only if that is not there yet. Several
/// builders may run at once.
#pragma once

#include <string>
#include <vector>

#include "records/plugin_record.hpp"
#include "records/tree.hpp"

namespace course {

/// Longest that one of the compiler's programs may work. A sound kernel file takes 1-3 s, one with much of CUB
/// 10 s; templates can make it endless. Processor time: on a busy machine everything takes longer by the
/// clock, and a hand-in is not to blame.
inline constexpr unsigned long kCompileProcessorSeconds = 60;
/// Longest that all of it may take by the clock. Two compilations fit into the test that builds plugins.
inline constexpr double kCompileTimeoutSeconds = 200;
/// Largest hand-in.
inline constexpr std::size_t kLargestSourceBytes = 1 << 20;

/// How a plugin is made.
struct build_options {
  /// Whether the compiler is kept from reading foreign files, where the kernel can do that. Without it they
  /// are still refused, but only after it has read them; tests look at both.
  bool confined = true;
  /// Without line numbers, symbols and the compiler's log: nothing of the source but what it does. For references that are handed out.
  bool for_release = false;
  /// Compute capabilities to make machine code for, beside those of the build folder, e.g. 80.
  std::vector<std::string> more_architectures = {};
};

/// Makes the plugin of an exercise of a tree, or finds it made before, and leaves the record for the judge.
///
/// Whatever is wrong with the student's file is told by the record (status compile_error or missing), never
/// by an exception. A found plugin costs a few milliseconds and needs no nvcc.
/// @return the record as written.
/// @throws environment_error if even the record cannot be written, e.g. on a full disk.
plugin_record build_plugin(const build_folder& build, const tree& graded, const exercise_id& exercise,
                           const build_options& options = {});

}  // namespace course
