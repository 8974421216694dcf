/// @file
/// Runs another program with a deadline, its own process group and a bound on its output. Compilers are
/// programs that student code can make slow, large or talkative.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sandbox/landlock.hpp"

namespace course {

/// What to run, and within which bounds.
struct process_request {
  std::vector<std::string> command;  ///< program (looked up on PATH) and arguments
  std::filesystem::path folder;      ///< working folder; empty = ours
  std::vector<std::pair<std::string, std::string>> set_variables;  ///< environment to add or replace
  std::vector<std::string> unset_variables;                        ///< environment to drop
  unsigned long cpu_seconds = 0;                  ///< of each process that it becomes or starts; 0 = no limit
  double timeout_seconds = 0;                     ///< 0 = none; then the child stays in our process group
  std::size_t output_limit_bytes = 1 << 20;       ///< of stdout and stderr together; the rest is dropped
  std::function<void(std::string_view)> on_line;  ///< called with each complete line, without its end
  std::function<void(int)> on_start;              ///< called once with the child's process id
  const sandbox::file_rules* files = nullptr;     ///< all that it may touch; null = whatever we may
};

/// How it ended.
struct process_result {
  bool started = false;    ///< false: the program could not be run at all
  bool timed_out = false;  ///< it was killed at the deadline, with its whole group
  int exit_code = -1;      ///< 0..255, or -1 if a signal ended it
  int signal = 0;
  std::string output;  ///< stdout and stderr, interleaved, cut at the limit
  bool output_cut = false;
  double seconds = 0;

  bool ok() const { return started && !timed_out && exit_code == 0; }
};

/// Runs a program to its end. The child is killed if this process dies first.
process_result run_process(const process_request& request);

/// Absolute path of a program on PATH, or of a path that is executable.
/// @return empty if there is none.
std::filesystem::path find_program(const std::string& name);

}  // namespace course
