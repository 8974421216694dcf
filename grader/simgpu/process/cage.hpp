/// @file
/// What a device gives up that is a grader's child, before it reads the first byte that a program wrote. Its grammar is checked and fuzzed;
/// this is for the day on which that was not enough: whoever then runs code in here has no network, starts nothing, makes no file, reads
/// none but those named, and cannot use up the machine.
///
/// | measure | stops |
/// |---|---|
/// | limits on processor time, private memory, descriptors, length of files, core files | eating the machine |
/// | files by allow-list (Landlock) | reading what lies about: solutions, results, secrets |
/// | system calls by list (seccomp) | sockets, starting programs, other processes, making and changing files |
///
/// All of it is best effort, as a worker's is: an old kernel costs a measure, and the answer to *start* says which. A device of a program
/// that runs by itself has none of it: who could send it nonsense has the rights that it has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simgpu::process {

/// What a grader says in *start*. Zero leaves a limit as it is.
struct Cage {
  bool closed = false;                ///< false: none of this
  std::uint64_t allocated_bytes = 0;  ///< that a program may have allocated at a time, in memory of all kinds
  std::uint64_t private_bytes = 0;    ///< on top of what the process has when it enters
  std::uint64_t cpu_seconds = 0;
  std::vector<std::string> reads;  ///< files, and folders with all below
};

/// The exit status of a device whose memory is used up by what a program has it keep: one sentence of its own stands on its standard error.
inline constexpr int kMemoryUsedUp = 126;

/// For this thread and all that it starts: call it before there are others.
/// @param client the program's process, whose threads are counted. @return a word for each measure, with "_unavailable" behind it where the
/// machine does not offer it; empty if there is no cage.
std::vector<std::string> enter(const Cage& cage, int client);

}  // namespace simgpu::process
