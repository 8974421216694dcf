/// @file
/// Names one run of ctest, so that the summary after it shows that run's verdicts and no older ones.
#pragma once

#include <sys/types.h>

#include <string>

namespace course {

/// "<pid>-<start time in clock ticks>" of a process: unlike a process id alone it is never used twice.
/// @return empty if there is no such process.
std::string run_id_of(pid_t process);

/// run_id_of the nearest ancestor of this process that is called ctest; empty if there is none.
std::string run_id_of_ctest();

}  // namespace course
