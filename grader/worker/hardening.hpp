/// @file
/// What a worker gives up before it loads a student's code. None of it is needed for a right verdict - the
/// judge trusts nothing that comes from here - but it keeps a wild or hostile program from hurting the
/// machine it is graded on.
///
/// | measure | stops |
/// |---|---|
/// | no descriptors but socket and arena | writing into the judge's files and terminals |
/// | own process group, dies with its parent | programs that outlive the grading |
/// | limits on CPU time, file size, descriptors, core files | filling disks, spinning for ever |
/// | no new privileges; Landlock, where the kernel has it: no writes but to a private folder and devices |
/// editing sources, result files | | seccomp: no fork, no exec, no signal to others, no ptrace | escaping the
/// process group, killing the judge |
///
/// All of it is best effort: an old kernel, or a container that forbids it, costs a measure and not the
/// grading.
#pragma once

#include <string>
#include <vector>

namespace course::worker {

/// Ceilings of the process, chosen by the judge. Zero leaves a limit as it is.
struct limits {
  unsigned long cpu_seconds = 0;
  unsigned long file_bytes = 0;
  unsigned long open_files = 0;
};

/// First thing in main(): closes inherited descriptors and ties the process to its parent's life.
void detach_from_parent();

/// Before the plugin is loaded, after the device is started (drivers open files and start threads then).
/// @param private_folder the only folder that stays writable; may be empty.
/// @return words for what is in force: "limits", "no_new_privileges", "landlock", "seccomp".
std::vector<std::string> harden(const limits& ceilings, const std::string& private_folder);

}  // namespace course::worker
