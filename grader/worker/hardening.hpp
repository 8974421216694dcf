/// @file
/// What a worker gives up before it loads a student's code. None of it is needed for a right verdict - the
/// judge trusts nothing that comes from here - but it keeps a wild or hostile program from hurting the
/// machine it is graded on.
///
/// | measure | stops |
/// |---|---|
/// | no descriptors but socket, arena and the door to a simulated device | writing into the judge's files and terminals |
/// | own process group, dies with its parent | programs that outlive the grading |
/// | limits on CPU time, memory, file size, descriptors, core files | spinning for ever, eating the machine |
/// | files by allow-list (file_access.hpp) | reading solutions, other plugins, secrets; editing results |
/// | system calls by list (system_calls.hpp) | harm to other processes, files' rights, sockets |
///
/// All of it is best effort: an old kernel, or a container that forbids it, costs a measure and not the
/// grading; the result says which. Without Landlock a program can read whatever its user can.
#pragma once

#include <string>
#include <vector>

namespace course::worker {

/// Ceilings of the process, chosen by the judge. Zero leaves a limit as it is.
struct limits {
  unsigned long cpu_seconds = 0;
  unsigned long file_bytes = 0;
  unsigned long open_files = 0;
  unsigned long memory_bytes = 0;  ///< private memory on top of what the process has when it is hardened
};

/// First thing in main(): closes inherited descriptors and ties the process to its parent's life.
void detach_from_parent();

/// Before the plugin is loaded, after the device is started (drivers open files and start threads then).
/// @param plugin the one file of a student that this process will load.
/// @param simulated whether the device is the simulated one, which needs less.
/// @return words for the measures: "limits", "no_new_privileges", "landlock", "seccomp"; one that this
/// machine does not offer has "_unavailable" at its end.
std::vector<std::string> harden(const limits& ceilings, const std::string& plugin, bool simulated);

}  // namespace course::worker
