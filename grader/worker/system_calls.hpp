/// @file
/// Which system calls a worker keeps (seccomp). Two lists, because the two devices need different things:
///
/// | device | rule | because |
/// |---|---|---|
/// | `sim` | denied, unless on the list of what a program on a simulated GPU needs | all of it is our own code, so the list is known |
/// | `gpu` | allowed, unless on the list of what can hurt others | NVIDIA's driver needs many calls, and new ones with each version |
///
/// Kept on both: memory, threads, reading files, time, signals to oneself, talking over descriptors that are
/// open. Denied on both: other processes (signals, tracing, priorities, limits, starting any), making,
/// changing and renaming files, rights and times of files, sockets, mounts and namespaces, everything that
/// administers the machine. A denied call fails with EPERM and the program goes on: a sound one that merely
/// tries gets its verdict.
#pragma once

namespace course::worker {

/// Filters the system calls of all threads of this process, for good. Call it before any student code is
/// loaded and after the device is started: drivers open files and sockets then.
/// @param simulated which of the two lists.
/// @return false where the kernel has no seccomp; then nothing has changed.
bool filter_system_calls(bool simulated);

}  // namespace course::worker
